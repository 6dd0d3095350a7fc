/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A job that is a process of a program which knows nothing of us: what the workload does that runs
 * such programs (native/programs); others do not define it.
 *
 * The process exists before its release and is held there, at its entry.
 */
#ifndef LAXITY_HARNESS_HELD_PROGRAM_H
#define LAXITY_HARNESS_HELD_PROGRAM_H

#include "base/error.h"
#include "harness/segment.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* laxity_program_prepare - in the task, before the process of its next job is made */
__attribute__((weak)) void
laxity_program_prepare(const struct laxity_segment *segment, int64_t release_ns);

/* laxity_program_become - in a process just forked: becomes the program, which is held */
__attribute__((weak)) _Noreturn void laxity_program_become(void);

/*
 * laxity_program_hold - in the task: wait until the process is held
 *
 * *out_is_ours: it is held until laxity_program_release, else it waits for its release itself.
 * Returns 0, or -1 with error set: it could not become the program, or be held.
 */
__attribute__((weak)) int
laxity_program_hold(pid_t process, bool *out_is_ours, struct laxity_error *error);

/* laxity_program_release - at its release: let it begin, and note when */
__attribute__((weak)) void laxity_program_release(pid_t process);

/* laxity_program_has_started - its job has begun */
__attribute__((weak)) bool laxity_program_has_started(void);

/*
 * laxity_program_take - after its end, before it is reaped: what the job used
 *
 * finish_ns is when its end was seen. Returns 0, or -1 with error set: it was never held, so
 * nothing of it is a figure.
 */
__attribute__((weak)) int laxity_program_take(
    pid_t process, int64_t finish_ns, struct laxity_job_record *record, struct laxity_error *error
);

/* laxity_program_ready_ns - when it was prepared, of one that was held */
__attribute__((weak)) int64_t laxity_program_ready_ns(void);

/* laxity_program_note - before the first job and after each: what of holding it is less than asked
 * for */
__attribute__((weak)) void laxity_program_note(struct laxity_process_state *state);

/* laxity_program_reaped - what only the reaped process tells; then its output is passed on */
__attribute__((weak)) void
laxity_program_reaped(const struct rusage *usage, struct laxity_job_record *record);

#endif
