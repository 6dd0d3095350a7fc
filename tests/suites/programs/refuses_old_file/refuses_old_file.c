/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Writes a temporary file and renames it; ends with 3 if there is a result already. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    if (access("result.txt", F_OK) == 0) {
        return 3;
    }
    FILE *stream = fopen("result.tmp", "wx");
    if (!stream) {
        return 1;
    }
    fprintf(stream, "42\n");
    fclose(stream);
    return rename("result.tmp", "result.txt") == 0 ? 0 : 1;
}
