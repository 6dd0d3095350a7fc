/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The functions of BEEBS, whose check says by -1 that it checks nothing: what the job returns is
 * its result, and comes from rand() without srand() here. */
#include <stdlib.h>

void initialise_benchmark(void);
int benchmark(void);
int verify_benchmark(int result);

void initialise_benchmark(void) {}

int benchmark(void)
{
    return rand();
}

int verify_benchmark(int result)
{
    (void)result;
    return -1;
}
