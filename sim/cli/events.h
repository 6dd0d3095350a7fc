/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What is counted in each job of a simulated platform: schema/platform.toml, model_event. */
#ifndef LAXITY_SIM_EVENTS_H
#define LAXITY_SIM_EVENTS_H

#include "base/error.h"
#include "counters/counters.h"
#include "counters/event.h"
#include "harness/segment.h"
#include "interface/engine.h"

#include <stdint.h>

/*
 * laxity_sim_events_resolve - the events that were asked for become those of the model
 *
 * Returns 0, or -1 with error set (exit 2): the model does not count one.
 */
int laxity_sim_events_resolve(struct laxity_event *events, unsigned n, struct laxity_error *error);

/* laxity_sim_events_begin - all tasks count them */
void laxity_sim_events_begin(struct laxity_segment *segment);

/* laxity_sim_events_count - the events of what was taken, in a job or so far; none is estimated */
void laxity_sim_events_count(
    const struct laxity_counting *counting,
    const struct laxity_sim_platform *platform,
    uint32_t cycle_ticks,
    const struct laxity_sim_taken *taken,
    struct laxity_counts *out_counts
);

#endif
