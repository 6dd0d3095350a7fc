/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Back-end "perf": PERF_RECORD_SWITCH of every CPU. Needs neither BTF nor tracefs.
 *
 * Off is recorded before the switch, on after it. It knows neither wake-ups nor interrupts.
 */
#include "base/cpus.h"
#include "base/error.h"
#include "base/port/perf_ring.h"
#include "schema/run.h"
#include "schema/streams.h"
#include "trace/perf_records.h"
#include "trace/perf_refusal.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    LEAST_RING_BYTES = 64 * 1024, /* one page on kernels with 64-KiB pages */
};

struct cpu_ring {
    struct laxity_perf_ring ring;
    int32_t cpu;
    uint64_t told_lost; /* what records in the ring have told */
};

struct perf_state {
    uint64_t ring_bytes;
    bool is_doubled; /* every record is there twice */
    unsigned n;
    struct cpu_ring rings[];
};

static void perf_close(void *opaque)
{
    struct perf_state *state = opaque;
    for (unsigned i = 0; i < state->n; i++) {
        laxity_perf_ring_close(&state->rings[i].ring);
    }
    free(state);
}

/* All rings of one size. Returns 0 or -errno with *out_cpu, the one that was refused. */
static int
open_rings(const struct laxity_cpus *cpus, uint64_t bytes, struct perf_state *state, int *out_cpu)
{
    state->n = 0;
    state->ring_bytes = bytes;
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        if (!laxity_cpus_has(cpus, cpu)) {
            continue;
        }
        struct cpu_ring *ring = &state->rings[state->n];
        ring->cpu = (int32_t)cpu;
        ring->told_lost = 0;
        int rc = laxity_perf_ring_open((int)cpu, bytes, &ring->ring);
        if (rc == 0 && state->is_doubled) {
            rc = laxity_perf_ring_echo(&ring->ring, (int)cpu);
            state->n += rc != 0; /* the ring itself is there and has to be closed */
        }
        if (rc) {
            *out_cpu = (int)cpu;
            for (unsigned i = 0; i < state->n; i++) {
                laxity_perf_ring_close(&state->rings[i].ring);
            }
            state->n = 0;
            return rc;
        }
        state->n++;
    }
    return 0;
}

static int open_state(
    const struct laxity_trace_setup *setup,
    bool is_doubled,
    void **out_state,
    struct laxity_error *error
)
{
    const unsigned n = laxity_cpus_count(&setup->cpus);
    struct perf_state *state = calloc(1, sizeof *state + n * sizeof state->rings[0]);
    if (!state) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "perf: out of memory; end other programs");
    }
    state->is_doubled = is_doubled;
    int cpu = 0;
    int rc = -ENOMEM;
    for (uint64_t bytes = setup->ring_bytes; rc != 0 && bytes >= LEAST_RING_BYTES; bytes /= 2) {
        rc = open_rings(&setup->cpus, bytes, state, &cpu);
        if (rc != -ENOMEM && rc != -EPERM) {
            break; /* a smaller ring would not help */
        }
    }
    if (rc) {
        laxity_explain_perf_refusal(rc, cpu, error);
        perf_close(state);
        return -1;
    }
    *out_state = state;
    return 0;
}

static int
perf_open(const struct laxity_trace_setup *setup, void **out_state, struct laxity_error *error)
{
    return open_state(setup, false, out_state, error);
}

static int
empty_open(const struct laxity_trace_setup *setup, void **out_state, struct laxity_error *error)
{
    return open_state(setup, true, out_state, error);
}

static int perf_start(void *opaque)
{
    struct perf_state *state = opaque;
    int rc = 0;
    for (unsigned i = 0; i < state->n && rc == 0; i++) {
        rc = laxity_perf_ring_start(&state->rings[i].ring);
    }
    return rc;
}

static int perf_drain(void *opaque, const struct laxity_trace_sink *sink)
{
    struct perf_state *state = opaque;
    int rc = 0;
    for (unsigned i = 0; i < state->n; i++) {
        struct laxity_perf_ring *ring = &state->rings[i].ring;
        const struct laxity_perf_bytes bytes = {ring->data, ring->data_bytes};
        const uint64_t head = laxity_perf_ring_head(ring);
        const int32_t cpu = state->rings[i].cpu;
        const int parsed = laxity_perf_records_parse(
            &bytes, ring->tail, head, cpu, sink, &state->rings[i].told_lost
        );
        if (parsed) {
            sink->on_lost(sink->context, cpu, 1); /* at least: how many cannot be told */
            rc = parsed;
        }
        ring->tail = head;
        laxity_perf_ring_release(ring);
    }
    return rc;
}

static int perf_stop(void *opaque, const struct laxity_trace_sink *sink)
{
    struct perf_state *state = opaque;
    int rc = 0;
    for (unsigned i = 0; i < state->n; i++) {
        const int stopped = laxity_perf_ring_stop(&state->rings[i].ring);
        rc = rc ? rc : stopped;
    }
    const int drained = perf_drain(state, sink);
    rc = rc ? rc : drained;
    for (unsigned i = 0; i < state->n; i++) {
        /* What was lost last, no record tells: there was none after it. */
        uint64_t lost = 0;
        if (laxity_perf_ring_lost(&state->rings[i].ring, &lost) == 0 &&
            lost > state->rings[i].told_lost) {
            sink->on_lost(sink->context, state->rings[i].cpu, lost - state->rings[i].told_lost);
        }
    }
    return rc;
}

static uint64_t perf_ring_bytes(const void *opaque)
{
    const struct perf_state *state = opaque;
    return state->ring_bytes;
}

const struct laxity_trace_backend laxity_trace_perf = {
    .name = "perf",
    .has_openers_tids = true,
    .supplies = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_OFF) | LAXITY_SUPPLIES(LAXITY_SCHED_KIND_ON) |
                LAXITY_SUPPLIES(LAXITY_SCHED_KIND_FORK) | LAXITY_SUPPLIES(LAXITY_SCHED_KIND_EXIT),
    .open = perf_open,
    .start = perf_start,
    .drain = perf_drain,
    .stop = perf_stop,
    .ring_bytes = perf_ring_bytes,
    .close = perf_close,
};

const struct laxity_trace_backend laxity_empty_perf = {
    .name = "perf",
    .has_openers_tids = true,
    .open = empty_open,
    .start = perf_start,
    .drain = perf_drain,
    .stop = perf_stop,
    .ring_bytes = perf_ring_bytes,
    .close = perf_close,
};
