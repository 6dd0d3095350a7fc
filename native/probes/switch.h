/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "switch": what the kernel takes from tasks when it switches between them, wakes them and
 * handles interrupts, seen by the tasks themselves.
 *
 * A victim takes time stamps in a tight loop; a partner preempts it, is released below it,
 * exchanges turns with it or is woken by it from another CPU, and stamps what it does. Rows hold
 * the stamps only; what follows from them is computed elsewhere (python/laxity/analysis/switch.py).
 *
 * Source: Sebek, "The real cost of task pre-emptions", section 3.4, whose four probes stand inside
 * the kernel; ours stand where a task notices.
 */
#ifndef LAXITY_PROBES_SWITCH_H
#define LAXITY_PROBES_SWITCH_H

#include "base/cpus.h"
#include "probes/probe.h"
#include "probes/switch_interrupts.h"

#include <stdbool.h>
#include <stdint.h>

enum laxity_switch_quantity {
    LAXITY_SWITCH_PREEMPTION, /* a timer releases the partner above the victim */
    LAXITY_SWITCH_SYNC,       /* victim and partner hand over by a futex */
    LAXITY_SWITCH_TIMER,      /* a timer releases the partner on an idle CPU */
    LAXITY_SWITCH_RELEASE,    /* a timer releases the partner below the victim */
    LAXITY_SWITCH_SPIN,       /* nothing is released */
    LAXITY_SWITCH_WAKEUP,     /* victim and partner wake each other from CPU to CPU by a futex */
    LAXITY_SWITCH_KERNEL,     /* as preemption, while the kernel records its switches */
    LAXITY_SWITCH_IRQ,        /* as spin, in short windows between two counts of interrupts */
    LAXITY_SWITCH_QUANTITIES
};

enum laxity_switch_case {
    LAXITY_SWITCH_BEST,  /* nothing is evicted */
    LAXITY_SWITCH_WORST, /* who leaves the CPU first evicts what it can; release: the victim */
    LAXITY_SWITCH_CASES
};

enum laxity_switch_role {
    LAXITY_SWITCH_OBSERVED,
    /* What the observed rows are compared with. Release: nothing is released. Spin: the whole
     * window. Wakeup: both spin, which bounds how far their clocks are apart. Kernel: from one
     * record of an off to a second one of it. Preemption: the tasks' own stamps beside a row of
     * kernel. */
    LAXITY_SWITCH_CONTROL
};

struct laxity_switch_settings {
    struct laxity_cpus to; /* woken from each measured CPU */
    uint64_t evict_bytes;
    int64_t spin_ns; /* in all, per CPU; once more for irq */
    bool has_quantity[LAXITY_SWITCH_QUANTITIES];
};

/*
 * One row of switch.npy, as it lies in the file. Times are CLOCK_MONOTONIC.
 *
 * A stamp that does not exist, or that encloses nothing, is absent. Kernel, observed: the four are
 * those of the kernel's records off, on, off, on.
 */
struct laxity_switch_row {
    int64_t time_ns;            /* the timer's expiry; where there is none, the first stamp */
    int64_t victim_last_ns;     /* before the partner came, or before the gap */
    int64_t preemptor_first_ns; /* of the partner */
    int64_t preemptor_last_ns;
    int64_t victim_first_ns; /* after the partner left, or after the gap */
    int64_t lost_ns;         /* in all gaps: release, those that end after the expiry; spin */
    uint32_t period_ns;      /* of the victim's stamps: nothing shorter is resolved */
    int32_t cpu;             /* of the victim */
    int32_t cpu_to;          /* of the partner */
    uint8_t gaps;            /* that the victim saw, its own one included; 254: or more */
    uint8_t quantity;
    uint8_t preemption_case;
    uint8_t role;
    char interrupt[LAXITY_INTERRUPT_BYTES]; /* irq: which there was; empty: none at all */
};

extern const struct laxity_probe laxity_probe_switch;

#endif
