/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Tasks of a simulated platform that do what their caller says next.
 *
 * A probe is a program that acts, waits, looks at the clock and acts again; the engine calls
 * whoever wants to know what has happened. So the engine runs in a thread of its own, and exactly
 * one of the two goes on at any time: the probe, until it waits for a job to finish; then the
 * engine, until that has.
 */
#ifndef LAXITY_SIM_MEASURE_STAGE_H
#define LAXITY_SIM_MEASURE_STAGE_H

#include "base/error.h"
#include "interface/builtin.h"
#include "interface/engine.h"

#include <stddef.h>
#include <stdint.h>

/* By priority, the lowest first; from LAXITY_SIM_ORDINARY on those below all of them. */
enum laxity_sim_actor {
    LAXITY_SIM_BELOW,
    LAXITY_SIM_VICTIM,
    LAXITY_SIM_ABOVE,
    LAXITY_SIM_ORDINARY,
};

/* What is to be done. */
struct laxity_sim_act {
    uint32_t actor;
    uint32_t core;
    int64_t release_ns; /* passed: at once */
    const struct laxity_sim_loop *loops;
    size_t n_loops;
    /* May be NULL. Called when it has finished, while the engine goes on; may begin other acts. */
    void (*on_done)(void *context, const struct laxity_sim_job *job);
    void *context;
};

struct laxity_sim_stage;

/* Returns NULL without memory. The placer is that of all actors, of which `n_ordinary` are ordinary
 * tasks. */
struct laxity_sim_stage *laxity_sim_stage_open(
    const struct laxity_sim_platform *platform, struct laxity_sim_placer placer, uint32_t n_ordinary
);
void laxity_sim_stage_close(struct laxity_sim_stage *stage);

/* laxity_sim_stage_begin - let an actor that has nothing to do do this */
void laxity_sim_stage_begin(struct laxity_sim_stage *stage, const struct laxity_sim_act *act);

/*
 * laxity_sim_stage_await - until an actor has done what it has begun
 *
 * Returns 0, or -1 with error set: the simulation has ended.
 */
int laxity_sim_stage_await(
    struct laxity_sim_stage *stage,
    uint32_t actor,
    struct laxity_sim_job *out_job,
    struct laxity_error *error
);

#endif
