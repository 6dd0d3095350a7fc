/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What interrupts have read → counters.npy, with the CPU and whom they interrupted there. */
#ifndef LAXITY_TRACE_COUNT_STREAM_H
#define LAXITY_TRACE_COUNT_STREAM_H

#include "base/npy.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct laxity_count_stream {
    struct laxity_npy npy;
    struct laxity_counters_per_cpu_row *buffer; /* NULL: closed */
    size_t n_buffered;
    int64_t clock_offset_ns; /* our clock minus the machine's, on which rows come */
    bool
        has_hidden_threads; /* number 0 stands for an idle CPU and for threads that we cannot see */
    int64_t from_ns; /* what comes before is no row: the trace does not watch every CPU yet */
    int64_t to_ns;   /* nor what comes from here on */
    int error;       /* -errno of the first write that failed */
    uint64_t lost;   /* rows that could not be written */
};

/* laxity_count_stream_open - start DIR/counters.npy, for rows of any time. Returns 0 or -errno. */
int laxity_count_stream_open(int dir_fd, struct laxity_count_stream *out_stream);

/* laxity_count_stream_take - append a row; `context` is the stream */
void laxity_count_stream_take(void *context, const struct laxity_counters_per_cpu_row *row);

/* laxity_count_stream_flush - write what is buffered, patch the header. Returns 0 or -errno. */
int laxity_count_stream_flush(struct laxity_count_stream *stream);

/* laxity_count_stream_close - flush, close. Returns 0 or the first -errno. */
int laxity_count_stream_close(struct laxity_count_stream *stream);

#endif
