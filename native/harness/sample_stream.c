/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/sample_stream.h"

#include "base/npy.h"
#include "base/port/atomic64.h"
#include "counters/counters.h"
#include "harness/segment.h"
#include "schema/run.h"
#include "schema/streams.h"

#include <stddef.h>
#include <stdint.h>

enum {
    /* Samples written by one system call. */
    BATCH_SAMPLES = 256,
};

static const struct laxity_field fields[] = {LAXITY_COUNTERS_FIELDS};

static unsigned count_bits(uint32_t mask)
{
    unsigned n = 0;
    for (; mask != 0; mask &= mask - 1) {
        n++;
    }
    return n;
}

uint64_t laxity_sample_rows(struct laxity_segment *segment)
{
    uint64_t rows = segment->run.samples * segment->counting.n_events;
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(segment, i);
        rows +=
            laxity_atomic64_load(&task->drain.sample_tail) * count_bits(task->state.counted_events);
    }
    return rows;
}

/* The tails say how many rows are valid: what a drain process wrote and did not count is written
 * again. */
static int
open_stream(struct laxity_sample_stream *stream, struct laxity_segment *segment, int dir_fd)
{
    const unsigned n = sizeof fields / sizeof fields[0];
    const char *name = "counters.npy";
    int rc = 0;
    if (segment->samples_is_open) {
        const uint64_t rows = laxity_sample_rows(segment);
        rc = laxity_npy_reopen(dir_fd, name, fields, n, rows, &stream->npy);
    } else {
        rc = laxity_npy_create(dir_fd, name, fields, n, &stream->npy);
    }
    stream->is_open = rc == 0;
    segment->samples_is_open = rc == 0;
    return rc;
}

static unsigned make_rows(
    const struct laxity_sample *sample,
    uint16_t task,
    uint32_t counted,
    struct laxity_counters_row *out_rows
)
{
    unsigned n = 0;
    for (unsigned event = 0; event < LAXITY_EVENTS_MAX; event++) {
        if ((counted >> event & 1) != 0) {
            out_rows[n++] = (struct laxity_counters_row){
                .time_ns = sample->time_ns,
                .task = task,
                .event = (uint16_t)event,
                .value = sample->counts.values[event],
                .scale_ratio = sample->counts.scale_ratios[event],
            };
        }
    }
    return n;
}

static int
drain_task(struct laxity_sample_stream *stream, struct laxity_segment *segment, uint32_t index)
{
    static struct laxity_counters_row rows[BATCH_SAMPLES * LAXITY_EVENTS_MAX];
    struct laxity_task *task = laxity_segment_task(segment, index);
    const struct laxity_sample *ring = laxity_segment_samples(segment, index);
    const uint32_t mask = segment->counting.sample_slots - 1;
    const uint64_t head = laxity_atomic64_load(&task->state.sample_head);
    uint64_t tail = laxity_atomic64_load(&task->drain.sample_tail);
    while (tail != head) {
        unsigned n = 0;
        for (unsigned i = 0; i < BATCH_SAMPLES && tail != head; i++, tail++) {
            n += make_rows(
                &ring[tail & mask], (uint16_t)index, task->state.counted_events, &rows[n]
            );
        }
        const int rc = laxity_npy_write(&stream->npy, stream->npy.rows, rows, n);
        if (rc) {
            return rc;
        }
        laxity_atomic64_store(&task->drain.sample_tail, tail);
    }
    return 0;
}

int laxity_sample_stream_drain(
    struct laxity_sample_stream *stream, struct laxity_segment *segment, int dir_fd
)
{
    if (segment->counting.sample_slots == 0) {
        return 0;
    }
    int rc = stream->is_open ? 0 : open_stream(stream, segment, dir_fd);
    for (uint32_t i = 0; i < segment->n_tasks && rc == 0; i++) {
        rc = drain_task(stream, segment, i);
    }
    return rc;
}

int laxity_sample_stream_put(
    struct laxity_sample_stream *stream,
    struct laxity_segment *segment,
    const struct laxity_sample *sample
)
{
    struct laxity_counters_row rows[LAXITY_EVENTS_MAX];
    const uint32_t all = (UINT32_C(1) << segment->counting.n_events) - 1;
    const unsigned n = make_rows(sample, UINT16_MAX, all, rows);
    const int rc = laxity_npy_write(&stream->npy, stream->npy.rows, rows, n);
    if (rc == 0) {
        segment->run.samples++;
    }
    return rc;
}

int laxity_sample_stream_close(struct laxity_sample_stream *stream)
{
    if (!stream->is_open) {
        return 0;
    }
    stream->is_open = false;
    return laxity_npy_close(&stream->npy);
}
