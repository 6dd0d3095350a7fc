/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What every program of a simulated platform does before its first job. */
#ifndef LAXITY_SIM_TARGET_SETTLE_H
#define LAXITY_SIM_TARGET_SETTLE_H

#include <stdio.h>
#include <stdlib.h>

/* By this its executable is known, too. */
#define LAXITY_SIM_BY_HAND "a program of a simulated platform: started by laxity-sim\n"

enum {
    /* qsort asks how much memory there is when it first sorts so much. */
    LAXITY_SIM_SORTED = 32,
    LAXITY_SIM_SORTED_BYTES = 32,
};

static int compare_first(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

/*
 * What the C library asks of the machine once is asked before the first job. Whatever the standard
 * streams are, a program does the same: left to itself the C library asks what they are when it
 * first uses them, and allocates as much as suits that.
 */
static void settle(void)
{
    static char sorted[LAXITY_SIM_SORTED * LAXITY_SIM_SORTED_BYTES];
    static char input[BUFSIZ];
    static char output[BUFSIZ];
    (void)setvbuf(stdin, input, _IOFBF, sizeof input);
    (void)setvbuf(stdout, output, _IOFBF, sizeof output);
    qsort(sorted, LAXITY_SIM_SORTED, LAXITY_SIM_SORTED_BYTES, compare_first);
}

#endif
