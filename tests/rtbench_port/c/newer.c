/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A port to newer versions of RT-Bench, which print by ologf and log to a file that the harness
 * opens or not. */
#include "logging.h"
#include "periodic_benchmark.h"

static volatile int sum;

int benchmark_init(int parameters_num, void **parameters)
{
    FILE *own = open_output_file("default.log", "newer", ".log", "w");
    (void)parameters;
    if (!own) {
        return -1;
    }
    flogf(LOG_LEVEL_FILE, own, "kept\n");
    flogf(LOG_LEVEL_FILE, log_filep, "hidden: %d\n", parameters_num);
    ologf(LOG_LEVEL_INFO, "shown: %d\n", 3);
    return close_output_file(own);
}

void benchmark_execution(int parameters_num, void **parameters)
{
    (void)parameters_num;
    (void)parameters;
    for (int i = 0; i < 100; i++) {
        sum += i;
    }
}

void benchmark_teardown(int parameters_num, void **parameters)
{
    (void)parameters_num;
    (void)parameters;
}
