/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* One job of a task: wait for its release, run it, read what it took, publish its record. */
#ifndef LAXITY_HARNESS_JOB_H
#define LAXITY_HARNESS_JOB_H

#include "counters/counters.h"
#include "harness/segment.h"
#include "harness/threads.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* Everything the loop needs, set up before the first release; nothing is allocated afterwards. */
struct laxity_engine {
    struct laxity_segment *segment;
    struct laxity_task *task;
    struct laxity_job_record *ring;
    void (*execute)(int argc, void **argv); /* a job */
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
    int segment_fd; /* closed by exec */
    uint32_t index; /* of the task */
    char **argv;    /* of this process */
};

/* What the thread had used before it slept until a release: read there, it costs nothing between
 * release and finish. */
struct laxity_usage_before {
    struct rusage usage;
    bool is_read;    /* false: the release was too near or past, it is read after it */
    int32_t n_waits; /* the sleeps of our own behind it: each is one voluntary switch */
};

/* The job that is next or running: where its record is written. */
struct laxity_current_job {
    struct laxity_job_record *record;
    bool is_lost;
};

/*
 * laxity_engine_calibrate - measure what an empty pair of snapshots costs and store the medians in
 * the task's state
 *
 * To be called under the policy that the jobs will have.
 */
void laxity_engine_calibrate(const struct laxity_engine *engine);

/* laxity_engine_wait - sleep until the release unless it is past; false if the run is to stop */
bool laxity_engine_wait(
    const struct laxity_engine *engine,
    int64_t release_ns,
    int64_t now_ns,
    struct laxity_usage_before *out_before
);

bool laxity_engine_must_stop(const struct laxity_engine *engine);

/* laxity_engine_run_job - the job, its snapshots and its record. Returns when it finished. */
int64_t laxity_engine_run_job(
    const struct laxity_engine *engine,
    const struct laxity_current_job *current,
    const struct laxity_usage_before *slept
);

/*
 * laxity_engine_publish - the record is complete
 *
 * Before job_start_ns says that no job runs: at a kill in between it is one or the other.
 */
void laxity_engine_publish(
    const struct laxity_engine *engine, const struct laxity_current_job *current
);

/* laxity_engine_note_abort - a job was aborted, and the task goes on; wait_status 0 = its process
 * lives */
void laxity_engine_note_abort(
    const struct laxity_engine *engine,
    const struct laxity_job_record *record,
    enum laxity_end cause,
    int wait_status
);

/* laxity_note_isolating - what isolating one job from the others took */
void laxity_note_isolating(struct laxity_isolating *isolating, int64_t took_ns);

#endif
