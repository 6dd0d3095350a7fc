/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The one clock of a native run: CLOCK_MONOTONIC in nanoseconds. */
#ifndef LAXITY_BASE_PORT_TIME_H
#define LAXITY_BASE_PORT_TIME_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

enum {
    LAXITY_NS_PER_S = 1000000000,
    LAXITY_NS_PER_MS = 1000000
};

/* "Not measured": the smallest value of a signed type (design section 4). */
#define LAXITY_ABSENT_NS INT64_MIN

static inline int64_t laxity_timespec_ns(const struct timespec *time)
{
    return (int64_t)time->tv_sec * LAXITY_NS_PER_S + time->tv_nsec;
}

static inline int64_t laxity_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return laxity_timespec_ns(&now);
}

/* Processor time of the calling thread. */
static inline int64_t laxity_thread_time_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return laxity_timespec_ns(&now);
}

/* laxity_sleep_until - 0 when the instant is reached (or past), EINTR when a signal handler ran
 * before */
static inline int laxity_sleep_until(int64_t instant_ns)
{
    const struct timespec instant = {
        .tv_sec = (time_t)(instant_ns / LAXITY_NS_PER_S),
        .tv_nsec = (long)(instant_ns % LAXITY_NS_PER_S),
    };
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &instant, NULL);
}

/* laxity_pause_ns - sleep for so long, or until a signal handler ran */
static inline void laxity_pause_ns(int64_t duration_ns)
{
    (void)laxity_sleep_until(laxity_now_ns() + duration_ns);
}

#endif
