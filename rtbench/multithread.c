/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Threads that are released with each job. A port that calls any function of multithread.h makes
 * the linker take this object, and its constructor with it; no other job comes through here.
 */
#include "harness/workload_ops.h"

#include <laxity/hooks.h>

#include <errno.h>
#include <multithread.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct worker {
    pthread_t thread;
    void *(*work)(void *);
    void *argument;
    uint64_t jobs_before; /* released before it existed: none of its business */
    struct worker *next;
};

/* All under `lock`; `released` is signalled when a job or the end has come, `returned` when the
 * last thread of a job has. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER;
static struct worker *workers;
static unsigned n_workers;
static unsigned n_working;
static uint64_t n_jobs;
static bool is_in_job;
static enum thread_execution_status status = MULTITHREAD_DISABLED;

/* Waits for the job behind the first `n_done`; false at the end. */
static bool wait_for_job(uint64_t n_done)
{
    (void)pthread_mutex_lock(&lock);
    while (n_jobs == n_done && status > MULTITHREAD_DISABLED) {
        (void)pthread_cond_wait(&released, &lock);
    }
    const bool is_there = n_jobs != n_done;
    (void)pthread_mutex_unlock(&lock);
    return is_there;
}

static void *work_in_each_job(void *argument)
{
    const struct worker *self = argument;
    /* One at a time: the next job is not released before all have returned from this one. */
    for (uint64_t n_done = self->jobs_before; wait_for_job(n_done); n_done++) {
        (void)self->work(self->argument);
        (void)pthread_mutex_lock(&lock);
        n_working--;
        if (n_working == 0) {
            (void)pthread_cond_signal(&returned);
        }
        (void)pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int create_bench_thread(pthread_attr_t *_attr, void *(*func)(void *), void *arg)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker) {
        return -1;
    }
    worker->work = func;
    worker->argument = arg;
    (void)pthread_mutex_lock(&lock);
    worker->jobs_before = n_jobs;
    const enum thread_execution_status before = status;
    if (status == MULTITHREAD_DISABLED) {
        status = MULTITHREAD_INITIALIZING;
    }
    const int rc = pthread_create(&worker->thread, _attr, work_in_each_job, worker);
    if (rc == 0) {
        worker->next = workers;
        workers = worker;
        n_workers++;
    } else {
        status = before;
    }
    (void)pthread_mutex_unlock(&lock);
    if (rc) {
        free(worker);
        errno = rc;
        return -1;
    }
    return 0;
}

void destroy_bench_threads(void)
{
    (void)set_multithread_status(MULTITHREAD_DISABLED);
    (void)pthread_mutex_lock(&lock);
    struct worker *worker = workers;
    workers = NULL;
    n_workers = 0;
    (void)pthread_mutex_unlock(&lock);
    while (worker) {
        struct worker *next = worker->next;
        (void)pthread_join(worker->thread, NULL);
        free(worker);
        worker = next;
    }
}

enum thread_execution_status get_multithread_status(void)
{
    (void)pthread_mutex_lock(&lock);
    const enum thread_execution_status now = status;
    (void)pthread_mutex_unlock(&lock);
    return now;
}

int set_multithread_status(enum thread_execution_status wanted)
{
    (void)pthread_mutex_lock(&lock);
    const bool is_failed = status == MULTITHREAD_ERR;
    if (!is_failed) {
        status = wanted;
    }
    (void)pthread_cond_broadcast(&released);
    (void)pthread_cond_signal(&returned);
    (void)pthread_mutex_unlock(&lock);
    return is_failed ? -1 : 0;
}

int main_thread_sync_start(void)
{
    (void)pthread_mutex_lock(&lock);
    if (status > MULTITHREAD_DISABLED && !is_in_job) {
        is_in_job = true;
        status = MULTITHREAD_ENABLED;
        n_working = n_workers;
        n_jobs++;
        (void)pthread_cond_broadcast(&released);
    }
    const bool is_failed = status == MULTITHREAD_ERR;
    (void)pthread_mutex_unlock(&lock);
    return is_failed ? -1 : 0;
}

int main_thread_sync_end(void)
{
    (void)pthread_mutex_lock(&lock);
    while (is_in_job && n_working > 0 && status != MULTITHREAD_ERR) {
        (void)pthread_cond_wait(&returned, &lock);
    }
    is_in_job = false;
    if (status > MULTITHREAD_DISABLED) {
        status = MULTITHREAD_WAITING_END;
    }
    const bool is_failed = status == MULTITHREAD_ERR;
    (void)pthread_mutex_unlock(&lock);
    return is_failed ? -1 : 0;
}

/* The job: from the release of its threads until the last of them has returned. */
static void execute_with_threads(int argc, void **argv)
{
    int rc = main_thread_sync_start();
    if (rc == 0) {
        benchmark_execution(argc, argv);
        rc = main_thread_sync_end();
    }
    if (rc) {
        laxity_job_failed("one of the workload's threads said MULTITHREAD_ERR");
    }
}

__attribute__((constructor)) static void set_ops(void)
{
    laxity_workload_ops()->execute = execute_with_threads;
}
