/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Samples of a group of counters, as the kernel's perf records → values. Pure: knows no system
 * call. */
#ifndef LAXITY_TRACE_SAMPLE_RECORDS_H
#define LAXITY_TRACE_SAMPLE_RECORDS_H

#include "schema/run.h"
#include "trace/perf_records.h"

#include <stdint.h>

enum {
    /* The asked events, and before them a clock that interrupts. */
    LAXITY_SAMPLE_VALUES_MAX = LAXITY_EVENTS_MAX + 1,
};

/* What an interrupt has read, in the order of the group; counted since the group was started. */
struct laxity_group_sample {
    int64_t time_ns;
    int32_t tid; /* whom it interrupted; 0: idle; LAXITY_ABSENT_TID: one that was ending */
    uint64_t enabled_ns;
    uint64_t running_ns;
    unsigned n;
    uint64_t values[LAXITY_SAMPLE_VALUES_MAX];
};

struct laxity_sample_sink {
    void *context;
    void (*on_sample)(void *context, const struct laxity_group_sample *sample);
    /* `n` samples found no room. */
    void (*on_lost)(void *context, uint64_t n);
    /* The kernel held the group back for a while, since it took too much: nothing was counted. */
    void (*on_throttled)(void *context);
};

/*
 * laxity_sample_records_parse - hand the samples in [tail, head) of one group's ring to a sink
 *
 * `has_lost`: whether each value is followed by what its event has lost (PERF_FORMAT_LOST). Returns
 * 0, or -EBADMSG where a record makes no sense; those behind it are then not read.
 */
int laxity_sample_records_parse(
    const struct laxity_perf_bytes *ring,
    uint64_t tail,
    uint64_t head,
    int has_lost,
    const struct laxity_sample_sink *sink
);

#endif
