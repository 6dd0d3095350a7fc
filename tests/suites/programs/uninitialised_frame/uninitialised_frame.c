/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Adds up a part of main's own frame that nobody has set, as a hash that fills only the rest. */
#include <stdio.h>
#include <string.h>

enum {
    BLOCK_BYTES = 128,
    SET_BYTES = 64
};

static unsigned __attribute__((noinline)) add(const volatile unsigned char *block)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < BLOCK_BYTES; i++) {
        sum = sum * 31 + block[i];
    }
    return sum;
}

int main(void)
{
    volatile unsigned char block[BLOCK_BYTES];
    memset((void *)block, 1, SET_BYTES);
    printf("%u\n", add(block));
    memset((void *)block, 2, BLOCK_BYTES);
    return 0;
}
