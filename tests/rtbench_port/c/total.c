/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A port without a value of its own: 13 columns. Fails if it was given other than one word. */
#include "logging.h"
#include "periodic_benchmark.h"
#include "squares.h"

static long *totals;
static long n_totals;

int benchmark_init(int parameters_num, void **parameters)
{
    if (parameters_num != 1) {
        elogf(LOG_LEVEL_ERR, "wants one word, not %d\n", parameters_num);
        return -1;
    }
    n_totals = atol(parameters[0]);
    totals = calloc((size_t)n_totals, sizeof *totals);
    return totals ? 0 : -1;
}

void benchmark_execution(int parameters_num, void **parameters)
{
    for (long i = 1; i < n_totals; i++) {
        totals[i] = totals[i - 1] + square(i);
    }
}

void benchmark_teardown(int parameters_num, void **parameters)
{
    free(totals);
}
