/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What the supervisor decides about one process: has it hung, and how did it end? */
#ifndef LAXITY_HARNESS_JUDGE_H
#define LAXITY_HARNESS_JUDGE_H

#include "harness/segment.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * laxity_task_hangs - a job runs longer than its timeout, or a release is so long past that the
 * task must be stuck
 *
 * Judged by job start and heartbeat in the task's state; valid once t0 is published. Time before
 * stalled_until_ns, when the whole run stood still, is not counted; 0 = it never did.
 */
bool laxity_task_hangs(const struct laxity_task *task, int64_t now_ns, int64_t stalled_until_ns);

/*
 * laxity_judge_task - record how a task's process ended
 *
 * Fills verdict (end, end_ns, detail) where the task did not end by itself, and sets `error` for
 * what is a failure of the run. `is_published`: the run had begun. Returns whether it is one.
 */
bool laxity_judge_task(
    struct laxity_segment *segment,
    uint32_t index,
    int wait_status,
    bool is_published,
    struct laxity_error *error
);

/* laxity_judge_corunner - the same for a co-runner: any end that the supervisor did not ask for is
 * a failure */
bool laxity_judge_corunner(
    struct laxity_segment *segment,
    uint32_t index,
    int wait_status,
    bool is_published,
    struct laxity_error *error
);

/* laxity_end_task - give a verdict unless there is one: the first cause in time stays. Only a task
 * that was to end after its job (LAXITY_END_STOPPED) may still fail in it. */
void laxity_end_task(struct laxity_task *task, enum laxity_end end, int64_t end_ns);

/* laxity_judge_aborted - jobs that were aborted while their task went on; at the run's end */
void laxity_judge_aborted(struct laxity_segment *segment, struct laxity_error *error);

/* laxity_first_displaced - when a process was first found displaced, by itself or from outside;
 * NULL: never */
const struct laxity_displaced *laxity_first_displaced(
    const struct laxity_process_state *state,
    const struct laxity_verdict *verdict,
    enum laxity_displaced_kind kind
);

/*
 * laxity_judge_displaced - tasks, their jobs and co-runners that were not where, or not under the
 * policy, that was planned; at the run's end, when all rows are made
 *
 * It comes before an interrupt: it was so when that came.
 */
void laxity_judge_displaced(struct laxity_segment *segment, struct laxity_error *error);

#endif
