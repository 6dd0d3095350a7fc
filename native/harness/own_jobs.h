/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Jobs of a program that keeps its own main(): from the ring that include/laxity/job.h writes into
 * the ring of its task.
 *
 * Such a ring is a part of the segment, so that nothing is lost when the relay dies: whoever comes
 * later takes what is left in it. What the program wrote is not trusted: it may hold anything.
 */
#ifndef LAXITY_HARNESS_OWN_JOBS_H
#define LAXITY_HARNESS_OWN_JOBS_H

#include "harness/plan.h"
#include "harness/segment.h"

#include <laxity/job.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* laxity_own_rings_bytes - what the job rings add behind the segment; 0 = no task needs one */
size_t laxity_own_rings_bytes(const struct laxity_run_plan *plan);

/* laxity_own_rings_place - note where they are; the segment's other parts are known */
void laxity_own_rings_place(struct laxity_segment *segment);

/* laxity_own_ring - NULL if the segment has none, or is too short for it */
struct laxity_job_ring *laxity_own_ring(struct laxity_segment *segment, uint32_t task_index);

/* laxity_own_ring_offset - of a task's ring in the segment's file, in bytes; whole pages */
uint64_t laxity_own_ring_offset(const struct laxity_segment *segment, uint32_t task_index);

/* laxity_own_ring_open - make an empty ring, before the program exists */
void laxity_own_ring_open(struct laxity_job_ring *ring, enum laxity_snapshots snapshots);

/* laxity_own_program_pid - of the process that makes the jobs; 0 = none has joined */
int32_t laxity_own_program_pid(struct laxity_segment *segment, uint32_t task_index);

/*
 * laxity_own_jobs_take - move finished jobs into the task's ring, and mirror the running one
 *
 * Jobs beyond the task's number of jobs or the run's duration, and those that start at until_ns or
 * later, are none of the run. By one process at a time. Returns whether records were left, because
 * the task's ring is full.
 */
bool laxity_own_jobs_take(struct laxity_segment *segment, uint32_t task_index, int64_t until_ns);

/* laxity_own_jobs_are_complete - the task has made as many jobs as it shall */
bool laxity_own_jobs_are_complete(struct laxity_segment *segment, uint32_t task_index);

#endif
