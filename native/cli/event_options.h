/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* --event, --sample-bucket, --sample-cpu: text → plan. */
#ifndef LAXITY_CLI_EVENT_OPTIONS_H
#define LAXITY_CLI_EVENT_OPTIONS_H

#include "base/cpus.h"
#include "base/error.h"
#include "harness/plan.h"

#include <stdint.h>

enum {
    /* Below this a sampler takes a tenth of its CPU: a sample costs microseconds. */
    LAXITY_SAMPLE_BUCKET_MIN_NS = 100000
};

struct laxity_event_options {
    struct laxity_words names;
    int64_t sample_bucket_ns; /* LAXITY_ABSENT_NS = no samples */
    struct laxity_cpus sample_cpus;
};

/*
 * laxity_take_events - resolve the names and check what belongs together
 *
 * plan->snapshots must be set. Returns 0, or -1 with error set (exit 2).
 */
int laxity_take_events(
    const struct laxity_event_options *options,
    struct laxity_run_plan *plan,
    struct laxity_error *error
);

#endif
