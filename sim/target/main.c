/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The harness of a program on a simulated platform: its jobs back to back, their borders as marks.
 *
 *   PROGRAM JOBS WORD...
 *
 * There is no clock, no sleep and no segment: when a job is released and how long it takes is the
 * business of the platform, which sees nothing but what the program executes and accesses.
 */
#include "harness/mark_table.h"
#include "harness/marks.h"
#include "settle.h"

#include <laxity/hooks.h>

#include <stdio.h>
#include <stdlib.h>

enum {
    USAGE = 2,
    DECIMAL = 10,
};

void laxity_job_failed(const char *reason)
{
    (void)fprintf(stderr, "%s\n", reason);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fputs(LAXITY_SIM_BY_HAND, stderr);
        return USAGE;
    }
    const unsigned long long jobs = strtoull(argv[1], NULL, DECIMAL);
    const int n_words = argc - 2;
    void **words = (void **)(argv + 2);
    settle();
    if (benchmark_init(n_words, words) < 0) {
        return EXIT_FAILURE;
    }
    for (unsigned long long job = 0; job < jobs; job++) {
        laxity_mark_table[LAXITY_MARK_JOB_START] = 1;
        benchmark_execution(n_words, words);
        laxity_mark_table[LAXITY_MARK_JOB_FINISH] = 1;
    }
    benchmark_teardown(n_words, words);
    return EXIT_SUCCESS;
}
