/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/*
 * What sched.bpf.c writes and bpf_rings.c reads: per CPU a ring of slots, and names beside them.
 *
 * Slot number `at` of a CPU lies at index at modulo the number of slots. A program takes a number,
 * fills the slot and stamps it. A program that interrupts another one on its CPU takes the next
 * number, so a reader stops at the first slot without its stamp, and sorts what it reads by time.
 */
#ifndef LAXITY_TRACE_BPF_RINGS_H
#define LAXITY_TRACE_BPF_RINGS_H

#include <stdint.h>

enum {
    /* A process, a softirq and an interrupt may write at once on one CPU, and each may take a slot
     * after another one has found room: so many slots are never used. */
    LAXITY_BPF_SPARE_SLOTS = 8,
    LAXITY_BPF_LINE_BYTES = 64,
    LAXITY_BPF_COMM_BYTES = 16,
    /* 5000 names; they are taken out every 20 ms. A power of two, and of pages. */
    LAXITY_BPF_NAMES_BYTES = 1 << 18,
};

#define LAXITY_BPF_ABSENT_VALUE INT32_MIN

struct laxity_bpf_slot {
    int64_t time_ns;
    uint32_t stamp; /* low half of its number + 1, written last */
    uint32_t lost;  /* low half of what this CPU had lost when the slot was taken */
    int32_t tid;
    int32_t other_tid;
    int32_t value;     /* OFF: state; WAKEUP, MIGRATE: CPU to run on; interrupts: number */
    uint8_t kind;      /* enum laxity_sched_kind */
    uint8_t preempted; /* of OFF */
    uint16_t reserved;
};

/* Both sides write to lines of their own. */
struct laxity_bpf_cpu {
    uint64_t head; /* numbers taken */
    uint64_t lost;
    int32_t prev_tid; /* of the switch that is under way */
    int32_t next_tid;
    uint64_t is_under_way; /* its off has been recorded, its on has not */
    uint64_t reserved[LAXITY_BPF_LINE_BYTES / sizeof(uint64_t) - 4];
    uint64_t tail; /* all before it was read */
    uint64_t reader_reserved[LAXITY_BPF_LINE_BYTES / sizeof(uint64_t) - 1];
};

/* A thread was forked (comm empty, parent_tid set) or got a name. */
struct laxity_bpf_name {
    int64_t time_ns;
    int32_t pid;
    int32_t tid;
    int32_t parent_tid;
    char comm[LAXITY_BPF_COMM_BYTES]; /* terminated */
    uint32_t reserved;
};

/* Interrupts that only the CPU numbers, by the names of x86's tracepoints. */
#define LAXITY_BPF_VECTORS(X)                                                                      \
    X(local_timer)                                                                                 \
    X(reschedule)                                                                                  \
    X(call_function)                                                                               \
    X(call_function_single)                                                                        \
    X(irq_work)                                                                                    \
    X(x86_platform_ipi)                                                                            \
    X(thermal_apic)                                                                                \
    X(threshold_apic)                                                                              \
    X(deferred_error_apic)                                                                         \
    X(error_apic)                                                                                  \
    X(spurious_apic)

enum {
    /* Interrupts that Linux numbers, whose names are looked up; later ones go by their number. */
    LAXITY_BPF_NAMED_IRQS = 1024
};

#endif
