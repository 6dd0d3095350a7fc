/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* What a row of sched.npy may say. BPF programs include this too, so it needs nothing else. */
#ifndef LAXITY_TRACE_SCHED_KINDS_H
#define LAXITY_TRACE_SCHED_KINDS_H

#include <stdint.h>

/* The numbers of the column `kind` of sched.npy (python/laxity/model/streams.py: SchedKind). */
enum laxity_sched_kind {
    LAXITY_SCHED_OFF,
    LAXITY_SCHED_ON,
    LAXITY_SCHED_WAKEUP,
    LAXITY_SCHED_MIGRATE,
    LAXITY_SCHED_FORK,
    LAXITY_SCHED_EXIT,
    LAXITY_SCHED_IRQ_IN,
    LAXITY_SCHED_IRQ_OUT,
    LAXITY_SCHED_SOFTIRQ_IN,
    LAXITY_SCHED_SOFTIRQ_OUT,
    LAXITY_SCHED_KINDS
};

#define LAXITY_SUPPLIES(kind) (1U << (unsigned)(kind))
#define LAXITY_ABSENT_TID INT32_MIN
#define LAXITY_ABSENT_STATE INT64_MIN
#define LAXITY_ABSENT_FLAG UINT8_MAX

#endif
