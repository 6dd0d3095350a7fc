/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Counters of the calling thread: opened in groups, each read by one system call.
 *
 * Events of one group count over the same stretch of time. Where the PMU has fewer counters than
 * are asked for, further groups are opened and the kernel lets them take turns: what each counted
 * is stored with its scale ratio, the time it was to count over the time it did.
 */
#ifndef LAXITY_COUNTERS_COUNTERS_H
#define LAXITY_COUNTERS_COUNTERS_H

#include "counters/event.h"
#include "schema/run.h"

#include <linux/perf_event.h>
#include <stdint.h>

struct laxity_counter_group {
    int fd; /* of its leader */
    unsigned n;
    unsigned events[LAXITY_EVENTS_MAX]; /* in the order of the kernel's answer */
    int fds[LAXITY_EVENTS_MAX];
    enum laxity_event_scope scope;
};

struct laxity_counters {
    unsigned n_groups;
    struct laxity_counter_group groups[LAXITY_EVENTS_MAX];
};

/* The kernel's answer for one group (PERF_FORMAT_GROUP with both times). */
struct laxity_group_reading {
    uint64_t n;
    uint64_t enabled_ns;
    uint64_t running_ns;
    uint64_t values[LAXITY_EVENTS_MAX];
};

struct laxity_counter_reading {
    struct laxity_group_reading groups[LAXITY_EVENTS_MAX];
};

/* A difference or a sum per event; absent = INT64_MIN and NaN. */
struct laxity_counts {
    int64_t values[LAXITY_EVENTS_MAX];
    float scale_ratios[LAXITY_EVENTS_MAX];
};

enum laxity_order {
    LAXITY_FIRST_GROUP_FIRST,
    LAXITY_FIRST_GROUP_LAST
};

/* laxity_event_attributes - what the kernel is told; a group's answer is laxity_group_reading's */
struct perf_event_attr laxity_event_attributes(const struct laxity_event *event);

/*
 * laxity_counters_open - start to count `n` events for the calling thread
 *
 * `out_errors[i]` becomes 0 for an event that counts, else the -errno of the kernel's refusal. An
 * event whose code in the kernel may not be counted is counted in user mode alone, and
 * events[i].excludes_kernel says so; one of the kernel itself is then refused. Ends with
 * laxity_counters_close.
 */
void laxity_counters_open(
    struct laxity_event *events, unsigned n, struct laxity_counters *out_counters, int *out_errors
);

/*
 * laxity_counters_read - one system call per group, nothing else
 *
 * Before a job in one order and after it in the other, so that what one group counts of the
 * reading of the others is as little as possible.
 */
void laxity_counters_read(
    const struct laxity_counters *counters,
    enum laxity_order order,
    struct laxity_counter_reading *out_reading
);

/* laxity_counters_difference - what was counted in between; absent where a counter did not run */
void laxity_counters_difference(
    const struct laxity_counters *counters,
    const struct laxity_counter_reading *before,
    const struct laxity_counter_reading *after,
    struct laxity_counts *out_counts
);

void laxity_counts_set_absent(struct laxity_counts *out_counts);

void laxity_counters_close(struct laxity_counters *counters);

#endif
