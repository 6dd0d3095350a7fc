/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Each job loses 1 MiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    unsigned char *image = malloc(1 << 20);
    unsigned sum = 0;
    memset(image, 3, 1 << 20);
    for (unsigned i = 0; i < 1 << 20; i += 4096) {
        sum += image[i];
    }
    printf("%u\n", sum);
    return 0;
}
