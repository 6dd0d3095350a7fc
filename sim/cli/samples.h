/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* counters.npy of a simulated platform: what its tasks, and all of it, have counted since t0. */
#ifndef LAXITY_SIM_SAMPLES_H
#define LAXITY_SIM_SAMPLES_H

#include "counters/counters.h"
#include "harness/sample_stream.h"
#include "interface/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct laxity_sim_run;

struct laxity_sim_samples {
    struct laxity_sample_stream stream;
    struct laxity_counts at_t0; /* by the whole platform: co-runners begin before */
    int64_t logged_count;       /* of the event that decides what is logged, when something was */
    uint32_t n_waiting;         /* in the log */
    int64_t leaves_ns;          /* the first of them */
};

/*
 * laxity_sim_samples_put - the rows of a sample; that of t0 is what the others are counted from
 *
 * They are written at once, so that a run that is killed has them. Returns 0 or -errno.
 */
int laxity_sim_samples_put(
    struct laxity_sim_run *simulation, const struct laxity_sim_sample *sample, bool is_t0
);

/*
 * laxity_sim_samples_mark - the rows of one task at a mark: what its phases count is exact
 *
 * A log (`above`) has none of them, as on a board. Returns 0 or -errno.
 */
int laxity_sim_samples_mark(
    struct laxity_sim_run *simulation,
    uint32_t task,
    int64_t time_ns,
    const struct laxity_sim_taken *taken
);

#endif
