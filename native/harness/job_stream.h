/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* From records in the rings to rows in jobs.npy, with skipped and pending rows filled in. */
#ifndef LAXITY_HARNESS_JOB_STREAM_H
#define LAXITY_HARNESS_JOB_STREAM_H

#include "base/npy.h"
#include "harness/job_rows.h"
#include "harness/segment.h"

#include <stdint.h>

struct laxity_job_stream {
    struct laxity_segment *segment;
    struct laxity_job_layout layout;
    struct laxity_npy npy;
};

/* laxity_job_stream_open - create jobs.npy, or go on with it after another drain process. Returns 0
 * or -errno. */
int laxity_job_stream_open(
    struct laxity_segment *segment, int dir_fd, struct laxity_job_stream *out_stream
);

/* laxity_job_stream_drain - write all records that are complete. Returns 0 or -errno; what was not
 * written stays. */
int laxity_job_stream_drain(struct laxity_job_stream *stream, uint32_t task_index);

/*
 * laxity_job_stream_end_task - the aborted job, then every release before the task's end
 *
 * The task's process must be gone. Does nothing if done before. Returns 0 or -errno.
 */
int laxity_job_stream_end_task(
    struct laxity_job_stream *stream, uint32_t task_index, int64_t end_ns, enum laxity_end end
);

/* laxity_job_stream_close - sort if needed, write histogram.npy and threads.npy, fsync. Returns 0
 * or -errno. */
int laxity_job_stream_close(struct laxity_job_stream *stream, int dir_fd);

#endif
