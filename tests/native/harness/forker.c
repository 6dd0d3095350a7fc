/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A workload with a second thread, for the tests of the harness: `forker MODE`. In each job that
 * thread uses 0.5, 1 or 1.5 ms of processor time while the main one waits; the log column says how
 * many microseconds it used.
 *
 *   init     the thread is made in init
 *   beside   as init, but it works in every second job only, and the job ends when it is half-way,
 *            without having read a clock; the log column then tells of the job before
 *   job      a new one is made in every job
 *   blocked  made in init; it does nothing but wait in read(), and every job sends SIGXCPU to the
 *            process
 *
 * Teardown prints what the thread saw of its scheduling, its signals and its system calls.
 */
#include <laxity/hooks.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    NS_PER_S = 1000000000,
    NS_PER_US = 1000,
    BURN_STEP_NS = 500000,
    BURN_STEPS = 3,
    HALF_COUNT = 5000000 /* about a millisecond */
};

static const char *mode;
static int64_t job;
static pthread_t second;
static sem_t fork_semaphore;
static sem_t join_semaphore;
static bool is_over;
static int pipe_fds[2];
static int64_t burned_us;
static int interruptions;
static int policy;
static int priority;
static int cpu_count;
static bool has_open_signals;

static int64_t own_time_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void look_around(void)
{
    sigset_t blocked;
    cpu_set_t cpus;
    struct sched_param param;
    (void)pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    has_open_signals |= !sigismember(&blocked, SIGTERM) || !sigismember(&blocked, SIGXCPU);
    (void)pthread_getschedparam(pthread_self(), &policy, &param);
    (void)sched_getaffinity(0, sizeof cpus, &cpus);
    priority = param.sched_priority;
    cpu_count = CPU_COUNT(&cpus);
}

static void burn(void)
{
    const int64_t begin_ns = own_time_ns();
    const int64_t until_ns = begin_ns + (1 + job % BURN_STEPS) * BURN_STEP_NS;
    while (own_time_ns() < until_ns) {
    }
    burned_us = (own_time_ns() - begin_ns) / NS_PER_US;
}

static void count_to(uint32_t limit)
{
    for (volatile uint32_t i = 0; i < limit; i++) {
    }
}

/* A thread that reads its own clock brings the kernel's account of it up to date; so no clock is
 * read before the end. */
static void burn_beside(void)
{
    const int64_t begin_ns = own_time_ns();
    const bool is_working = job % 2 == 0; /* the main thread goes on to the next job */
    if (is_working) {
        count_to(HALF_COUNT);
    }
    (void)sem_post(&join_semaphore);
    if (is_working) {
        count_to(HALF_COUNT);
        burned_us = (own_time_ns() - begin_ns) / NS_PER_US;
    }
}

static bool is_mode(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void *burn_in_every_job(void *unused)
{
    (void)unused;
    for (;;) {
        while (sem_wait(&fork_semaphore) != 0) {
            interruptions++;
        }
        if (is_over) {
            return NULL;
        }
        look_around();
        if (is_mode("beside")) {
            burn_beside();
            continue;
        }
        burn();
        (void)sem_post(&join_semaphore);
    }
}

static void *burn_once(void *unused)
{
    (void)unused;
    look_around();
    burn();
    return NULL;
}

static void *wait_in_read(void *unused)
{
    (void)unused;
    char byte = 0;
    look_around();
    while (read(pipe_fds[0], &byte, 1) < 0 && errno == EINTR) {
        interruptions++;
    }
    return NULL;
}

int benchmark_init(int argc, void **argv)
{
    mode = argc > 0 ? argv[0] : "init";
    if (sem_init(&fork_semaphore, 0, 0) != 0 || sem_init(&join_semaphore, 0, 0) != 0 ||
        pipe(pipe_fds) != 0) {
        return -1;
    }
    if (is_mode("init") || is_mode("beside")) {
        return -pthread_create(&second, NULL, burn_in_every_job, NULL);
    }
    return is_mode("blocked") ? -pthread_create(&second, NULL, wait_in_read, NULL) : 0;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    if (is_mode("init") || is_mode("beside")) {
        (void)sem_post(&fork_semaphore);
        while (sem_wait(&join_semaphore) != 0) {
        }
    } else if (is_mode("job")) {
        if (pthread_create(&second, NULL, burn_once, NULL) != 0) {
            laxity_job_failed("cannot make a thread");
        }
        (void)pthread_join(second, NULL);
    } else {
        (void)kill(getpid(), SIGXCPU);
    }
    job++;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    is_over = true;
    (void)sem_post(&fork_semaphore);
    (void)!write(pipe_fds[1], "x", 1);
    if (!is_mode("job")) {
        (void)pthread_join(second, NULL);
    }
    (void)printf(
        "second thread: policy %d, priority %d, %d CPUs, %s, interrupted %d times\n",
        policy,
        priority,
        cpu_count,
        has_open_signals ? "signals open" : "signals blocked",
        interruptions
    );
}

const char *benchmark_log_header(void)
{
    return "burned_us";
}

float benchmark_log_data(void)
{
    return (float)burned_us;
}
