/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The engine of a simulated platform: executes tasks in virtual time.
 *
 * So far all tasks share one core, under fixed priorities. Times are counted in ticks of the core's
 * clock and given in nanoseconds, rounded up, so that what follows something never lies before it.
 */
#ifndef LAXITY_SIM_ENGINE_H
#define LAXITY_SIM_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"
#include "harness/release.h"

struct laxity_sim_cache {
    uint64_t size_bytes;
    uint32_t ways;
    uint32_t line_bytes;
    uint32_t miss_ticks; /* what finding a line in the next level takes more than in this one */
};

/* What of a platform file the model knows. Sizes, ways and lines have been checked. */
struct laxity_sim_platform {
    uint64_t clock_hz;
    uint32_t instruction_ticks;
    uint32_t switch_ticks; /* from one task to another */
    struct laxity_sim_cache l1i;
    struct laxity_sim_cache l1d;
    struct laxity_sim_cache l2;
};

/* A task: its program, and when its jobs are released. */
struct laxity_sim_task {
    char **argv; /* an emulator, whose words load the front end with fd=3, and the program */
    struct laxity_releases releases;
    int32_t priority;   /* a larger one preempts */
    uint64_t jobs;      /* ends after so many have started; 0 = without end */
    int64_t timeout_ns; /* ends with a job that is not finished so long after its start */
};

/* What a job has taken so far. Its parts sum to its execution. */
struct laxity_sim_job {
    uint32_t task;
    uint64_t ordinal; /* how many of the task's jobs were started before */
    uint64_t job;
    int64_t start_ns;
    int64_t finish_ns; /* 0 = it has only started */
    int64_t exec_ns;
    int64_t busy_ns;
    int64_t stall_own_ns;    /* for lines that the task had not used, or had evicted itself */
    int64_t stall_reload_ns; /* for lines that another task had evicted */
    uint32_t preemptions;
};

/* Why the jobs of a task ended. */
enum laxity_sim_end {
    LAXITY_SIM_END_JOBS,
    LAXITY_SIM_END_LIMIT,
    LAXITY_SIM_END_STOPPED, /* the caller wanted no further job */
    LAXITY_SIM_END_INTERRUPT,
    LAXITY_SIM_END_FAILED,  /* error says why */
    LAXITY_SIM_END_TIMEOUT, /* likewise */
};

/* What the engine tells, and asks, in the order of virtual time. */
struct laxity_sim_listener {
    void *context;
    /* A job has started, or finished. Not 0: no further job starts. */
    int (*on_start)(void *context, const struct laxity_sim_job *job);
    int (*on_finish)(void *context, const struct laxity_sim_job *job);
    /* A task runs no further job. */
    void (*on_end)(
        void *context,
        uint32_t task,
        enum laxity_sim_end end,
        int64_t end_ns,
        const struct laxity_error *error
    );
    /* Asked now and then, in real time: shall the run end at once? */
    bool (*must_stop)(void *context);
};

/*
 * laxity_simulate - execute the tasks until all have ended
 *
 * No job starts at limit_ns or later. Returns 0, or -1 with error set if a program cannot be
 * started; then nothing was told.
 */
int laxity_simulate(
    const struct laxity_sim_platform *platform,
    const struct laxity_sim_task *tasks,
    uint32_t n_tasks,
    int64_t limit_ns,
    const struct laxity_sim_listener *listener,
    struct laxity_error *error
);

#ifdef __cplusplus
}
#endif

#endif
