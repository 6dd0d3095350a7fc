/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Regulator of a simulated platform: the policy decides, the engine's observer carries it out. */
#ifndef LAXITY_SIM_REGULATOR_H
#define LAXITY_SIM_REGULATOR_H

#include "base/error.h"
#include "base/npy.h"
#include "interface/engine.h"
#include "regulator/jobs.h"
#include "regulator/plan.h"
#include "regulator/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct laxity_sim_regulator {
    bool is_asked;
    struct laxity_regulation_plan plan;
    struct laxity_regulation policy;
    struct laxity_sim_observer observer;
    struct laxity_npy stream;
    uint64_t best_effort; /* set of cores of co-runners alone */
    uint64_t ticks_per_s[2];
    uint32_t line_bytes;
    uint32_t n_cores;
    uint64_t lines; /* at the last reading */
    uint64_t best_effort_lines;
    bool is_running;    /* best-effort work may run, or is still being stopped */
    int64_t stopped_ns; /* when a stop is complete; INT64_MAX: there is none */
    struct laxity_regulated_jobs jobs;
    struct laxity_sim_job last; /* that has finished */
    int write_rc;               /* 0 or -errno, of the stream */
};

/* laxity_sim_regulator_read - the plan in a file; returns 0, or -1 with error set */
int laxity_sim_regulator_read(
    const char *path, struct laxity_sim_regulator *out_regulator, struct laxity_error *error
);

/*
 * laxity_sim_regulator_begin - the observer of a simulation; regulation.npy is made in dir_fd
 *
 * `tasks` are those of the simulation, co-runners included. Returns 0, or -1 with error set: no
 * task of that number, or no core of co-runners alone.
 */
int laxity_sim_regulator_begin(
    struct laxity_sim_regulator *regulator,
    const struct laxity_sim_platform *platform,
    const struct laxity_sim_task *tasks,
    uint32_t n_tasks,
    int dir_fd,
    struct laxity_error *error
);

/* laxity_sim_regulator_note - a job of any task has finished */
void laxity_sim_regulator_note(
    struct laxity_sim_regulator *regulator, const struct laxity_sim_job *job
);

/* laxity_sim_regulator_end - judges a last job that no reading saw end, and closes the stream;
 * error is set if jobs were outside the promise. Returns 0 or -errno of the stream. */
int laxity_sim_regulator_end(struct laxity_sim_regulator *regulator, struct laxity_error *error);

#endif
