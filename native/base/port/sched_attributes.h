/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What sched_setattr and sched_getattr exchange; glibc has neither before 2.41. */
#ifndef LAXITY_BASE_PORT_SCHED_ATTRIBUTES_H
#define LAXITY_BASE_PORT_SCHED_ATTRIBUTES_H

#include <stdint.h>

/* include/uapi/linux/sched.h */
enum {
    LAXITY_KERNEL_DEADLINE = 6,
};

/* The kernel's struct sched_attr in its first form of 48 bytes, which every kernel takes. */
struct laxity_sched_attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns;
    uint64_t deadline_ns;
    uint64_t period_ns;
};

#endif
