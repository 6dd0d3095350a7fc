/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A periodic program that knows nothing of laxity: its own main, its own threads, no header of
 * ours.
 *
 * periodic_loop MODE JOBS WORK_NS PERIOD_NS... makes one thread per period, named loop0, loop1, ...
 * MODE: absolute (sleeps until the next release), blocking (also sleeps within each job), relative
 * (sleeps for PERIOD_NS after each job). The threads start when a character or the end of stdin
 * comes. It prints "NAME JOBS FIRST_NS" for each: jobs done, and its first release. JOBS 0: for
 * ever.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_THREADS = 8,
    FIRST_PERIOD = 4, /* argv: the first three words say what all threads do */
    DECIMAL = 10,
    WITHIN_NS = 300000,
    NS_PER_S = 1000000000,
};

struct loop {
    char name[8];
    const char *mode;
    long jobs;
    long work_ns;
    long period_ns;
    long done;
    long long first_ns;
};

static long long time_of(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (long long)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void sleep_for(long ns)
{
    const struct timespec length = {.tv_sec = ns / NS_PER_S, .tv_nsec = (long)(ns % NS_PER_S)};
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
}

static void sleep_until(long long ns)
{
    const struct timespec when = {.tv_sec = ns / NS_PER_S, .tv_nsec = (long)(ns % NS_PER_S)};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

static void work_for(long ns)
{
    const long long end_ns = time_of(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (time_of(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
    }
}

static void *run_loop(void *argument)
{
    struct loop *loop = argument;
    (void)pthread_setname_np(pthread_self(), loop->name);
    const bool is_relative = strcmp(loop->mode, "relative") == 0;
    loop->first_ns = time_of(CLOCK_MONOTONIC) + loop->period_ns;
    for (long job = 0; loop->jobs == 0 || job < loop->jobs; job++) {
        if (is_relative) {
            sleep_for(loop->period_ns);
        } else {
            sleep_until(loop->first_ns + job * loop->period_ns);
        }
        work_for(loop->work_ns);
        if (strcmp(loop->mode, "blocking") == 0) {
            sleep_for(WITHIN_NS);
            work_for(loop->work_ns);
        }
        loop->done++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct loop loops[MOST_THREADS] = {0};
    pthread_t threads[MOST_THREADS];
    const int n_threads = argc - FIRST_PERIOD;
    if (n_threads < 1 || n_threads > MOST_THREADS) {
        return 2;
    }
    (void)getchar();
    for (int i = 0; i < n_threads; i++) {
        loops[i] = (struct loop){
            .mode = argv[1],
            .jobs = strtol(argv[2], NULL, DECIMAL),
            .work_ns = strtol(argv[3], NULL, DECIMAL),
            .period_ns = strtol(argv[FIRST_PERIOD + i], NULL, DECIMAL),
        };
        (void)snprintf(loops[i].name, sizeof loops[i].name, "loop%d", i);
        if (pthread_create(&threads[i], NULL, run_loop, &loops[i]) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < n_threads; i++) {
        (void)pthread_join(threads[i], NULL);
        (void)printf("%s %ld %lld\n", loops[i].name, loops[i].done, loops[i].first_ns);
    }
    return 0;
}
