/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A port whose threads the harness releases with each job: `threads N [fail]`. Each of N threads
 * adds 1 to a number of its own, benchmark_execution does to another. The value of a job is the
 * sum, which is (N + 1) times the number of jobs so far if and only if each of them ran once in
 * each job and had returned before the job ended. With `fail` the last thread says that it failed
 * in the third job.
 */
#include "logging.h"
#include "multithread.h"
#include "periodic_benchmark.h"

#include <string.h>
#include <time.h>

enum {
    THREADS_MAX = 16
};

static int counts[THREADS_MAX + 1];
static int n_threads;
static int is_failing;

static void *count_one(void *argument)
{
    int *count = argument;
    /* Later than benchmark_execution: whoever does not wait for it reads a sum that is too small.
     */
    const struct timespec while_others_return = {0, 200000};
    nanosleep(&while_others_return, NULL);
    if (get_multithread_status() != MULTITHREAD_ENABLED) {
        return NULL;
    }
    (*count)++;
    if (is_failing && *count == 3 && count == &counts[n_threads - 1]) {
        set_multithread_status(MULTITHREAD_ERR);
    }
    return NULL;
}

int benchmark_init(int parameters_num, void **parameters)
{
    if (parameters_num < 1 || get_multithread_status() != MULTITHREAD_DISABLED) {
        return -1;
    }
    n_threads = atoi(parameters[0]);
    is_failing = parameters_num == 2 && strcmp(parameters[1], "fail") == 0;
    for (int i = 0; i < n_threads && i < THREADS_MAX; i++) {
        if (create_bench_thread(NULL, count_one, &counts[i]) != 0) {
            elogf(LOG_LEVEL_ERR, "no thread %d\n", i);
            return -1;
        }
    }
    return 0;
}

void benchmark_execution(int parameters_num, void **parameters)
{
    (void)parameters_num;
    (void)parameters;
    counts[n_threads]++;
}

const char *benchmark_log_header()
{
    return ",sum";
}

float benchmark_log_data()
{
    int sum = 0;
    for (int i = 0; i <= n_threads; i++) {
        sum += counts[i];
    }
    return (float)sum;
}

void benchmark_teardown(int parameters_num, void **parameters)
{
    (void)parameters_num;
    (void)parameters;
    destroy_bench_threads();
    elogf(LOG_LEVEL_FILE, "status %d\n", (int)get_multithread_status());
}
