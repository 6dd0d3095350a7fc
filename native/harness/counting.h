/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The events of a run: tried once by the supervisor, opened by every task for itself. */
#ifndef LAXITY_HARNESS_COUNTING_H
#define LAXITY_HARNESS_COUNTING_H

#include "counters/counters.h"
#include "harness/plan.h"
#include "harness/segment.h"

#include <stdint.h>

/* laxity_sample_slots - size of a task's ring of samples; 0 = the plan asks for none */
uint32_t laxity_sample_slots(const struct laxity_run_plan *plan);

/*
 * laxity_fill_counting - what the plan asks for, into segment->counting
 *
 * To be called once the CPUs of all tasks stand in the segment: samplers get one that no task uses.
 */
void laxity_fill_counting(const struct laxity_run_plan *plan, struct laxity_segment *segment);

/*
 * laxity_try_counters - find out what of segment->counting this machine counts
 *
 * To be called before any task exists. What cannot be counted is taken out (its platform_event
 * becomes empty) and noted in counting.fallbacks, one note per reason.
 */
void laxity_try_counters(struct laxity_counting *counting);

/* laxity_open_counters - for the calling thread, which will run the jobs; sets counted_events */
void laxity_open_counters(
    const struct laxity_counting *asked,
    struct laxity_task_state *state,
    struct laxity_counters *out_counters
);

#endif
