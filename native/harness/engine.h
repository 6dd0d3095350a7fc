/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The periodic loop of one task. */
#ifndef LAXITY_HARNESS_ENGINE_H
#define LAXITY_HARNESS_ENGINE_H

#include "counters/counters.h"
#include "harness/segment.h"
#include "harness/threads.h"

#include <signal.h>
#include <stdint.h>

/* Everything the loop needs, set up before the first release; nothing is allocated afterwards. */
struct laxity_engine {
    struct laxity_segment *segment;
    struct laxity_task *task;
    struct laxity_job_record *ring;
    int workload_argc;
    void **workload_argv;
    int32_t tid;
    int has_ticks;
    struct laxity_counters counters; /* no group: nothing is counted */
    uint64_t rttime_soft_us;         /* 0 = no limit in force */
    uint64_t rttime_hard_us;
    const volatile sig_atomic_t *stop;        /* set by the handler of SIGTERM */
    volatile sig_atomic_t *rttime_is_reached; /* set by the handler of SIGXCPU */
    struct laxity_threads *threads;
    int is_forking; /* the task declares more threads than one: they count in its jobs */
};

/*
 * laxity_engine_calibrate - measure what an empty pair of snapshots costs and store the medians in
 * the task's state
 *
 * To be called under the policy that the jobs will have.
 */
void laxity_engine_calibrate(const struct laxity_engine *engine);

/*
 * laxity_engine_run - release jobs until the task's end, which is stored in its state (end, end_ns)
 *
 * t0 must be published. The ring and the engine must be locked in memory.
 */
void laxity_engine_run(const struct laxity_engine *engine);

#endif
