/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a workload does between its jobs that is no part of any of them. */
#ifndef LAXITY_HARNESS_ISOLATING_H
#define LAXITY_HARNESS_ISOLATING_H

#include <stdint.h>

/*
 * laxity_isolate_next - make ready for the next job; workloads that need nothing do not define it
 *
 * Called before the first release and after each job, when its record is published and before the
 * next release is waited for. What it takes is no part of any job, and is stored apart. If it takes
 * longer than until the next release, that job starts late.
 */
__attribute__((weak)) void laxity_isolate_next(void);

/* Whose process runs a job. */
enum laxity_job_process {
    LAXITY_JOB_IN_TASK,    /* the task's own */
    LAXITY_JOB_IN_CHILD,   /* a child of it, forked before the release */
    LAXITY_JOB_IN_FRESH,   /* of the same executable, begun anew before the release */
    LAXITY_JOB_IN_PROGRAM, /* of a program that knows nothing of us (held_program.h) */
};

/*
 * laxity_job_process - where jobs run; of a workload that does not define it, in the task's process
 *
 * In a child or a fresh process laxity_isolate_next is called in each, before the release that it
 * waits for, and nowhere else. To be answered once benchmark_init has returned.
 */
__attribute__((weak)) enum laxity_job_process laxity_job_process(void);

/*
 * laxity_prepare_fresh - in a copy of the task's process that is about to become the fresh process
 * of a job: give it its words; of a workload that does not define it, those of the task
 *
 * words: as benchmark_init had them; theirs to change.
 */
__attribute__((weak)) void laxity_prepare_fresh(char **words);

/*
 * laxity_job_cause - why the job that has just ended is aborted (enum laxity_end), or
 * LAXITY_END_NONE
 *
 * Asked after its log value. The next job goes on.
 */
__attribute__((weak)) uint32_t laxity_job_cause(void);

/*
 * laxity_set_calls - each job is to do its work so often, more than once; before benchmark_init
 *
 * For work that is shorter than a clock can tell. Workloads that cannot do not define it.
 */
__attribute__((weak)) void laxity_set_calls(uint32_t calls);

#endif
