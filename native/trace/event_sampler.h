/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Counters of whole CPUs, read by interrupts: by a timer's on each CPU, or by those of an event
 * that has come so often.
 *
 * What ran does not matter, and nothing that runs is changed. All events of a CPU are one group, so
 * that one interrupt reads them at one instant. Only where its counters do not suffice are there
 * further groups, each with a timer's interrupt of its own, and the kernel lets them take turns;
 * software events then stay in a group of theirs.
 */
#ifndef LAXITY_TRACE_EVENT_SAMPLER_H
#define LAXITY_TRACE_EVENT_SAMPLER_H

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/perf_ring.h"
#include "counters/event.h"
#include "schema/run.h"
#include "schema/streams.h"
#include "trace/sample_records.h"

#include <stdbool.h>
#include <stdint.h>

/* What is asked for. */
struct laxity_sampling {
    unsigned n_events; /* 0: nothing */
    struct laxity_event events[LAXITY_EVENTS_MAX];
    int64_t every_ns;     /* by a timer's interrupt */
    uint64_t every_count; /* above 0: instead of that by the first event's, each time it came so
                             often */
};

struct laxity_sampled_group {
    struct laxity_perf_ring ring; /* of the event that interrupts */
    int has_lost;                 /* each value is followed by what its event has lost */
    enum laxity_event_scope scope;
    unsigned n;                                /* values of a sample */
    unsigned events[LAXITY_SAMPLE_VALUES_MAX]; /* of each; LAXITY_EVENTS_MAX: none was asked for */
    int fds[LAXITY_SAMPLE_VALUES_MAX];
    int64_t last_ns;     /* its last sample; 0: none yet */
    int64_t last_off_ns; /* how long it had not counted then */
    uint64_t told_lost;
};

struct laxity_sampled_cpu {
    int32_t cpu;
    unsigned n_groups;
    struct laxity_sampled_group groups[LAXITY_EVENTS_MAX];
    uint64_t samples;
    uint64_t lost;      /* found no room, or made no sense */
    uint64_t owed;      /* by the timer, and not there; what was lost is among them */
    uint64_t throttled; /* times that the kernel held a group back */
};

struct laxity_event_sampler {
    struct laxity_sampling asked; /* platform_event "": no CPU counts it */
    /* Why, as laxity_explain_counter_refusal takes it. */
    int refusals[LAXITY_EVENTS_MAX];
    unsigned n_cpus;
    struct laxity_sampled_cpu cpus[];
};

/* Takes the values of samples, CPU by CPU and in order of time within each group. */
typedef void laxity_take_value(void *context, const struct laxity_counters_per_cpu_row *row);

/*
 * laxity_event_sampler_open - counters and rings on all of `cpus`, not started yet
 *
 * Returns 0, or -1 with error set (exit 3): a CPU may not be watched, or no event can be counted.
 */
int laxity_event_sampler_open(
    const struct laxity_sampling *asked,
    const struct laxity_cpus *cpus,
    struct laxity_event_sampler **out_sampler,
    struct laxity_error *error
);

/* laxity_event_sampler_start - returns 0 or -errno */
int laxity_event_sampler_start(struct laxity_event_sampler *sampler);

/* laxity_event_sampler_drain - hand over what there is */
void laxity_event_sampler_drain(
    struct laxity_event_sampler *sampler, laxity_take_value *take, void *context
);

/* laxity_event_sampler_stop - stop, hand over the rest, and count what was lost to the last */
void laxity_event_sampler_stop(
    struct laxity_event_sampler *sampler, laxity_take_value *take, void *context
);

/* laxity_sampled_missing - samples of a CPU that the timer owed and that no ring has lost */
uint64_t laxity_sampled_missing(const struct laxity_sampled_cpu *cpu);

/* laxity_event_sampler_close - also frees it; NULL is none */
void laxity_event_sampler_close(struct laxity_event_sampler *sampler);

#endif
