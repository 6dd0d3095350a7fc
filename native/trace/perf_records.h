/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The kernel's perf records as bytes → events. Pure: knows no system call. */
#ifndef LAXITY_TRACE_PERF_RECORDS_H
#define LAXITY_TRACE_PERF_RECORDS_H

#include "trace/trace.h"

#include <stddef.h>
#include <stdint.h>

/* A ring: byte i of the endless stream lies at data[i & (bytes - 1)]. */
struct laxity_perf_bytes {
    const unsigned char *data;
    uint64_t bytes; /* a power of two */
};

/*
 * laxity_perf_records_each - hand the records in [tail, head) of a ring over, each in one piece
 *
 * Returns 0, or -EBADMSG where a size cannot be (one below least_bytes): what follows is not read.
 */
int laxity_perf_records_each(
    const struct laxity_perf_bytes *ring,
    uint64_t tail,
    uint64_t head,
    size_t least_bytes,
    void (*take_record)(void *context, const unsigned char *record, size_t bytes),
    void *context
);

/*
 * laxity_perf_records_parse - hand the records in [tail, head) of one CPU's ring to a sink
 *
 * Records of unknown types are passed over. `*out_lost` grows by what LOST records tell. Returns 0,
 * or -EBADMSG where a size cannot be: what follows in the stretch is then not read.
 */
int laxity_perf_records_parse(
    const struct laxity_perf_bytes *ring,
    uint64_t tail,
    uint64_t head,
    int32_t cpu,
    const struct laxity_trace_sink *sink,
    uint64_t *out_lost
);

#endif
