/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/outcome.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory_account.h"
#include "base/port/atomic64.h"
#include "base/port/file.h"
#include "base/port/page_scan.h"
#include "base/port/time.h"
#include "counters/event.h"
#include "harness/job_rows.h"
#include "harness/judge.h"
#include "harness/mark_stream.h"
#include "harness/sample_stream.h"
#include "harness/segment.h"
#include "schema/run.h"
#include "schema/streams.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SCHEMA = 1
};

static const char *run_status_name(uint32_t status)
{
    static const char *const names[] = {
        [LAXITY_RUN_RUNNING] = "recovered", /* the supervisor did not live to say */
        [LAXITY_RUN_COMPLETE] = "complete",
        [LAXITY_RUN_INTERRUPTED] = "interrupted",
        [LAXITY_RUN_FAILED] = "failed",
        [LAXITY_RUN_RECOVERED] = "recovered",
    };
    return names[status];
}

static void write_clock(struct laxity_json *json, struct laxity_segment *segment)
{
    const int64_t t0_ns = laxity_atomic64_load_ns(&segment->run.t0_ns);
    int64_t end_ns = segment->run.end_ns;
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        const int64_t task_end_ns = laxity_segment_task(segment, i)->drain.end_ns;
        end_ns = task_end_ns > end_ns ? task_end_ns : end_ns;
    }
    laxity_json_open(json, "clock", '{');
    laxity_json_text(json, "name", segment->is_simulated ? "simulated" : "CLOCK_MONOTONIC");
    if (t0_ns == 0) {
        laxity_json_null(json, "t0_ns");
        laxity_json_null(json, "end_ns");
    } else {
        laxity_json_int(json, "t0_ns", t0_ns);
        laxity_json_int(json, "end_ns", end_ns);
    }
    laxity_json_close(json, '}');
}

/* The rate over the whole run; none if the run was too short, or nobody read the counter at its
 * end. */
static void write_counter(struct laxity_json *json, const struct laxity_segment *segment)
{
    const struct laxity_run_state *run = &segment->run;
    if (segment->ticks_name[0] == '\0') {
        laxity_json_null(json, "counter");
        return;
    }
    laxity_json_open(json, "counter", '{');
    laxity_json_text(json, "name", segment->ticks_name);
    const int64_t elapsed_ns = run->ticks_end_ns - run->ticks_t0_ns;
    if (run->ticks_end_ns != 0 && elapsed_ns > LAXITY_NS_PER_MS) {
        const double rate_hz = (double)(run->ticks_end - run->ticks_t0) * 1e9 / (double)elapsed_ns;
        laxity_json_int(json, "rate_hz", (int64_t)rate_hz);
    } else {
        laxity_json_null(json, "rate_hz");
    }
    laxity_json_close(json, '}');
}

static void write_snapshots(struct laxity_json *json, struct laxity_segment *segment)
{
    static const char *const names[] = {
        [LAXITY_SNAPSHOTS_NONE] = "none",
        [LAXITY_SNAPSHOTS_CPU] = "cpu",
        [LAXITY_SNAPSHOTS_ALL] = "all",
    };
    const struct laxity_task_state *first = &laxity_segment_task(segment, 0)->state;
    laxity_json_open(json, "snapshots", '{');
    laxity_json_text(json, "mode", names[segment->snapshots]);
    laxity_json_count(json, "n", first->snapshot_n);
    if (first->snapshot_n > 0) {
        laxity_json_int(json, "exec_ns", first->snapshot_exec_ns);
        laxity_json_int(json, "wall_ns", first->snapshot_wall_ns);
    } else {
        laxity_json_null(json, "exec_ns");
        laxity_json_null(json, "wall_ns");
    }
    laxity_json_close(json, '}');
}

static void put_time(struct laxity_json *json, const char *name, int64_t time_ns)
{
    if (time_ns == LAXITY_ABSENT_NS) {
        laxity_json_null(json, name);
    } else {
        laxity_json_int(json, name, time_ns);
    }
}

/* Everything that was asked for; what does not count has no platform event. The cost of an empty
 * pair of snapshots is that of the first task that counts it. */
static void write_event(struct laxity_json *json, struct laxity_segment *segment, uint32_t index)
{
    const struct laxity_event *event = &segment->counting.events[index];
    const struct laxity_task_state *counting_task = NULL;
    for (uint32_t i = 0; i < segment->n_tasks && !counting_task; i++) {
        const struct laxity_task_state *state = &laxity_segment_task(segment, i)->state;
        counting_task = (state->counted_events >> index & 1) != 0 ? state : NULL;
    }
    laxity_json_open(json, NULL, '{');
    laxity_json_text(json, "name", event->name);
    if (!counting_task) {
        laxity_json_null(json, "platform_event");
        laxity_json_close(json, '}');
        return;
    }
    laxity_json_text(json, "platform_event", event->platform_event);
    laxity_json_text(json, "scope", laxity_event_scope_name(event->scope));
    laxity_json_text(json, "modes", laxity_event_modes_name(event));
    if (counting_task->snapshot_n > 0 && counting_task->empty_counts[index] != INT64_MIN) {
        laxity_json_int(json, "empty_count", counting_task->empty_counts[index]);
    } else {
        laxity_json_null(json, "empty_count");
    }
    laxity_json_close(json, '}');
}

static void write_events(struct laxity_json *json, struct laxity_segment *segment)
{
    laxity_json_open(json, "events", '[');
    for (uint32_t i = 0; i < segment->counting.n_events; i++) {
        write_event(json, segment, i);
    }
    laxity_json_close(json, ']');
}

static void write_sampling(struct laxity_json *json, struct laxity_segment *segment)
{
    const struct laxity_counting *counting = &segment->counting;
    uint64_t samples = 0;
    uint64_t lost = 0;
    if (counting->sample_slots == 0) {
        laxity_json_null(json, "sampling");
        return;
    }
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(segment, i);
        samples += laxity_atomic64_load(&task->drain.sample_tail);
        lost += laxity_atomic64_load(&task->state.lost_samples);
    }
    laxity_json_open(json, "sampling", '{');
    laxity_json_int(json, "bucket_ns", counting->sample_bucket_ns);
    if (counting->sample_cpu < 0) {
        laxity_json_null(json, "cpu");
    } else {
        laxity_json_int(json, "cpu", counting->sample_cpu);
    }
    laxity_json_count(json, "samples", samples);
    laxity_json_count(json, "lost", lost);
    laxity_json_close(json, '}');
}

static void write_counts(struct laxity_json *json, const struct laxity_drain_task *drain)
{
    laxity_json_open(json, "counts", '{');
    laxity_json_count(json, "done", drain->counts[LAXITY_STATUS_DONE]);
    laxity_json_count(json, "missed", drain->counts[LAXITY_STATUS_MISSED]);
    laxity_json_count(json, "skipped", drain->counts[LAXITY_STATUS_SKIPPED]);
    laxity_json_count(json, "aborted", drain->counts[LAXITY_STATUS_ABORTED]);
    laxity_json_count(json, "pending", drain->counts[LAXITY_STATUS_PENDING]);
    laxity_json_count(json, "not_met", drain->not_met);
    laxity_json_close(json, '}');
}

static void write_faults(
    struct laxity_json *json,
    const struct laxity_segment *segment,
    const struct laxity_drain_task *drain,
    bool is_own_program
)
{
    if (segment->snapshots != LAXITY_SNAPSHOTS_ALL || is_own_program) {
        laxity_json_null(json, "faults_after_first_job");
        return;
    }
    laxity_json_open(json, "faults_after_first_job", '{');
    laxity_json_count(json, "minor", drain->faults_minor);
    laxity_json_count(json, "major", drain->faults_major);
    laxity_json_close(json, '}');
}

/* null where nothing was counted: a task that ended before its init, an allocator that is not ours.
 */
static void write_memory(struct laxity_json *json, const struct laxity_task *task)
{
    const struct laxity_memory_account *memory = &task->state.memory;
    /* Of jobs in processes begun anew nobody adds up what each of them held. */
    const bool is_elsewhere = atomic_load(&task->state.job_process) >= LAXITY_JOB_IN_FRESH;
    if (is_elsewhere || task->config.is_memory_need != 0 ||
        atomic_load_explicit(&memory->is_counted, memory_order_relaxed) == 0) {
        laxity_json_null(json, "memory");
        return;
    }
    laxity_json_open(json, "memory", '{');
    laxity_json_count(
        json, "peak_bytes", atomic_load_explicit(&memory->peak_bytes, memory_order_relaxed)
    );
    if (task->config.memory_limit_bytes != 0) {
        laxity_json_count(json, "limit_bytes", task->config.memory_limit_bytes);
    } else {
        laxity_json_null(json, "limit_bytes");
    }
    laxity_json_close(json, '}');
}

static void write_need(struct laxity_json *json, const char *name, const struct laxity_need *need)
{
    laxity_json_open(json, name, '{');
    laxity_json_count(json, "peak_bytes", need->peak_bytes);
    laxity_json_count(json, "total_bytes", need->total_bytes);
    laxity_json_close(json, '}');
}

/* null: it was not asked for, or the task ended before it could be told. */
static void write_memory_need(struct laxity_json *json, const struct laxity_task *task)
{
    const struct laxity_memory_account *account = &task->state.memory;
    const struct laxity_memory_need *need = &task->state.need;
    if (atomic_load_explicit(&need->is_measured, memory_order_acquire) == 0 ||
        atomic_load_explicit(&account->is_counted, memory_order_relaxed) == 0) {
        laxity_json_null(json, "memory_need");
        return;
    }
    const struct laxity_need requested = {
        .peak_bytes = atomic_load_explicit(&account->peak_bytes, memory_order_relaxed),
        .total_bytes = account->total_bytes,
    };
    laxity_json_open(json, "memory_need", '{');
    write_need(json, "requested", &requested);
    write_need(json, "mapped", &need->mapped);
    write_need(json, "touched", &need->touched);
    if (need->is_written_known != 0) {
        write_need(json, "written", &need->written);
    } else {
        laxity_json_null(json, "written");
    }
    laxity_json_count(json, "stack_bytes", need->stack_bytes);
    laxity_json_count(json, "static_bytes", need->static_bytes);
    laxity_json_count(json, "calls", need->calls);
    laxity_json_text(
        json, "method", laxity_page_scan_name((enum laxity_page_scan_method)need->method)
    );
    if (account->limit_bytes == LAXITY_MEMORY_UNLIMITED) {
        laxity_json_null(json, "limit_is_crossed");
    } else {
        laxity_json_bool(json, "limit_is_crossed", atomic_load(&account->is_crossed) != 0);
    }
    laxity_json_close(json, '}');
}

static void write_isolating(struct laxity_json *json, const struct laxity_isolating *isolating)
{
    if (isolating->n == 0) {
        laxity_json_null(json, "isolating");
        return;
    }
    laxity_json_open(json, "isolating", '{');
    laxity_json_count(json, "n", isolating->n);
    laxity_json_int(json, "mean_ns", isolating->total_ns / (int64_t)isolating->n);
    laxity_json_int(json, "max_ns", isolating->max_ns);
    laxity_json_close(json, '}');
}

static void write_displaced_kinds(
    struct laxity_json *json,
    const struct laxity_process_state *state,
    const struct laxity_verdict *verdict
)
{
    static const char *const names[] = {
        [LAXITY_DISPLACED_POLICY] = "policy",
        [LAXITY_DISPLACED_CPUS] = "cpus",
    };
    for (unsigned kind = 0; kind < LAXITY_DISPLACED_KINDS; kind++) {
        const struct laxity_displaced *first =
            laxity_first_displaced(state, verdict, (enum laxity_displaced_kind)kind);
        if (first) {
            laxity_json_open(json, NULL, '{');
            laxity_json_text(json, "what", names[kind]);
            laxity_json_text(json, "planned", first->planned);
            laxity_json_text(json, "found", first->found);
            laxity_json_int(json, "seen_ns", first->seen_ns);
            laxity_json_count(json, "jobs", laxity_atomic64_load(&state->displaced[kind].jobs));
            laxity_json_close(json, '}');
        }
    }
}

static void write_elsewhere(struct laxity_json *json, const struct laxity_task *task)
{
    const struct laxity_elsewhere *elsewhere = &task->drain.elsewhere;
    char text[LAXITY_NAME_BYTES];
    if (elsewhere->jobs == 0) {
        return;
    }
    laxity_json_open(json, NULL, '{');
    laxity_json_text(json, "what", "cpu_of_job");
    laxity_cpus_format(&task->config.process.cpus, text, sizeof text);
    laxity_json_text(json, "planned", text);
    laxity_format(text, sizeof text, "%d", (int)elsewhere->first_cpu);
    laxity_json_text(json, "found", text);
    laxity_json_int(json, "seen_ns", elsewhere->first_ns);
    laxity_json_count(json, "jobs", elsewhere->jobs);
    laxity_json_close(json, '}');
}

static void write_task(struct laxity_json *json, struct laxity_segment *segment, uint32_t index)
{
    const struct laxity_task *task = laxity_segment_task(segment, index);
    const struct laxity_drain_task *drain = &task->drain;
    laxity_json_open(json, NULL, '{');
    laxity_json_count(json, "index", index);
    laxity_json_text(json, "policy", laxity_policy_name(task->state.process.policy));
    laxity_json_count(json, "released", drain->released);
    laxity_json_count(json, "started", drain->next_ordinal);
    write_counts(json, drain);
    laxity_json_count(json, "lost_rows", drain->lost_records);
    laxity_json_count(json, "lost_marks", laxity_lost_marks(segment, index));
    laxity_json_count(json, "threads_seen", atomic_load(&task->threads.most));
    laxity_json_int(json, "end_ns", drain->end_ns);
    laxity_json_text(json, "end_cause", laxity_end_name(drain->end));
    laxity_json_text(json, "end_detail", task->verdict.detail);
    const bool is_own_program = task->config.is_own_program != 0;
    if (is_own_program || segment->is_simulated) {
        laxity_json_null(json, "memory_locked"); /* its own business, and not seen */
    } else {
        laxity_json_bool(json, "memory_locked", task->state.process.memory_is_locked != 0);
    }
    write_faults(json, segment, drain, is_own_program);
    write_memory(json, task);
    write_memory_need(json, task);
    write_isolating(json, &task->state.isolating);
    laxity_json_open(json, "displaced", '[');
    write_displaced_kinds(json, &task->state.process, &task->verdict);
    write_elsewhere(json, task);
    laxity_json_close(json, ']');
    laxity_json_count(json, "rttime_pauses", laxity_atomic64_load(&task->state.rttime_pauses));
    laxity_json_count(json, "output_bytes", drain->output_bytes);
    laxity_json_open(json, "asked_calls", '[');
    for (unsigned i = 0; i < task->asked.n; i++) {
        laxity_json_text(json, NULL, task->asked.calls[i]);
    }
    laxity_json_close(json, ']');
    laxity_json_close(json, '}');
}

static void write_corunner(struct laxity_json *json, struct laxity_segment *segment, uint32_t index)
{
    const struct laxity_corunner *corunner = laxity_segment_corunner(segment, index);
    const int64_t t0_ns = laxity_atomic64_load_ns(&segment->run.t0_ns);
    const uint32_t end = atomic_load_explicit(&corunner->verdict.end, memory_order_acquire);
    laxity_json_open(json, NULL, '{');
    laxity_json_count(json, "index", index);
    laxity_json_text(json, "policy", laxity_policy_name(corunner->state.policy));
    laxity_json_count(json, "passes_before_t0", corunner->passes_before_t0);
    if (t0_ns != 0 && corunner->verdict.end_ns != 0) {
        laxity_json_count(json, "passes", corunner->passes_at_end - corunner->passes_before_t0);
        laxity_json_int(json, "elapsed_ns", corunner->verdict.end_ns - t0_ns);
    } else {
        laxity_json_null(json, "passes");
        laxity_json_null(json, "elapsed_ns");
    }
    laxity_json_text(json, "end_cause", laxity_end_name(end == 0 ? LAXITY_END_KILLED : end));
    laxity_json_text(json, "end_detail", corunner->verdict.detail);
    laxity_json_open(json, "displaced", '[');
    write_displaced_kinds(json, &corunner->state, &corunner->verdict);
    laxity_json_close(json, ']');
    laxity_json_close(json, '}');
}

static void
write_fallback(struct laxity_json *json, const char *what, const struct laxity_fallback *fallback)
{
    laxity_json_open(json, NULL, '{');
    laxity_json_text(json, "what", what);
    laxity_json_text(json, "used", fallback->used);
    laxity_json_text(json, "reason", fallback->reason);
    laxity_json_close(json, '}');
}

static void write_fallback_list(
    struct laxity_json *json, const char *name, const struct laxity_process_state *state
)
{
    for (uint32_t i = 0; i < state->n_fallbacks; i++) {
        const struct laxity_fallback *fallback = &state->fallbacks[i];
        char what[LAXITY_ERROR_TEXT_BYTES];
        laxity_format(what, sizeof what, "%s: %s", name, fallback->what);
        write_fallback(json, what, fallback);
    }
}

static void write_left_out_column(struct laxity_json *json, const char *task, const char *column)
{
    char what[LAXITY_ERROR_TEXT_BYTES];
    struct laxity_fallback fallback = {.used = "no column"};
    laxity_format(what, sizeof what, "%s: log column %s", task, column);
    laxity_format(
        fallback.reason,
        sizeof fallback.reason,
        "a run has room for %d different ones; let tasks share a header",
        LAXITY_LOG_COLUMNS_MAX
    );
    write_fallback(json, what, &fallback);
}

static void write_left_out(struct laxity_json *json, struct laxity_segment *segment)
{
    const struct laxity_job_layout layout = laxity_job_layout_of(segment);
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(segment, i);
        for (uint32_t j = 0; j < task->state.n_log_names; j++) {
            if (!laxity_job_layout_has(&layout, task->state.log_names[j])) {
                write_left_out_column(json, task->config.process.name, task->state.log_names[j]);
            }
        }
    }
}

static void write_fallbacks(struct laxity_json *json, struct laxity_segment *segment)
{
    const struct laxity_counting *counting = &segment->counting;
    laxity_json_open(json, "fallbacks", '[');
    for (uint32_t i = 0; i < counting->n_fallbacks; i++) {
        write_fallback(json, counting->fallbacks[i].what, &counting->fallbacks[i]);
    }
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(segment, i);
        write_fallback_list(json, task->config.process.name, &task->state.process);
    }
    for (uint32_t i = 0; i < segment->n_corunners; i++) {
        const struct laxity_corunner *corunner = laxity_segment_corunner(segment, i);
        write_fallback_list(json, corunner->config.name, &corunner->state);
    }
    write_left_out(json, segment);
    laxity_json_close(json, ']');
}

/* The job that the run stopped on; null if it was to stop on none, or none came. */
static void write_stop(struct laxity_json *json, struct laxity_segment *segment)
{
    const struct laxity_stop_job *found = &segment->stop_job;
    if (!found->is_found) {
        laxity_json_null(json, "stop");
        return;
    }
    /* By its own task, or by the drain process: whichever was first. */
    const struct laxity_task_state *state = &laxity_segment_task(segment, found->task)->state;
    int64_t seen_ns = found->seen_ns;
    if (atomic_load_explicit(&state->end, memory_order_acquire) == LAXITY_END_STOPPED &&
        (seen_ns == 0 || state->end_ns < seen_ns)) {
        seen_ns = state->end_ns;
    }
    laxity_json_open(json, "stop", '{');
    laxity_json_count(json, "task", found->task);
    laxity_json_count(json, "job", found->job);
    put_time(json, "release_ns", found->release_ns);
    put_time(json, "abs_deadline_ns", found->abs_deadline_ns);
    put_time(json, "finish_ns", found->finish_ns);
    put_time(json, "seen_ns", seen_ns ? seen_ns : LAXITY_ABSENT_NS);
    laxity_json_close(json, '}');
}

/* `task` null: the whole run. */
static void write_stalls(struct laxity_json *json, const struct laxity_segment *segment)
{
    const struct laxity_stalls *stalls = &segment->run.stalls;
    const uint32_t n = atomic_load_explicit(&stalls->n, memory_order_acquire);
    laxity_json_open(json, "stalls", '[');
    for (uint32_t i = 0; i < n; i++) {
        const struct laxity_stall *stall = &stalls->listed[i];
        laxity_json_open(json, NULL, '{');
        if (stall->task == LAXITY_STALL_OF_RUN) {
            laxity_json_null(json, "task");
        } else {
            laxity_json_count(json, "task", stall->task);
        }
        laxity_json_int(json, "from_ns", stall->from_ns);
        put_time(json, "to_ns", stall->to_ns ? stall->to_ns : LAXITY_ABSENT_NS);
        laxity_json_close(json, '}');
    }
    laxity_json_close(json, ']');
    laxity_json_count(json, "stalls_unlisted", stalls->more);
}

/* Of a simulator that was killed nobody knows it. */
static void
write_traffic(struct laxity_json *json, const struct laxity_segment *segment, bool is_lost)
{
    if (segment->is_simulated && !is_lost) {
        laxity_json_open(json, "memory_traffic", '{');
        laxity_json_count(json, "lines_read", segment->run.lines_read);
        laxity_json_count(json, "lines_written", segment->run.lines_written);
        laxity_json_close(json, '}');
    }
}

static void write_outcome(struct laxity_json *json, struct laxity_segment *segment)
{
    const struct laxity_run_state *run = &segment->run;
    const uint32_t status = atomic_load_explicit(&run->status, memory_order_acquire);
    const bool is_lost = status == LAXITY_RUN_RUNNING;
    laxity_json_open(json, NULL, '{');
    laxity_json_count(json, "schema", SCHEMA);
    laxity_json_text(json, "status", run_status_name(status));
    laxity_json_int(json, "exit_code", is_lost ? LAXITY_EXIT_NO_VERDICT : run->error.exit_code);
    laxity_json_text(
        json,
        "message",
        is_lost ? "the supervisor was killed; rows up to then were kept" : run->error.text
    );
    write_clock(json, segment);
    write_counter(json, segment);
    write_snapshots(json, segment);
    write_events(json, segment);
    write_sampling(json, segment);
    write_stop(json, segment);
    write_stalls(json, segment);
    write_traffic(json, segment, is_lost);
    laxity_json_open(json, "tasks", '[');
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        write_task(json, segment, i);
    }
    laxity_json_close(json, ']');
    laxity_json_open(json, "corunners", '[');
    for (uint32_t i = 0; i < segment->n_corunners; i++) {
        write_corunner(json, segment, i);
    }
    laxity_json_close(json, ']');
    write_fallbacks(json, segment);
    laxity_json_open(json, "tables", '{');
    laxity_json_count(json, "jobs.npy", segment->rows_written);
    if (segment->samples_is_open) {
        laxity_json_count(json, "counters.npy", laxity_sample_rows(segment));
    }
    laxity_json_close(json, '}');
    laxity_json_close(json, '}');
}

int laxity_outcome_write(struct laxity_segment *segment, int dir_fd)
{
    struct laxity_json json = {0};
    write_outcome(&json, segment);
    const int rc = json.is_out_of_memory
                       ? -ENOMEM
                       : laxity_write_file(dir_fd, "native.json", json.text, json.used);
    laxity_json_free(&json);
    return rc;
}
