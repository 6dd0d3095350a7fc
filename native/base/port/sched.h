/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Where and how the calling thread is scheduled. */
#ifndef LAXITY_BASE_PORT_SCHED_H
#define LAXITY_BASE_PORT_SCHED_H

#include "base/cpus.h"
#include "schema/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a thread is scheduled, as the kernel tells it. */
struct laxity_scheduling {
    uint32_t policy;  /* the kernel's number: it has more than we ask for */
    int32_t priority; /* of FIFO and RR, else 0 */
    int32_t nice;     /* of OTHER and BATCH, else 0 */
    int64_t runtime_ns, deadline_ns, period_ns; /* of DEADLINE, else 0 */
};

enum {
    LAXITY_SCHEDULING_TEXT_BYTES = 64
};

/* laxity_read_scheduling - of a thread, 0 = the caller. Returns 0 or -errno: -ESRCH if it is gone,
 * -ENOSYS where there is no such call. */
int laxity_read_scheduling(int32_t tid, struct laxity_scheduling *out_scheduling);

bool laxity_is_same_scheduling(
    const struct laxity_scheduling *a, const struct laxity_scheduling *b
);

/* laxity_describe_scheduling - "fifo priority 50", "other", "other nice 5" */
const char *laxity_describe_scheduling(
    const struct laxity_scheduling *scheduling, char text[LAXITY_SCHEDULING_TEXT_BYTES]
);

/* CPUs that a thread may use, 0 = the caller. Returns 0 or -errno. */
int laxity_get_thread_affinity(int32_t tid, struct laxity_cpus *out_cpus);

/* CPUs that the caller may use. Returns 0 or -errno. */
int laxity_get_affinity(struct laxity_cpus *out_cpus);

/* Returns 0 or -errno: -EINVAL if none of them is online and in the cpuset. */
int laxity_set_affinity(const struct laxity_cpus *cpus);

/* The same with one CPU. */
int laxity_go_to_cpu(unsigned cpu);

/* CPUs that the machine has online, from sysfs; falls back to those the caller may use. Returns 0
 * or -errno. */
int laxity_get_online_cpus(struct laxity_cpus *out_cpus);

/* `priority` 1-99 for FIFO and RR, ignored for OTHER. Returns 0 or -errno. */
int laxity_set_policy(enum laxity_policy policy, int priority);

/*
 * laxity_explain_policy_refusal - why the kernel refused FIFO or RR, and what to do about it, as
 * one clause
 *
 * `other_way`, a clause that advises how to do without, stands at the end; "" = none.
 */
void laxity_explain_policy_refusal(
    int error_number, const char *other_way, char *text, size_t bytes
);

/*
 * laxity_explain_affinity_refusal - why the kernel did not take CPUs, and what to do about it, as
 * one clause
 */
void laxity_explain_affinity_refusal(int error_number, char *text, size_t bytes);

/*
 * laxity_find_group_file - a control file of the caller's own control group, of a controller of
 * version 1, or of version 2 ("")
 *
 * Returns 0, or -ENOENT if the controller has no hierarchy of its own here; whether the file
 * exists is not asked.
 */
int laxity_find_group_file(const char *controller, const char *name, char *path, size_t bytes);

/*
 * laxity_limit_rt_time - the kernel's own guard behind our killer (RLIMIT_RTTIME)
 *
 * SIGXCPU after soft_us of processor time without sleeping, SIGKILL after hard_us. Returns 0 or
 * -errno.
 */
int laxity_limit_rt_time(uint64_t soft_us, uint64_t hard_us);

#endif
