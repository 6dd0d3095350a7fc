/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Does one of two things; without a word it only says how it is called. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fputs("usage: variants -a|-b\n", stderr);
        return 2;
    }
    puts(strcmp(argv[1], "-a") == 0 ? "first" : "second");
    return 0;
}
