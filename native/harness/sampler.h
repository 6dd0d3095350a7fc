/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A thread in the task's process that reads the task's counters at equal distances, so that one
 * sees what happens within a job. It writes into a ring of its own and never waits for anybody.
 */
#ifndef LAXITY_HARNESS_SAMPLER_H
#define LAXITY_HARNESS_SAMPLER_H

#include "harness/job.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

struct laxity_sampler {
    const struct laxity_engine *engine;
    pthread_t thread;
    sem_t start;     /* posted once the task has its policy and its counters */
    sem_t is_placed; /* posted once it is on its CPU under its policy */
    sem_t go;        /* posted once t0 is published */
    sem_t stop;      /* posted at the task's end */
    int64_t stop_ns; /* set before `stop` is posted */
    int placement_rc;
    int is_running;
};

/*
 * laxity_sampler_make - make the thread, which then waits
 *
 * To be called before the workload's memory is counted and locked: the thread is no part of the
 * first, its stack of the second. Does nothing if no sampling is asked for. Returns 0, or -1 with
 * the task's error set.
 */
int laxity_sampler_make(struct laxity_sampler *sampler, const struct laxity_engine *engine);

/* laxity_sampler_place - onto its CPU and above its task, whose policy and counters must be there.
 * Returns 0, or -1 with the task's error set. */
int laxity_sampler_place(struct laxity_sampler *sampler);

/* laxity_sampler_go - t0 is published */
void laxity_sampler_go(struct laxity_sampler *sampler);

/* laxity_sampler_stop - and wait for its end, however long the bucket is */
void laxity_sampler_stop(struct laxity_sampler *sampler);

#endif
