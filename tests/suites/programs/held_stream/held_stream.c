/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The first job opens a stream that later ones go on writing to; it is closed by the process's end.
 */
#include <stdio.h>

static FILE *stream;

int main(void)
{
    if (!stream) {
        stream = fopen("result.txt", "w");
    }
    return stream && fprintf(stream, "42\n") == 3 ? 0 : 1;
}
