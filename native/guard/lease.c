/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guard/lease.h"

#include "base/port/atomic64.h"
#include "base/port/time.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>

int laxity_lease_timer(void)
{
    const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* An instant in the past expires at once; 0 would disarm the timer. A new instant takes back an
 * expiry that was not read: then the guard goes on sleeping, and the lease is the new one. */
static void expire_at(int timer_fd, int64_t when_ns)
{
    const struct itimerspec when = {
        .it_value =
            {
                .tv_sec = (time_t)(when_ns / LAXITY_NS_PER_S),
                .tv_nsec = (long)(when_ns % LAXITY_NS_PER_S),
            },
    };
    (void)timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

void laxity_lease_renew(struct laxity_lease *lease, int timer_fd, int64_t until_ns)
{
    laxity_atomic64_store_ns(&lease->until_ns, until_ns);
    expire_at(timer_fd, until_ns);
}

/* The timer first: a guard that lets go finds it armed. */
void laxity_lease_resume(struct laxity_lease *lease, int timer_fd, int64_t until_ns)
{
    laxity_lease_renew(lease, timer_fd, until_ns);
    (void)atomic_fetch_add_explicit(&lease->resumes, 1, memory_order_release);
}

void laxity_lease_stop(struct laxity_lease *lease, int timer_fd)
{
    laxity_lease_renew(lease, timer_fd, 1);
}

void laxity_lease_end(struct laxity_lease *lease, int timer_fd)
{
    atomic_store_explicit(&lease->is_over, 1, memory_order_release);
    laxity_lease_stop(lease, timer_fd);
}

/* The guard writes held_since_ns before holds: what is read after holds is of this hold or of a
 * later one. */
struct laxity_hold laxity_lease_look(const struct laxity_lease *lease)
{
    const uint32_t letgos = atomic_load_explicit(&lease->letgos, memory_order_acquire);
    const uint32_t holds = atomic_load_explicit(&lease->holds, memory_order_acquire);
    return (struct laxity_hold){
        .holds = holds,
        .is_held = holds != letgos,
        .since_ns = laxity_atomic64_load_ns(&lease->held_since_ns),
    };
}
