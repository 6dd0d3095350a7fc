/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Jobs that are processes: each is made before its release, and what ends it ends only that job. */
#ifndef LAXITY_HARNESS_JOB_PROCESS_H
#define LAXITY_HARNESS_JOB_PROCESS_H

#include "harness/job.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * laxity_run_in_process - make the process of a job, wait for its end, publish its record
 *
 * False if the run is to stop before the job has started. Does not return if the process dies
 * before its job has started: then this one dies alike, so that the supervisor judges what it sees.
 */
bool laxity_run_in_process(
    const struct laxity_engine *engine,
    const struct laxity_current_job *current,
    int64_t release_ns,
    int64_t *out_finish_ns
);

/*
 * laxity_be_job_process - in that process: locked and prepared before the release, it sleeps until
 * then
 *
 * It shares the ring with the task, which writes nothing meanwhile.
 */
_Noreturn void laxity_be_job_process(
    const struct laxity_engine *engine, const struct laxity_current_job *current, int64_t release_ns
);

/* laxity_die_alike - end as a process of ours has, so that the supervisor judges what it sees
 *
 * wait_status: of an end that is no job's, or that has no job to be the end of. */
_Noreturn void laxity_die_alike(int wait_status);

#endif
