/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The scheduling trace: one interface, one back-end per file.
 *
 * A back-end reads what the kernel says about every CPU and hands it to a sink, CPU by CPU and in
 * order of time within each. All use CLOCK_MONOTONIC. What a back-end cannot know it does not
 * supply: such rows do not exist, such fields are absent.
 */
#ifndef LAXITY_TRACE_TRACE_H
#define LAXITY_TRACE_TRACE_H

#include "base/cpus.h"
#include "base/error.h"
#include "base/histogram.h"
#include "schema/streams.h"
#include "trace/sched_kinds.h" /* IWYU pragma: export */

#include <stdbool.h>
#include <stdint.h>

/*
 * Interrupts that Linux numbers have that number, 0 or more. Those that only the CPU numbers (x86:
 * its timer, its messages) have its vector, negated.
 */
#define LAXITY_CPU_VECTOR(vector) (-(vector))

enum {
    LAXITY_COMM_BYTES = 16,
    LAXITY_VECTOR_NAME_BYTES = 24,
};

struct laxity_sched_event {
    int64_t time_ns;
    int32_t cpu;
    enum laxity_sched_kind kind;
    int32_t tid;
    int32_t other_tid; /* LAXITY_ABSENT_TID: not supplied */
    /* Of OFF: state; of WAKEUP, MIGRATE: CPU to run on; of interrupts: number.
     * LAXITY_ABSENT_STATE: not supplied. */
    int64_t prev_state_or_vector;
    uint8_t preempted; /* of OFF: 0 or 1; else LAXITY_ABSENT_FLAG */
};

/* A thread has got a name; or, with comm NULL, was forked by `parent_tid`. */
struct laxity_thread_event {
    int64_t time_ns;
    int32_t pid; /* LAXITY_ABSENT_TID: as before, of a fork as its parent's */
    int32_t tid;
    int32_t parent_tid;
    const char *comm;
};

/* Where a back-end's findings go. */
struct laxity_trace_sink {
    void *context;
    void (*on_event)(void *context, const struct laxity_sched_event *event);
    void (*on_thread)(void *context, const struct laxity_thread_event *event);
    /* `n` records are missing between the last one of this CPU and the next. */
    void (*on_lost)(void *context, int32_t cpu, uint64_t n);
    /* Of back-ends that hand over no events: how long this CPU's switches took, off to on, and how
     * many had no on. */
    void (*on_switches)(
        void *context, int32_t cpu, const struct laxity_histogram *durations, uint64_t unpaired
    );
    /* An interrupt of this number has come in; told at the latest when the trace stops. */
    void (*on_vector)(void *context, int64_t number, const char *name);
};

struct laxity_trace_setup {
    struct laxity_cpus cpus; /* those to be traced */
    uint64_t ring_bytes;     /* per CPU, a power of two; what is used may be less */
    uint32_t kinds;          /* asked for: bits LAXITY_SUPPLIES(kind); others cost nothing */
};

struct laxity_trace_backend {
    const char *name;
    /* Numbers threads as the PID namespace of its opener does, others 0; else as the machine does.
     */
    bool has_openers_tids;
    uint32_t supplies; /* bits LAXITY_SUPPLIES(kind) */
    /* Those of them that are not recorded after all: this kernel lacks them, or they were not asked
     * for; NULL = none. */
    uint32_t (*lacks)(const void *state);

    /* Returns 0 with *out_state, or -1 with error: why it cannot serve here. Nothing runs yet. */
    int (*open)(
        const struct laxity_trace_setup *setup, void **out_state, struct laxity_error *error
    );
    /* Returns 0 or -errno. */
    int (*start)(void *state);
    /* Hands over what there is. Returns 0, or -EBADMSG where the kernel's data made no sense. */
    int (*drain)(void *state, const struct laxity_trace_sink *sink);
    /* Stops, and hands over the rest and what was lost to the last. */
    int (*stop)(void *state, const struct laxity_trace_sink *sink);
    /* Bytes of each CPU's ring. */
    uint64_t (*ring_bytes)(const void *state);
    void (*close)(void *state);
};

extern const struct laxity_trace_backend laxity_trace_bpf;
extern const struct laxity_trace_backend laxity_trace_perf;
extern const struct laxity_trace_backend laxity_trace_tracefs;

/* Count switches in the kernel, by on_switches. */
extern const struct laxity_trace_backend laxity_switches_bpf;

/* What measuring a switch takes: the same with no switch within. perf hands each off twice. */
extern const struct laxity_trace_backend laxity_empty_bpf;
extern const struct laxity_trace_backend laxity_empty_perf;

#endif
