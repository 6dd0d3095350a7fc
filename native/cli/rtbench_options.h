/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* RT-Bench's command line on a workload executable: text → options. docs/rt-bench.md is its page.
 */
#ifndef LAXITY_CLI_RTBENCH_OPTIONS_H
#define LAXITY_CLI_RTBENCH_OPTIONS_H

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/deadline.h"
#include "cli/rtbench_csv.h"
#include "harness/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* Of -l 2, unless -o names another. */
#define LAXITY_RTBENCH_CSV_PATH "./timing.csv"

enum laxity_rtbench_question {
    LAXITY_RTBENCH_RUN, /* nothing is asked, jobs are to run */
    LAXITY_RTBENCH_HELP,
    LAXITY_RTBENCH_USAGE,
};

struct laxity_rtbench_options {
    enum laxity_rtbench_question question;
    int64_t period_ns;
    int64_t deadline_ns;
    uint64_t jobs;                         /* 0 = until SIGINT */
    uint64_t memory_limit_bytes;           /* 0 = none */
    uint64_t priority;                     /* of FIFO; 0 = the ordinary scheduler */
    struct laxity_reservation reservation; /* of SCHED_DEADLINE; runtime 0 = another policy */
    struct laxity_cpus cpus;               /* empty = as inherited */
    enum laxity_rtbench_level level;
    bool is_profiling;     /* -M */
    int32_t profiling_cpu; /* -1 = one without a task, if there is one */
    int64_t profiling_bucket_ns;
    char *csv_path;               /* with ".csv" */
    char *words_text;             /* what `words` point into */
    struct laxity_words words;    /* of -b */
    struct laxity_words launcher; /* copies */
};

/*
 * laxity_rtbench_options_parse - read argv[1..argc), whose words may change their order
 *
 * Returns 0, or -1 with error set (exit 2, or 3 without memory). laxity_rtbench_options_free gives
 * back what it allocated, in either case. Not thread-safe (getopt).
 */
int laxity_rtbench_options_parse(
    int argc, char **argv, struct laxity_rtbench_options *out_options, struct laxity_error *error
);

void laxity_rtbench_options_free(struct laxity_rtbench_options *options);

/* laxity_rtbench_print_help, laxity_rtbench_print_usage - to stdout */
void laxity_rtbench_print_help(const char *name);
void laxity_rtbench_print_usage(const char *name);

#endif
