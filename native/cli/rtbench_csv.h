/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The jobs of a run as RT-Bench prints them: its 13 columns, then the workload's own ones. */
#ifndef LAXITY_CLI_RTBENCH_CSV_H
#define LAXITY_CLI_RTBENCH_CSV_H

#include "cli/rtbench_profile.h"
#include "counters/event.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* RT-Bench's log levels, by their numbers. */
enum laxity_rtbench_level {
    LAXITY_RTBENCH_ERRORS = 1,
    LAXITY_RTBENCH_FILE = 2,   /* CSV with header */
    LAXITY_RTBENCH_STDOUT = 3, /* CSV without header */
    LAXITY_RTBENCH_HUMAN = 4,
    LAXITY_RTBENCH_DEBUG = 5, /* likewise; ports print more */
};

struct laxity_rtbench_format {
    enum laxity_rtbench_level level;
    int64_t period_ns;
    int64_t rate_hz;    /* of the tick counter; 0 = there is none, and its columns are 0 */
    bool hides_skipped; /* no row for a skipped deadline */
    /* Events of the columns of counters, LAXITY_RTBENCH_COUNTS of them; NULL = no such columns. */
    const struct laxity_event *events;
    struct laxity_rtbench_profile *profile; /* is given the jobs; NULL = none is made */
};

/* laxity_rtbench_rate_hz - rate of the run's tick counter, from RUN_DIR/native.json; 0 = unknown */
int64_t laxity_rtbench_rate_hz(const char *run_dir);

/* laxity_rtbench_lost_samples - those of the run that its sampler was late for; 0 = none, or
 * unknown
 */
int64_t laxity_rtbench_lost_samples(const char *run_dir);

/*
 * laxity_rtbench_write_jobs - RUN_DIR/jobs.npy, written by this machine, to `out`
 *
 * Nothing is written at level 1, and only what format->profile needs is read. Returns 0; -EINVAL if
 * the stream is not one of ours; or -errno.
 */
int laxity_rtbench_write_jobs(
    const char *run_dir, const struct laxity_rtbench_format *format, FILE *out
);

#endif
