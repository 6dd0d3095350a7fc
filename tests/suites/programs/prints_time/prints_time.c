/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Prints how long it took: no two outputs are alike. */
#include <stdio.h>
#include <time.h>

int main(void)
{
    struct timespec begin;
    struct timespec now;
    volatile unsigned sum = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned i = 0; i < 1000; i++) {
        sum += i;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf(
        "%u in %ld ns at %ld.%09ld\n",
        sum,
        now.tv_nsec - begin.tv_nsec,
        (long)now.tv_sec,
        now.tv_nsec
    );
    return 0;
}
