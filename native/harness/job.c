/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/job.h"

#include "base/port/atomic64.h"
#include "base/port/sched.h"
#include "base/port/ticks.h"
#include "base/port/time.h"
#include "counters/counters.h"
#include "harness/passages.h"
#include "harness/placement.h"
#include "harness/segment.h"
#include "harness/threads.h"
#include "harness/workload_ops.h"
#include "schema/run.h"

#include <laxity/hooks.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

enum {
    CALIBRATION_PAIRS = 51, /* odd, so that the median is a sample */
    /*
     * Each pair follows a sleep as long as the period, at most this: the longer a CPU sleeps, the
     * more the reading of its clocks costs. With warm caches it comes out at a third.
     */
    CALIBRATION_SLEEP_NS = 5 * LAXITY_NS_PER_MS,
    /* Long enough for the kernel to count it as a sleep, which resets its real-time clock
     * (RLIMIT_RTTIME). */
    RTTIME_PAUSE_NS = LAXITY_NS_PER_MS,
    /* A sleep at least so long from the reading of the usage to its end does take place. */
    SURE_SLEEP_NS = 100 * 1000,
};

/* What is read before and after a job; which fields are valid depends on the mode. */
struct snapshot {
    int64_t exec_ns;
    struct rusage usage;
    struct laxity_counter_reading counters;
};

/* Nearest to the job on both sides stand the counters, then the processor time, so that each holds
 * as little else as possible; a mode none or cpu has no counters. */
static void take_snapshot_before(
    const struct laxity_engine *engine,
    const struct laxity_usage_before *before,
    struct snapshot *out_snapshot
)
{
    const enum laxity_snapshots mode = engine->segment->snapshots;
    if (mode == LAXITY_SNAPSHOTS_ALL && !before->is_read) {
        (void)getrusage(RUSAGE_THREAD, &out_snapshot->usage);
    }
    if (mode != LAXITY_SNAPSHOTS_NONE) {
        out_snapshot->exec_ns = laxity_thread_time_ns();
    }
    laxity_counters_read(&engine->counters, LAXITY_FIRST_GROUP_FIRST, &out_snapshot->counters);
}

static void take_snapshot_after(const struct laxity_engine *engine, struct snapshot *out_snapshot)
{
    const enum laxity_snapshots mode = engine->segment->snapshots;
    laxity_counters_read(&engine->counters, LAXITY_FIRST_GROUP_LAST, &out_snapshot->counters);
    if (mode != LAXITY_SNAPSHOTS_NONE) {
        out_snapshot->exec_ns = laxity_thread_time_ns();
    }
    if (mode == LAXITY_SNAPSHOTS_ALL) {
        (void)getrusage(RUSAGE_THREAD, &out_snapshot->usage);
    }
}

/* Our own sleep is none of the job's. One that did not switch, against all experience, leaves a
 * count of which nothing is known. */
static void store_usage(
    const struct rusage *before,
    const struct rusage *after,
    int32_t n_waits,
    struct laxity_job_record *record
)
{
    const int32_t switches = (int32_t)(after->ru_nvcsw - before->ru_nvcsw);
    record->preemptions = (int32_t)(after->ru_nivcsw - before->ru_nivcsw);
    record->blockings = switches >= n_waits ? switches - n_waits : INT32_MIN;
    record->minor_faults = (int32_t)(after->ru_minflt - before->ru_minflt);
    record->major_faults = (int32_t)(after->ru_majflt - before->ru_majflt);
}

static void store_difference(
    const struct laxity_engine *engine,
    const struct laxity_usage_before *slept,
    const struct snapshot *before,
    const struct snapshot *after,
    struct laxity_job_record *record
)
{
    const enum laxity_snapshots mode = engine->segment->snapshots;
    if (mode != LAXITY_SNAPSHOTS_NONE) {
        record->exec_ns = after->exec_ns - before->exec_ns;
    }
    if (mode == LAXITY_SNAPSHOTS_ALL) {
        const bool is_slept = slept->is_read;
        store_usage(
            is_slept ? &slept->usage : &before->usage,
            &after->usage,
            is_slept ? slept->n_waits : 0,
            record
        );
    }
    if (engine->segment->counting.n_events > 0) {
        laxity_counters_difference(
            &engine->counters, &before->counters, &after->counters, &record->counts
        );
    }
}

/*
 * The measured section. Between the two readings of the clock stands the job and one store, which
 * says that it has started: every instruction added here is charged to every job of every user.
 */
static int64_t execute_job(const struct laxity_engine *engine, struct laxity_job_record *record)
{
    const uint64_t start_ticks = engine->has_ticks ? laxity_ticks() : 0;
    const int64_t start_ns = laxity_now_ns();
    laxity_atomic64_store_ns(&engine->task->state.job_start_ns, start_ns);
    engine->execute(engine->workload_argc, engine->workload_argv);
    const int64_t finish_ns = laxity_now_ns();
    record->finish_ticks = engine->has_ticks ? laxity_ticks() : 0;
    record->start_ticks = start_ticks;
    record->start_ns = start_ns;
    record->finish_ns = finish_ns;
    return finish_ns;
}

void laxity_engine_publish(
    const struct laxity_engine *engine, const struct laxity_current_job *current
)
{
    struct laxity_task_state *state = &engine->task->state;
    atomic_store_explicit(&current->record->state, LAXITY_RECORD_DONE, memory_order_release);
    if (current->is_lost) {
        laxity_atomic64_increment(&state->lost_records);
    } else {
        laxity_atomic64_increment(&state->head);
    }
    laxity_atomic64_store_ns(&state->job_start_ns, 0);
}

/* Where jobs are isolated, telling the value means checking the job and taking back what it left.
 */
static void read_log_values(const struct laxity_engine *engine, float *out_values)
{
    const struct laxity_workload_ops *ops = laxity_workload_ops();
    const bool is_isolated = ops->isolate_next != NULL;
    const int64_t begin_ns = is_isolated ? laxity_now_ns() : 0;
    if (ops->log) {
        ops->log->read(out_values, engine->task->state.n_log_names);
    } else if (benchmark_log_data) {
        out_values[0] = benchmark_log_data();
    } else {
        return;
    }
    engine->task->state.isolating.checking_ns = is_isolated ? laxity_now_ns() - begin_ns : 0;
}

void laxity_engine_note_abort(
    const struct laxity_engine *engine,
    const struct laxity_job_record *record,
    enum laxity_end cause,
    int wait_status
)
{
    struct laxity_aborted *aborted = &engine->task->state.aborted;
    if (laxity_atomic64_load(&aborted->n) == 0) {
        aborted->first_job = record->job;
        aborted->first_cause = cause;
        aborted->first_status = wait_status;
    }
    laxity_atomic64_increment(&aborted->n);
}

/* The workload's own word on how its job ended. */
static void take_cause(const struct laxity_engine *engine, struct laxity_job_record *record)
{
    const struct laxity_workload_ops *ops = laxity_workload_ops();
    record->cause = ops->job_cause ? ops->job_cause() : LAXITY_END_NONE;
    if (record->cause != LAXITY_END_NONE) {
        laxity_engine_note_abort(engine, record, record->cause, 0);
    }
}

static void take_regions(struct laxity_job_record *record)
{
    const struct laxity_job_regions none = {LAXITY_ABSENT_NS, UINT32_MAX};
    const struct laxity_workload_ops *ops = laxity_workload_ops();
    const struct laxity_job_regions regions = ops->regions_of_job ? ops->regions_of_job() : none;
    record->roi_ns = regions.total_ns;
    record->roi_count = regions.count;
}

/* Order per job: snapshot A; start; job; finish; snapshot B; row (design section 4). Whether the
 * task is still scheduled as planned is asked when all that is over. */
int64_t laxity_engine_run_job(
    const struct laxity_engine *engine,
    const struct laxity_current_job *current,
    const struct laxity_usage_before *slept
)
{
    struct laxity_job_record *record = current->record;
    record->cpu_start = sched_getcpu();
    struct snapshot before;
    struct snapshot after;
    if (engine->is_forking) {
        laxity_threads_hold_signals();
    }
    laxity_passages_start(record->job);
    take_snapshot_before(engine, slept, &before);
    const int64_t finish_ns = execute_job(engine, record);
    take_snapshot_after(engine, &after);
    laxity_passages_finish();
    record->cpu_finish = sched_getcpu();
    store_difference(engine, slept, &before, &after, record);
    if (engine->is_forking) {
        laxity_threads_count_job(engine->threads, engine->segment->snapshots, record);
        laxity_threads_take_signals();
    }
    read_log_values(engine, record->log_values);
    take_cause(engine, record);
    take_regions(record);
    laxity_engine_publish(engine, current);
    struct laxity_process_state *process = &engine->task->state.process;
    laxity_find_displaced(&engine->task->config.process, process, 0, 1, process->displaced);
    return finish_ns;
}

void laxity_note_isolating(struct laxity_isolating *isolating, int64_t took_ns)
{
    isolating->n++;
    isolating->total_ns += took_ns;
    isolating->max_ns = took_ns > isolating->max_ns ? took_ns : isolating->max_ns;
}

/* A FIFO task that never sleeps would be killed by RLIMIT_RTTIME although each of its jobs ends in
 * time. */
static void answer_rttime(const struct laxity_engine *engine)
{
    if (!*engine->rttime_is_reached) {
        return;
    }
    *engine->rttime_is_reached = 0;
    laxity_pause_ns(RTTIME_PAUSE_NS);
    laxity_atomic64_increment(&engine->task->state.rttime_pauses);
    /* The kernel has raised the soft limit by a second when it sent the signal. */
    (void)laxity_limit_rt_time(engine->rttime_soft_us, engine->rttime_hard_us);
}

bool laxity_engine_must_stop(const struct laxity_engine *engine)
{
    return *engine->stop ||
           atomic_load_explicit(&engine->segment->run.stop, memory_order_relaxed) != 0;
}

/* The last thing before the sleep, of which the usage then holds nothing but its switch. (Processor
 * time cannot be read so early: the sleep costs some.) */
static void read_usage_before(
    const struct laxity_engine *engine, int64_t release_ns, struct laxity_usage_before *before
)
{
    if (engine->segment->snapshots == LAXITY_SNAPSHOTS_ALL) {
        (void)getrusage(RUSAGE_THREAD, &before->usage);
        before->is_read = release_ns - laxity_now_ns() >= SURE_SLEEP_NS;
    }
}

bool laxity_engine_wait(
    const struct laxity_engine *engine,
    int64_t release_ns,
    int64_t now_ns,
    struct laxity_usage_before *out_before
)
{
    *out_before = (struct laxity_usage_before){.is_read = false};
    laxity_atomic64_store_ns(&engine->task->state.next_release_ns, release_ns);
    answer_rttime(engine);
    if (release_ns > now_ns) {
        read_usage_before(engine, release_ns, out_before);
        do {
            out_before->n_waits++;
        } while (laxity_sleep_until(release_ns) != 0 && !laxity_engine_must_stop(engine));
    }
    return !laxity_engine_must_stop(engine);
}

/* One empty pair of snapshots: what it leaves in the execution time, on the wall clock, and in each
 * counter. */
struct calibration {
    int64_t exec_ns[CALIBRATION_PAIRS];
    int64_t wall_ns[CALIBRATION_PAIRS];
    int64_t counts[LAXITY_EVENTS_MAX][CALIBRATION_PAIRS];
};

static int compare_values(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static int64_t median(int64_t *samples)
{
    qsort(samples, CALIBRATION_PAIRS, sizeof samples[0], compare_values);
    return samples[CALIBRATION_PAIRS / 2];
}

/* The steps of laxity_engine_run_job around a job that does nothing. */
static void
calibrate_once(const struct laxity_engine *engine, struct calibration *calibration, size_t pair)
{
    const struct laxity_usage_before slept = {.is_read = true}; /* as of most jobs */
    struct snapshot before;
    struct snapshot after;
    struct laxity_counts counts;
    const int64_t begin_ns = laxity_now_ns();
    take_snapshot_before(engine, &slept, &before);
    (void)(engine->has_ticks ? laxity_ticks() : 0);
    const int64_t start_ns = laxity_now_ns();
    const int64_t finish_ns = laxity_now_ns();
    (void)(engine->has_ticks ? laxity_ticks() : 0);
    take_snapshot_after(engine, &after);
    calibration->wall_ns[pair] = laxity_now_ns() - begin_ns;
    calibration->exec_ns[pair] = after.exec_ns - before.exec_ns - (finish_ns - start_ns);
    laxity_counters_difference(&engine->counters, &before.counters, &after.counters, &counts);
    for (size_t i = 0; i < LAXITY_EVENTS_MAX; i++) {
        calibration->counts[i][pair] = counts.values[i];
    }
}

void laxity_engine_calibrate(const struct laxity_engine *engine)
{
    struct laxity_task_state *state = &engine->task->state;
    if (engine->segment->snapshots == LAXITY_SNAPSHOTS_NONE) {
        return;
    }
    const int64_t period_ns = engine->task->config.period_ns;
    const int64_t sleep_ns = period_ns < CALIBRATION_SLEEP_NS ? period_ns : CALIBRATION_SLEEP_NS;
    static struct calibration calibration;
    for (size_t i = 0; i < CALIBRATION_PAIRS; i++) {
        laxity_pause_ns(sleep_ns);
        calibrate_once(engine, &calibration, i);
    }
    state->snapshot_exec_ns = median(calibration.exec_ns);
    state->snapshot_wall_ns = median(calibration.wall_ns);
    for (size_t i = 0; i < LAXITY_EVENTS_MAX; i++) {
        state->empty_counts[i] = median(calibration.counts[i]);
    }
    state->snapshot_n = CALIBRATION_PAIRS;
}
