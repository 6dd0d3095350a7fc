/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */

/* A guest's own calls of these names mean its own types, which on 32 bits are not those of ours. */
#undef _TIME_BITS

#include "guests/guest_clock.h"

#include "guests/wrapped.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

enum {
    US_PER_S = 1000000,
    NS_PER_US = 1000,
    FIRST_S = 1000000000, /* any, of our time */
    /* More than a year, and no multiple of a day, an hour or any small number of seconds. */
    ELSEWHERE_S = 40000189,
    STEP_US = 1,
    ELSEWHERE_STEP_US = 1000003,
    /* Of clocks that count from a beginning, not from 1970; no small number of seconds either. */
    ELSEWHERE_RUNNING_US = 7000033,
};

/* A clock has no argument that could lead it there. */
static bool is_fixed;
static uint32_t first_s = FIRST_S;
static uint32_t step_us = STEP_US;
static uint32_t running_us; /* at the first reading, of clocks that count from a beginning */
static _Atomic uint32_t readings;

void laxity_guest_clock_fix(bool elsewhere)
{
    is_fixed = true;
    first_s = elsewhere ? FIRST_S + ELSEWHERE_S : FIRST_S;
    step_us = elsewhere ? ELSEWHERE_STEP_US : STEP_US;
    running_us = elsewhere ? ELSEWHERE_RUNNING_US : 0;
}

void laxity_guest_clock_begin(void)
{
    atomic_store(&readings, 0);
}

static uint64_t next_us(void)
{
    return (uint64_t)atomic_fetch_add(&readings, 1) * step_us;
}

static time_t seconds_of(uint64_t us)
{
    return (time_t)(first_s + us / US_PER_S);
}

/* The names that the linker gives what a guest calls (--wrap). */
time_t guest_time(time_t *out_time) LAXITY_WRAP_SYMBOL(time);
clock_t guest_clock(void) LAXITY_WRAP_SYMBOL(clock);
clock_t guest_times(struct tms *out_times) LAXITY_WRAP_SYMBOL(times);
int guest_gettimeofday(struct timeval *out_time, void *zone) LAXITY_WRAP_SYMBOL(gettimeofday);
int guest_clock_gettime(clockid_t clock_id, struct timespec *out_time)
    LAXITY_WRAP_SYMBOL(clock_gettime);

time_t guest_time(time_t *out_time)
{
    if (!is_fixed) {
        return time(out_time);
    }
    const time_t now = seconds_of(next_us());
    if (out_time) {
        *out_time = now;
    }
    return now;
}

clock_t guest_clock(void)
{
    return is_fixed ? (clock_t)(running_us + next_us()) : clock(); /* CLOCKS_PER_SEC is 1000000 */
}

clock_t guest_times(struct tms *out_times)
{
    if (!is_fixed) {
        return times(out_times);
    }
    const clock_t now = (clock_t)(running_us + next_us());
    if (out_times) {
        *out_times = (struct tms){now, 0, 0, 0};
    }
    return now;
}

int guest_gettimeofday(struct timeval *out_time, void *zone)
{
    if (!is_fixed) {
        return gettimeofday(out_time, zone);
    }
    const uint64_t us = next_us();
    *out_time = (struct timeval){seconds_of(us), (suseconds_t)(us % US_PER_S)};
    return 0;
}

int guest_clock_gettime(clockid_t clock_id, struct timespec *out_time)
{
    if (!is_fixed) {
        return clock_gettime(clock_id, out_time);
    }
    const uint64_t us = next_us();
    *out_time = (struct timespec){seconds_of(us), (long)(us % US_PER_S) * NS_PER_US};
    return 0;
}

#if __SIZEOF_LONG__ == 4

/* Those of a guest with _TIME_BITS=64. Nanoseconds of 32 bits and their padding are one 64. */
struct wide_time {
    int64_t seconds;
    int64_t rest;
};

extern int64_t real_wide_time(int64_t *out_time) __asm__("__time64");
extern int real_wide_gettimeofday(struct wide_time *out_time, void *zone) __asm__("__gettimeofday64"
);
extern int
real_wide_clock_gettime(clockid_t clock_id, struct wide_time *out_time) __asm__("__clock_gettime64"
);
int64_t guest_wide_time(int64_t *out_time) LAXITY_WRAP_SYMBOL(__time64);
int guest_wide_gettimeofday(struct wide_time *out_time, void *zone)
    LAXITY_WRAP_SYMBOL(__gettimeofday64);
int guest_wide_clock_gettime(clockid_t clock_id, struct wide_time *out_time)
    LAXITY_WRAP_SYMBOL(__clock_gettime64);

int64_t guest_wide_time(int64_t *out_time)
{
    if (!is_fixed) {
        return real_wide_time(out_time);
    }
    const int64_t now = seconds_of(next_us());
    if (out_time) {
        *out_time = now;
    }
    return now;
}

int guest_wide_gettimeofday(struct wide_time *out_time, void *zone)
{
    if (!is_fixed) {
        return real_wide_gettimeofday(out_time, zone);
    }
    const uint64_t us = next_us();
    *out_time = (struct wide_time){seconds_of(us), (int64_t)(us % US_PER_S)};
    return 0;
}

int guest_wide_clock_gettime(clockid_t clock_id, struct wide_time *out_time)
{
    if (!is_fixed) {
        return real_wide_clock_gettime(clock_id, out_time);
    }
    const uint64_t us = next_us();
    *out_time = (struct wide_time){seconds_of(us), (int64_t)(us % US_PER_S) * NS_PER_US};
    return 0;
}

#endif
