/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Adds up an array that nobody has set: zeros of a fresh stack, or what the job before left there.
 */
#include <stdio.h>

enum {
    FRAME_BYTES = 192 * 1024, /* deeper than anything that runs before main */
    USED_BYTES = 4096
};

static unsigned __attribute__((noinline)) read_frame(void)
{
    volatile unsigned char frame[FRAME_BYTES];
    unsigned sum = 0;
    for (unsigned i = 0; i < USED_BYTES; i++) {
        sum += frame[i];
    }
    return sum;
}

static void __attribute__((noinline)) write_frame(void)
{
    volatile unsigned char frame[FRAME_BYTES];
    for (unsigned i = 0; i < USED_BYTES; i++) {
        frame[i] = (unsigned char)(i * 7);
    }
}

int main(void)
{
    const unsigned sum = read_frame();
    write_frame();
    printf("%u\n", sum);
    return 0;
}
