/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The kernel's ring buffer pages as bytes → events. Pure: knows no system call. */
#ifndef LAXITY_TRACE_TRACEFS_RECORDS_H
#define LAXITY_TRACE_TRACEFS_RECORDS_H

#include "trace/trace.h"
#include "trace/tracefs_format.h"

#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_TRACEFS_IDS = UINT16_MAX + 1,
    LAXITY_TRACEPOINT_NAME_BYTES = 32,
};

/* One tracepoint that is recorded. */
struct laxity_tracepoint {
    const struct laxity_tracepoint_kind *kind;
    struct laxity_tracefs_format format;
    char name[LAXITY_TRACEPOINT_NAME_BYTES];
    char vector[LAXITY_VECTOR_NAME_BYTES]; /* of a CPU's own vector: its name */
};

struct laxity_tracefs_layout {
    struct laxity_tracefs_page page;
    unsigned n;
    struct laxity_tracepoint tracepoints[LAXITY_TRACEPOINTS_MAX];
    uint8_t by_id[LAXITY_TRACEFS_IDS]; /* index + 1; 0 = not ours */
};

/*
 * laxity_tracefs_add - record a tracepoint
 *
 * `format` is the text of its file of that name. Returns 0, -EBADMSG where the text lacks a field
 * that is needed, -ENOSPC.
 */
int laxity_tracefs_add(
    struct laxity_tracefs_layout *layout,
    const struct laxity_tracepoint_kind *kind,
    const char *format,
    const char *name
);

/*
 * laxity_tracefs_page_parse - hand the records of one page of a CPU to a sink
 *
 * Records of other tracepoints are passed over. `*out_lost` grows by what the page says is missing
 * before it. Returns 0, or -EBADMSG where a size cannot be: what follows in the page is not read.
 */
int laxity_tracefs_page_parse(
    const struct laxity_tracefs_layout *layout,
    const unsigned char *page,
    size_t bytes,
    int32_t cpu,
    const struct laxity_trace_sink *sink,
    uint64_t *out_lost
);

#endif
