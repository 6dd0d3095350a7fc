/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A program with its own periodic loop, built with laxity/job.h alone:
 *
 *   own_loop PERIOD_MS JOBS known|unknown FAULT AT
 *
 * prints "RELEASE\n" of each job (nanoseconds). FAULT in job AT: none, late (finishes after its
 * deadline), exit (with 3), leave (exit 0 in the job), crash, hang, unfinished (no finish), deaf
 * (no fault, but SIGTERM is ignored from then on). JOBS 0: endless.
 */
#include <laxity/job.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    NS_PER_MS = 1000000,
    NS_PER_S = 1000000000
};

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void sleep_until(int64_t ns)
{
    const struct timespec until = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
    }
}

/* Returns whether the job is to be finished. */
static int have_fault(const char *fault, int64_t release_ns, int64_t period_ns)
{
    if (strcmp(fault, "late") == 0) {
        sleep_until(release_ns + period_ns + NS_PER_MS);
    } else if (strcmp(fault, "exit") == 0) {
        (void)fflush(stdout);
        _exit(3);
    } else if (strcmp(fault, "leave") == 0) {
        (void)fflush(stdout);
        _exit(0);
    } else if (strcmp(fault, "crash") == 0) {
        (void)raise(SIGSEGV);
    } else if (strcmp(fault, "hang") == 0) {
        for (;;) {
            (void)pause();
        }
    } else if (strcmp(fault, "deaf") == 0) {
        (void)signal(SIGTERM, SIG_IGN);
    }
    return strcmp(fault, "unfinished") != 0;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        return 2;
    }
    const int64_t period_ns = strtoll(argv[1], NULL, 10) * NS_PER_MS;
    const long jobs = strtol(argv[2], NULL, 10);
    const int is_known = strcmp(argv[3], "known") == 0;
    const long at = strtol(argv[5], NULL, 10);
    int64_t release_ns = now_ns();
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    for (long job = 0; jobs == 0 || job < jobs; job++, release_ns += period_ns) {
        sleep_until(release_ns);
        if (is_known) {
            laxity_job_start_at(release_ns);
        } else {
            laxity_job_start();
        }
        (void)printf("%lld\n", (long long)release_ns);
        if (job != at || have_fault(argv[4], release_ns, period_ns)) {
            laxity_job_finish();
        }
    }
    return 0;
}
