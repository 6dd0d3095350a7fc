/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* From marks in the rings to rows in probe.npy, which exists once there is a mark. */
#ifndef LAXITY_HARNESS_MARK_STREAM_H
#define LAXITY_HARNESS_MARK_STREAM_H

#include "base/npy.h"
#include "harness/segment.h"

#include <stdbool.h>
#include <stdint.h>

struct laxity_mark_stream {
    struct laxity_segment *segment;
    int dir_fd;
    bool is_open; /* by this process */
    struct laxity_npy npy;
};

/*
 * laxity_mark_stream_drain - write the marks that are complete, of all tasks
 *
 * With is_final the tasks are gone: a mark whose writer died in it is left out and counted as lost.
 * Returns 0 or -errno; what was not written stays in its ring.
 */
int laxity_mark_stream_drain(struct laxity_mark_stream *stream, bool is_final);

/* laxity_mark_stream_patch - bring the header's row count up to date. Returns 0 or -errno. */
int laxity_mark_stream_patch(struct laxity_mark_stream *stream);

/* laxity_mark_stream_close - fsync and close, if there was a mark. Returns 0 or -errno. */
int laxity_mark_stream_close(struct laxity_mark_stream *stream);

/* laxity_lost_marks - of one task, as far as they are known to the drain process */
uint64_t laxity_lost_marks(struct laxity_segment *segment, uint32_t task_index);

#endif
