/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Appends its result to a file, which is longer after each job; nothing else tells jobs apart. */
#include <stdio.h>

int main(void)
{
    FILE *stream = fopen("result.txt", "a");
    if (!stream) {
        return 1;
    }
    fprintf(stream, "42\n");
    return fclose(stream) == 0 ? 0 : 1;
}
