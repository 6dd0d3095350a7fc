/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * SCHED_DEADLINE: a reservation of `runtime` in each `period`, due `deadline` after its beginning.
 *
 * The kernel stops a task that has used up its runtime until the next period (CBS), so that one
 * that never sleeps still leaves the rest of the CPU to others. It outranks every FIFO task.
 */
#ifndef LAXITY_BASE_PORT_DEADLINE_H
#define LAXITY_BASE_PORT_DEADLINE_H

#include "base/cpus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times in ns; runtime_ns 0 = there is none. */
struct laxity_reservation {
    int64_t runtime_ns;
    int64_t deadline_ns;
    int64_t period_ns;
};

/* What decides whether the kernel grants a reservation; -1 = not known. */
struct laxity_deadline_facts {
    struct laxity_cpus online;
    struct laxity_cpus cpuset; /* of the own control group; empty = not known */
    struct laxity_cpus affinity;
    bool may_nice;         /* CAP_SYS_NICE */
    int64_t period_min_us; /* kernel.sched_deadline_period_min_us */
    int64_t period_max_us; /* kernel.sched_deadline_period_max_us */
    int64_t rt_runtime_us; /* kernel.sched_rt_runtime_us; -2 = not known, -1 = no limit */
    int64_t rt_period_us;  /* kernel.sched_rt_period_us */
};

enum {
    LAXITY_RT_RUNTIME_UNKNOWN = -2,
    /* Shorter ones are lost in the kernel's arithmetic (DL_SCALE in kernel/sched/sched.h). */
    LAXITY_RESERVATION_RUNTIME_MIN_NS = 1024,
};

/*
 * laxity_reserve - put the calling thread under SCHED_DEADLINE; its children are OTHER
 *
 * Its CPUs must be chosen before, the kernel refuses to move it afterwards (-EBUSY). Returns 0 or
 * -errno; -ENOSYS where there is no such call.
 */
int laxity_reserve(const struct laxity_reservation *reservation);

/* laxity_is_fork_forbidden - is the calling thread under SCHED_DEADLINE, without reset on fork?
 * Then fork fails with -EAGAIN. */
bool laxity_is_fork_forbidden(void);

/*
 * laxity_reservation_of_task - what a task of these times reserves
 *
 * Its deadline is the task's; where that is absent (negative) or beyond the period it is the
 * period, for the kernel knows no later one.
 */
struct laxity_reservation
laxity_reservation_of_task(int64_t runtime_ns, int64_t deadline_ns, int64_t period_ns);

/*
 * laxity_check_reservation - what is wrong with a reservation wherever it is made, as one clause
 *
 * Returns 0, or -EINVAL with text set.
 */
int laxity_check_reservation(
    const struct laxity_reservation *reservation, char *text, size_t bytes
);

void laxity_read_deadline_facts(struct laxity_deadline_facts *out_facts);

/* laxity_explain_reservation_refusal - why the kernel refused, and what to do about it, as one
 * clause */
void laxity_explain_reservation_refusal(
    int error_number,
    const struct laxity_reservation *reservation,
    const struct laxity_deadline_facts *facts,
    char *text,
    size_t bytes
);

#endif
