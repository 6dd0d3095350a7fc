/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The threads of a task beside its main one, which runs the hooks: under the task's policy, without
 * signals of ours, and accounted to its jobs.
 *
 * A task that declares one thread is only looked at: before the first release, after its first job
 * and after its last. With more, each job ends with a look at all threads, outside the figures of
 * the job, and counts what they used since the look before.
 */
#ifndef LAXITY_HARNESS_THREADS_H
#define LAXITY_HARNESS_THREADS_H

#include "harness/segment.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

enum {
    /* Threads that a look finds; more than this are not looked for. */
    LAXITY_THREADS_FOUND_MAX = 256,
    LAXITY_THREADS_FOREIGN_MAX = 8,
};

struct laxity_threads {
    int fd;      /* of the list, negative = there is none */
    int own_tid; /* the main thread's */
    /* Not the workload's, but of what runs the program: an emulator has some of its own. */
    int32_t foreign_tids[LAXITY_THREADS_FOREIGN_MAX];
    unsigned n_foreign;
    struct laxity_task *task; /* NULL for a co-runner */
    bool is_measured;         /* the run has columns that would be wrong */
    int64_t looked_ns;
    /* Of all other threads, at the last look. */
    int64_t time_ns;
    struct rusage usage;
    int64_t time_high_ns; /* at the first look: not more than this */
};

/* laxity_threads_begin - in a process that has not called the workload yet. `task` NULL: a
 * co-runner */
void laxity_threads_begin(
    struct laxity_threads *threads, struct laxity_task *task, enum laxity_snapshots snapshots
);

/* laxity_threads_hold_signals - SIGTERM and SIGXCPU wait, in this thread and those that it makes */
void laxity_threads_hold_signals(void);

/* laxity_threads_take_signals - the main thread gets them again; its threads do not */
void laxity_threads_take_signals(void);

/*
 * laxity_threads_apply_policy - put all other threads of the process under the policy in force
 *
 * Nothing to do for OTHER. Returns 0, or -1 with state->error set.
 */
int laxity_threads_apply_policy(
    const struct laxity_threads *threads,
    const struct laxity_process_config *config,
    struct laxity_process_state *state
);

/* laxity_threads_look - before the first release, after the first job, after the last one: are
 * there more than declared? */
void laxity_threads_look(struct laxity_threads *threads);

/* laxity_threads_count_job - add to the record what the other threads used since the last look */
void laxity_threads_count_job(
    struct laxity_threads *threads, enum laxity_snapshots mode, struct laxity_job_record *record
);

#endif
