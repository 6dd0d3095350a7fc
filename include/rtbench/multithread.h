/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Threads of a program that was ported to RT-Bench's newer versions, which the harness releases
 * with each job: those of a port that calls create_bench_thread. Written from its documented
 * interface.
 *
 * A job begins when all of them are released, goes on with benchmark_execution, and ends when that
 * and all of them have returned. Under -f they have its priority, as all threads of a port.
 */
#ifndef LAXITY_RTBENCH_MULTITHREAD_H
#define LAXITY_RTBENCH_MULTITHREAD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): the C library's */
#endif

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

enum thread_execution_status {
    MULTITHREAD_ERR = -1,
    MULTITHREAD_DISABLED = 0,  /* there are no threads, or they are to end */
    MULTITHREAD_INITIALIZING,  /* some are made, no job has begun yet */
    MULTITHREAD_WAITING_START, /* of RT-Bench's harness; here never set by itself */
    MULTITHREAD_ENABLED,       /* a job runs */
    MULTITHREAD_WAITING_END    /* between two jobs */
};

/*
 * create_bench_thread - make a thread that calls func(arg) once in each job
 *
 * From benchmark_init, or in a job for the jobs after it. `_attr` as of pthread_create. Returns 0,
 * or -1 with errno set.
 */
int create_bench_thread(pthread_attr_t *_attr, void *(*func)(void *), void *arg);

/* destroy_bench_threads - end them and wait for their ends. Where a port does not, the end of the
 * program ends them. */
void destroy_bench_threads(void);

/*
 * set_multithread_status - MULTITHREAD_ERR, from any thread: the job is over and the run fails;
 * MULTITHREAD_DISABLED: the threads end once they have returned from the job that runs
 *
 * The other values are stored and do nothing. Returns 0, or -1 if there was an error before.
 */
int set_multithread_status(enum thread_execution_status status);
enum thread_execution_status get_multithread_status(void);

/* What the harness calls around each job; a port need not, and may: the second of two calls does
 * nothing. Return 0, or -1 after MULTITHREAD_ERR. */
int main_thread_sync_start(void);
int main_thread_sync_end(void);

#ifdef __cplusplus
}
#endif

#endif
