/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guard/guard.h"

#include "base/port/atomic64.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "guard/lease.h"
#include "schema/run.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

int laxity_guard_enter(unsigned cpu, int priority)
{
    int rc = laxity_go_to_cpu(cpu);
    rc = rc ? rc : laxity_set_policy(LAXITY_POLICY_FIFO, priority);
    if (rc == 0 && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        rc = -errno;
    }
    return rc;
}

static bool is_over(const struct laxity_lease *lease)
{
    return atomic_load_explicit(&lease->is_over, memory_order_acquire) != 0;
}

/* A resume counts only while its lease lasts: the guard may have been kept from running. */
static bool may_let_go(const struct laxity_lease *lease, uint32_t *seen)
{
    const uint32_t resumes = atomic_load_explicit(&lease->resumes, memory_order_acquire);
    if (resumes == *seen) {
        return false;
    }
    *seen = resumes;
    return laxity_now_ns() < laxity_atomic64_load_ns(&lease->until_ns);
}

static void hold(struct laxity_lease *lease, uint32_t *seen)
{
    laxity_atomic64_store_ns(&lease->held_since_ns, laxity_now_ns());
    (void)atomic_fetch_add_explicit(&lease->holds, 1, memory_order_release);
    while (!is_over(lease)) {
        const bool is_failed = atomic_load(&lease->failure) != 0;
        if (may_let_go(lease, seen) && !is_failed) {
            break;
        }
    }
    (void)atomic_fetch_add_explicit(&lease->letgos, 1, memory_order_release);
}

void laxity_guard_run(struct laxity_lease *lease, int timer_fd)
{
    uint32_t seen = atomic_load_explicit(&lease->resumes, memory_order_acquire);
    while (!is_over(lease)) {
        uint64_t expiries = 0;
        const ssize_t n = read(timer_fd, &expiries, sizeof expiries);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            atomic_store(&lease->failure, (uint32_t)errno);
        }
        hold(lease, &seen);
    }
}
