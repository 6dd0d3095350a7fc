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

#include <laxity/hooks.h>

#include <stdio.h>
#include <stdlib.h>

enum {
    USAGE = 2,
    DECIMAL = 10,
    /* qsort asks how much memory there is when it first sorts so much. */
    SORTED = 32,
    SORTED_BYTES = 32,
};

/* Whatever the standard streams are, a program does the same: left to itself the C library asks
 * what they are when it first uses them, and allocates as much as suits that. */
static char input[BUFSIZ];
static char output[BUFSIZ];

void laxity_job_failed(const char *reason)
{
    (void)fprintf(stderr, "%s\n", reason);
    exit(EXIT_FAILURE);
}

static int compare_first(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

/* What the C library asks of the machine once is asked before the first job. */
static void settle(void)
{
    static char sorted[SORTED * SORTED_BYTES];
    (void)setvbuf(stdin, input, _IOFBF, sizeof input);
    (void)setvbuf(stdout, output, _IOFBF, sizeof output);
    qsort(sorted, SORTED, SORTED_BYTES, compare_first);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fputs("a program of a simulated platform: started by laxity-sim\n", stderr);
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
