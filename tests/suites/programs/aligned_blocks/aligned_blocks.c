/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Takes blocks at whole pages and gives them back: malloc has more to look through in each later
 * job. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BLOCKS = 10,
    BLOCK_BYTES = 960,
    PAGE_BYTES = 4096,
};

int main(void)
{
    unsigned char *blocks[BLOCKS];
    unsigned sum = 0;
    for (int i = 0; i < BLOCKS; i++) {
        void *block = NULL;
        if (posix_memalign(&block, PAGE_BYTES, BLOCK_BYTES) != 0) {
            return 1;
        }
        blocks[i] = block;
        blocks[i][0] = (unsigned char)i;
    }
    for (int i = 0; i < BLOCKS; i++) {
        sum += blocks[i][0];
        free(blocks[i]);
    }
    printf("%u\n", sum);
    return 0;
}
