/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A run on a simulated platform. */
#ifndef LAXITY_SIM_SIMULATION_H
#define LAXITY_SIM_SIMULATION_H

#include "cli/calls.h"
#include "cli/gather.h"
#include "cli/marks.h"
#include "cli/places.h"
#include "cli/regulator.h"
#include "cli/samples.h"
#include "cli/schedule.h"
#include "cli/settings.h"
#include "harness/job_stream.h"
#include "harness/launch.h"
#include "harness/mark_stream.h"
#include "harness/plan.h"
#include "harness/segment.h"
#include "interface/emulator.h"
#include "interface/engine.h"
#include "interface/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the platform. */
struct laxity_sim_settings {
    struct laxity_sim_platform platform;
    struct laxity_sim_instructions instructions;
    struct laxity_sim_placed *placed;
    size_t n_placed;
    bool is_traced;
    bool interrupts; /* to take samples */
    struct {
        bool is_asked; /* only those are logged in which an event has grown by so much */
        uint32_t event;
        int64_t count;
    } above;
    struct laxity_sim_regulator *regulator;
};

struct laxity_sim_run {
    const struct laxity_run_plan *plan;
    const struct laxity_sim_settings *settings;
    struct laxity_launch launch;
    struct laxity_segment *segment;
    struct laxity_job_stream stream;
    uint32_t n_programs;
    struct laxity_sim_task *tasks; /* behind them the co-runners; so of all that follows */
    struct laxity_sim_emulator **emulators;
    struct laxity_sim_calls *calls;
    struct laxity_sim_mark *marks; /* that tasks are in */
    struct laxity_sim_layout *layouts;
    struct laxity_sim_places *places;
    struct laxity_asked *corunners_asked; /* of the co-runners alone: tasks have theirs */
    struct laxity_sim_gather gather;
    struct laxity_sim_schedule schedule;
    struct laxity_sim_samples samples;
    struct laxity_mark_stream mark_stream;
    int64_t limit_ns; /* no job starts then */
    int64_t shown_ns; /* of the real clock */
    bool has_failed;  /* something that all tasks end with */
};

/* Asked to end, or nobody is left who waits for the run. */
bool laxity_sim_must_stop(void *context);

#endif
