/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* From samples in the rings to rows in counters.npy. */
#ifndef LAXITY_HARNESS_SAMPLE_STREAM_H
#define LAXITY_HARNESS_SAMPLE_STREAM_H

#include "base/npy.h"
#include "harness/segment.h"

#include <stdbool.h>

struct laxity_sample_stream {
    struct laxity_npy npy;
    bool is_open;
};

/*
 * laxity_sample_stream_drain - write all samples of all tasks, making counters.npy at the first
 * call
 *
 * Goes on where another drain process died. Does nothing in a run without sampling. Returns 0 or
 * -errno; what was not written stays.
 */
int laxity_sample_stream_drain(
    struct laxity_sample_stream *stream, struct laxity_segment *segment, int dir_fd
);

/*
 * laxity_sample_stream_put - write a sample of a whole simulated platform, which counts all events
 *
 * Behind a drain. Returns 0 or -errno, and then nothing is written.
 */
int laxity_sample_stream_put(
    struct laxity_sample_stream *stream,
    struct laxity_segment *segment,
    const struct laxity_sample *sample
);

/* laxity_sample_stream_close - patch, fsync, close. Returns 0 or -errno. */
int laxity_sample_stream_close(struct laxity_sample_stream *stream);

/* laxity_sample_rows - rows of counters.npy so far */
uint64_t laxity_sample_rows(struct laxity_segment *segment);

#endif
