/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Adds up two numbers on its standard input, one read through a buffer, the other by read(). */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    char line[32];
    char rest[32] = "";
    if (!fgets(line, sizeof line, stdin)) {
        return 2;
    }
    fseek(stdin, 0, SEEK_CUR); /* the descriptor is where the stream is */
    (void)!read(STDIN_FILENO, rest, sizeof rest - 1);
    printf("%ld\n", strtol(line, NULL, 10) + strtol(rest, NULL, 10));
    return 0;
}
