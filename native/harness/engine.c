/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/engine.h"

#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "harness/job.h"
#include "harness/job_process.h"
#include "harness/release.h"
#include "harness/segment.h"
#include "harness/stop_on.h"
#include "harness/threads.h"
#include "harness/workload_ops.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The next slot, or the spare one if the ring is full: the job runs all the same, its record is
 * lost and counted. */
static struct laxity_job_record *claim_record(const struct laxity_engine *engine, bool *out_is_lost)
{
    struct laxity_task *task = engine->task;
    const uint32_t slots = engine->segment->ring_slots;
    const uint64_t head = laxity_atomic64_load(&task->state.head);
    const uint64_t tail = laxity_atomic64_load(&task->drain.tail);
    *out_is_lost = head - tail >= slots;
    return *out_is_lost ? &task->state.spare : &engine->ring[head & (slots - 1)];
}

/*
 * Before the sleep: whatever is done here need not be done between release and start, and the
 * record's cache lines are near when the job needs them. The job counts as started only once
 * job_start_ns is set.
 */
static struct laxity_current_job
prepare_job(const struct laxity_engine *engine, uint64_t job, uint64_t ordinal)
{
    struct laxity_current_job current = {.record = NULL};
    current.record = claim_record(engine, &current.is_lost);
    current.record->tid = engine->tid;
    current.record->ordinal = ordinal;
    current.record->job = job;
    current.record->start_ns = LAXITY_ABSENT_NS;
    current.record->cause = LAXITY_END_NONE;
    atomic_store_explicit(&current.record->state, LAXITY_RECORD_CLAIMED, memory_order_release);
    return current;
}

static void isolate_next(const struct laxity_engine *engine)
{
    const struct laxity_workload_ops *ops = laxity_workload_ops();
    if (!ops->isolate_next) {
        return;
    }
    struct laxity_isolating *isolating = &engine->task->state.isolating;
    const int64_t begin_ns = laxity_now_ns();
    ops->isolate_next();
    laxity_note_isolating(isolating, isolating->checking_ns + laxity_now_ns() - begin_ns);
}

/* Waits for the release and runs its job; false if the run is to stop before. */
static bool run_released(
    const struct laxity_engine *engine,
    const struct laxity_current_job *current,
    int64_t release_ns,
    int64_t *finish_ns
)
{
    if (laxity_workload_ops()->job_process != LAXITY_JOB_IN_TASK) {
        return laxity_run_in_process(engine, current, release_ns, finish_ns);
    }
    struct laxity_usage_before slept;
    if (!laxity_engine_wait(engine, release_ns, *finish_ns, &slept)) {
        return false;
    }
    *finish_ns = laxity_engine_run_job(engine, current, &slept);
    isolate_next(engine);
    return true;
}

static void end_loop(const struct laxity_engine *engine, enum laxity_end end, int64_t end_ns)
{
    engine->task->state.end_ns = end_ns;
    atomic_store_explicit(&engine->task->state.end, end, memory_order_release);
}

/* Nobody else sees it before the next job starts. An aborted job has no finish. */
static bool stops_run(
    const struct laxity_engine *engine,
    const struct laxity_releases *releases,
    const struct laxity_job_record *record,
    int64_t finish_ns
)
{
    const int64_t release_ns = laxity_release_ns(releases, record->job);
    const int64_t abs_deadline_ns = laxity_abs_deadline_ns(releases, record->job);
    return record->cause == LAXITY_END_NONE &&
           laxity_stop_on_is_met(&engine->segment->stop_on, release_ns, abs_deadline_ns, finish_ns);
}

void laxity_engine_run(const struct laxity_engine *engine)
{
    const struct laxity_releases releases = laxity_task_releases(engine->segment, engine->task);
    const int64_t duration_ns = engine->segment->duration_ns;
    const int64_t limit_ns = duration_ns == LAXITY_ABSENT_NS
                                 ? INT64_MAX
                                 : releases.first_ns - engine->task->config.offset_ns + duration_ns;
    const uint64_t jobs = engine->task->config.jobs;
    uint64_t job = 0;
    int64_t finish_ns = INT64_MIN;
    bool is_stop = false; /* the run stops on the job before */
    for (uint64_t ordinal = 0;; ordinal++) {
        if (jobs > 0 && ordinal == jobs) {
            end_loop(engine, LAXITY_END_JOBS, finish_ns);
            return;
        }
        if (is_stop) {
            end_loop(engine, LAXITY_END_STOPPED, laxity_now_ns());
            return;
        }
        const int64_t release_ns = laxity_release_ns(&releases, job);
        /* A released job that could only start after the end does not start: under overload the run
         * would not end. */
        if (release_ns >= limit_ns || finish_ns >= limit_ns) {
            end_loop(engine, LAXITY_END_DURATION, limit_ns);
            return;
        }
        const struct laxity_current_job current = prepare_job(engine, job, ordinal);
        if (!run_released(engine, &current, release_ns, &finish_ns)) {
            end_loop(engine, LAXITY_END_INTERRUPT, laxity_now_ns());
            return;
        }
        if (ordinal == 0) {
            laxity_threads_look(engine->threads); /* in good time: a kill later leaves no other */
        }
        is_stop = stops_run(engine, &releases, current.record, finish_ns);
        job = laxity_next_job(&releases, job, finish_ns);
    }
}
