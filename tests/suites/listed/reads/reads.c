/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Reads a file that it is told and one that it knows, and writes a third one. */
#include <stdio.h>

static int number_in(const char *name)
{
    int value = -1;
    FILE *file = fopen(name, "r");
    if (!file) {
        return -1;
    }
    (void)!fscanf(file, "%d", &value);
    (void)fclose(file);
    return value;
}

int main(int argc, char **argv)
{
    const int told = argc > 2 ? number_in(argv[1]) : -1;
    const int known = number_in("table/known.txt");
    if (told < 0 || known < 0) {
        (void)fprintf(stderr, "reads: cannot read %s\n", told < 0 ? argv[1] : "table/known.txt");
        return 2;
    }
    FILE *out = fopen(argv[2], "w");
    if (!out) {
        return 3;
    }
    (void)fprintf(out, "%d\n", told + known);
    (void)fclose(out);
    printf("%d\n", told + known);
    return 0;
}
