/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The condition that a run stops on: a task judges its own jobs and starts none behind the first
 * that is met; the drain process judges row by row, and the supervisor answers it for the other
 * tasks. What was found is in the segment, so that it outlives either.
 */
#ifndef LAXITY_HARNESS_STOP_ON_H
#define LAXITY_HARNESS_STOP_ON_H

#include "harness/job_rows.h"
#include "harness/segment.h"

#include <stdbool.h>
#include <stdint.h>

/* laxity_stop_on_is_met - is a finished job of the kind that the run stops on? `release_ns` and
 * `abs_deadline_ns` may be LAXITY_ABSENT_NS. */
bool laxity_stop_on_is_met(
    const struct laxity_stop_on *condition,
    int64_t release_ns,
    int64_t abs_deadline_ns,
    int64_t finish_ns
);

/*
 * laxity_stop_on_judge - note a finished job if it is of the kind that the run stops on
 *
 * Of several jobs seen in one pass the one that finished first counts; once it was told, no other.
 */
void laxity_stop_on_judge(struct laxity_segment *segment, const struct laxity_job_row *row);

/* laxity_stop_on_tell - at the end of a pass: wake the supervisor through the eventfd `fd` (-1 =
 * none) if a job was found since the last one */
void laxity_stop_on_tell(struct laxity_segment *segment, int fd);

/* laxity_stop_on_is_told - whether such a job was seen while the run lasted */
bool laxity_stop_on_is_told(const struct laxity_segment *segment);

#endif
