/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The sink that keeps no events: how long the switches of each CPU took → switches.npy. */
#ifndef LAXITY_TRACE_SWITCH_STREAM_H
#define LAXITY_TRACE_SWITCH_STREAM_H

#include "base/cpus.h"
#include "base/histogram.h"
#include "base/npy.h"
#include "schema/streams.h"
#include "trace/trace.h"

#include <stdint.h>

/* What was seen of one CPU. */
struct laxity_switch_cpu {
    int64_t off_ns;   /* LAXITY_ABSENT_NS: the next record does not end a duration */
    int32_t next_tid; /* whose on ends it */
    uint64_t unpaired;
    uint64_t lost;
    struct laxity_histogram durations;
};

struct laxity_switch_stream {
    struct laxity_npy npy;
    struct laxity_cpus cpus;
    enum laxity_switches_quantity quantity;                         /* what is being counted now */
    struct laxity_switch_cpu *seen[LAXITY_SWITCHES_QUANTITY_COUNT]; /* by CPU */
};

/* laxity_switch_stream_open - start DIR/switches.npy. Returns 0 or -errno. */
int laxity_switch_stream_open(
    int dir_fd, const struct laxity_cpus *cpus, struct laxity_switch_stream *out_stream
);

/*
 * laxity_switch_stream_sink - where a back-end hands its findings; lives as long as the stream
 *
 * Events are paired: off with the on that follows it, of the thread that it announces, or with
 * LAXITY_SWITCHES_QUANTITY_EMPTY off with off, which a back-end hands twice for each switch. Whole
 * histograms are added.
 */
struct laxity_trace_sink laxity_switch_stream_sink(struct laxity_switch_stream *stream);

/* laxity_switch_stream_rows - how many switches of a CPU were counted */
uint64_t laxity_switch_stream_rows(const struct laxity_switch_stream *stream, unsigned cpu);

/* laxity_switch_stream_close - write all rows, close. Returns 0 or the first -errno. */
int laxity_switch_stream_close(struct laxity_switch_stream *stream);

/* laxity_switch_stream_free - what was counted; also of a stream that is all zero */
void laxity_switch_stream_free(struct laxity_switch_stream *stream);

#endif
