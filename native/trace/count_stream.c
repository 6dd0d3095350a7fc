/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/count_stream.h"

#include "base/npy.h"
#include "schema/streams.h"
#include "trace/sched_kinds.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static const struct laxity_field fields[] = {LAXITY_COUNTERS_PER_CPU_FIELDS};

enum {
    BUFFER_ROWS = 8192
};

static void write_buffer(struct laxity_count_stream *stream)
{
    if (stream->n_buffered > 0) {
        const int rc =
            laxity_npy_write(&stream->npy, stream->npy.rows, stream->buffer, stream->n_buffered);
        stream->error = stream->error ? stream->error : rc;
        stream->lost += rc ? stream->n_buffered : 0;
        stream->n_buffered = 0;
    }
}

int laxity_count_stream_open(int dir_fd, struct laxity_count_stream *out_stream)
{
    struct laxity_count_stream *stream = out_stream;
    *stream = (struct laxity_count_stream){.npy.fd = -1, .from_ns = INT64_MIN, .to_ns = INT64_MAX};
    stream->buffer = calloc(BUFFER_ROWS, sizeof *stream->buffer);
    if (!stream->buffer) {
        return -ENOMEM;
    }
    const int rc = laxity_npy_create(
        dir_fd, "counters.npy", fields, sizeof fields / sizeof fields[0], &stream->npy
    );
    if (rc) {
        free(stream->buffer);
        stream->buffer = NULL;
    }
    return rc;
}

void laxity_count_stream_take(void *context, const struct laxity_counters_per_cpu_row *row)
{
    struct laxity_count_stream *stream = context;
    const int64_t time_ns = row->time_ns + stream->clock_offset_ns;
    if (time_ns < stream->from_ns || time_ns >= stream->to_ns) {
        return;
    }
    if (stream->error) {
        stream->lost++;
        return;
    }
    struct laxity_counters_per_cpu_row *here = &stream->buffer[stream->n_buffered++];
    *here = *row;
    here->time_ns = time_ns;
    if (stream->has_hidden_threads && row->tid == 0) {
        here->tid = LAXITY_ABSENT_TID;
    }
    if (stream->n_buffered == BUFFER_ROWS) {
        write_buffer(stream);
    }
}

int laxity_count_stream_flush(struct laxity_count_stream *stream)
{
    write_buffer(stream);
    if (!stream->error) {
        stream->error = laxity_npy_patch(&stream->npy);
    }
    return stream->error;
}

int laxity_count_stream_close(struct laxity_count_stream *stream)
{
    if (!stream->buffer) {
        return 0;
    }
    write_buffer(stream);
    const int rc = laxity_npy_close(&stream->npy);
    free(stream->buffer);
    stream->buffer = NULL;
    return stream->error ? stream->error : rc;
}
