/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/prepare.h"

#include "base/error.h"
#include "base/port/memory.h"
#include "base/port/sched.h"
#include "harness/counting.h"
#include "harness/job.h"
#include "harness/memory_limit.h"
#include "harness/memory_need.h"
#include "harness/placement.h"
#include "harness/segment.h"
#include "harness/threads.h"
#include "harness/workload_ops.h"
#include "schema/run.h"

#include <laxity/hooks.h>
#include <laxity/units.h>

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    NS_PER_US = 1000,
    /* Behind the killer, which acts at the job timeout: first a signal, then the kernel's own
     * SIGKILL. The limit holds for each thread by itself. */
    RTTIME_SOFT_MARGIN_US = 1000000,
    RTTIME_HARD_MARGIN_US = 5 * 1000000,
};

/* After init, so that what it allocated is locked too, and a small RLIMIT_MEMLOCK does not make it
 * fail. */
static void lock_memory(struct laxity_process_state *state)
{
    const int rc = laxity_lock_memory();
    state->memory_is_locked = rc == 0;
    if (rc) {
        char reason[LAXITY_ERROR_TEXT_BYTES];
        laxity_format(
            reason,
            sizeof reason,
            "mlockall: %s; raise RLIMIT_MEMLOCK or run as root, else page faults may delay jobs",
            strerrordesc_np(-rc)
        );
        laxity_add_fallback(state, "locked memory", "unlocked", reason);
    }
}

/* Up to `end`; what is unsafe inside the header of a stream, or on a terminal, becomes "_". */
static void copy_name(char *name, size_t bytes, const char *from, char end)
{
    size_t used = 0;
    for (; from[used] != '\0' && from[used] != end && used + 1 < bytes; used++) {
        const char letter = from[used];
        const int is_unsafe = letter < ' ' || letter > '~' || letter == '\'' || letter == '\\';
        if (is_unsafe) {
            name[used] = '_';
        } else {
            name[used] = letter;
        }
    }
    name[used] = '\0';
}

/* How many values the workload has of each job, and what it calls them; NULL = none. */
static const char *find_log_header(unsigned *out_n)
{
    const struct laxity_log_ops *log = laxity_workload_ops()->log;
    if (log) {
        return log->header(out_n);
    }
    *out_n = 1;
    return benchmark_log_header && benchmark_log_data ? benchmark_log_header() : NULL;
}

static void note_log_names(struct laxity_task_state *state, const char *header, unsigned n_values)
{
    char all[LAXITY_NAME_BYTES];
    char what[LAXITY_NAME_BYTES];
    char used[LAXITY_NAME_BYTES];
    char reason[LAXITY_ERROR_TEXT_BYTES];
    copy_name(all, sizeof all, header, '\0');
    laxity_format(what, sizeof what, "log columns %.48s", all);
    laxity_format(used, sizeof used, "the first %u", (unsigned)state->n_log_names);
    if (laxity_workload_ops()->log) {
        laxity_format(
            reason,
            sizeof reason,
            "there are %u values a job, and room for %d; name as many columns in the header",
            n_values,
            LAXITY_LOG_VALUES_MAX
        );
    } else {
        laxity_format(used, sizeof used, "%s", state->log_names[0]);
        laxity_format(
            reason,
            sizeof reason,
            "benchmark_log_data gives one value a job; name one column in benchmark_log_header"
        );
    }
    laxity_add_fallback(&state->process, what, used, reason);
}

/* No name is empty, and none of a task stands twice: each is a column. */
static void take_log_name(struct laxity_task_state *state, const char *from)
{
    char *name = state->log_names[state->n_log_names];
    copy_name(name, LAXITY_NAME_BYTES, from, ',');
    bool is_taken = name[0] == '\0';
    for (uint32_t i = 0; i < state->n_log_names; i++) {
        is_taken |= strcmp(state->log_names[i], name) == 0;
    }
    state->n_log_names++;
    if (is_taken) {
        char copy[LAXITY_NAME_BYTES];
        laxity_format(copy, sizeof copy, "%s", name[0] == '\0' ? "value" : name);
        laxity_format(name, LAXITY_NAME_BYTES, "%.56s %u", copy, (unsigned)state->n_log_names);
    }
}

/* The comma that RT-Bench wants in front is dropped. RT-Bench prints a header as it is, and as many
 * values below it as there are. */
static void take_log_names(struct laxity_task_state *state)
{
    unsigned n_values = 0;
    const char *header = find_log_header(&n_values);
    header = header && header[0] == ',' ? header + 1 : header;
    if (!header || header[0] == '\0') {
        return;
    }
    const char *rest = header;
    while (rest[0] != '\0' && state->n_log_names < n_values &&
           state->n_log_names < LAXITY_LOG_VALUES_MAX) {
        take_log_name(state, rest);
        rest += strcspn(rest, ",");
        rest += rest[0] == ',';
    }
    if (rest[0] != '\0' || state->n_log_names < n_values) {
        note_log_names(state, header, n_values);
    }
}

static int prefault(struct laxity_task *task)
{
    struct laxity_error *error = &task->state.process.error;
    const struct laxity_task_config *config = &task->config;
    char asked[LAXITY_BYTES_TEXT_BYTES];
    laxity_keep_heap();
    if (config->threads > 1) {
        laxity_share_heap();
    }
    if (config->stack_bytes > laxity_stack_limit()) {
        char allowed[LAXITY_BYTES_TEXT_BYTES];
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "task \"%s\": a stack of %s is more than the limit allows (%s); raise ulimit -s",
            config->process.name,
            laxity_format_bytes(config->stack_bytes, asked),
            laxity_format_bytes(laxity_stack_limit(), allowed)
        );
    }
    laxity_touch_stack((size_t)config->stack_bytes);
    if (laxity_touch_heap((size_t)config->heap_bytes)) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "task \"%s\": no memory for a heap of %s; lower heap",
            config->process.name,
            laxity_format_bytes(config->heap_bytes, asked)
        );
    }
    return 0;
}

static void limit_rt_time(struct laxity_engine *engine)
{
    const enum laxity_policy policy = engine->task->state.process.policy;
    if (policy == LAXITY_POLICY_OTHER || policy == LAXITY_POLICY_DEADLINE) {
        return; /* it counts the time of FIFO and RR alone; a reservation is its own limit */
    }
    const uint64_t timeout_us = (uint64_t)engine->task->config.job_timeout_ns / NS_PER_US;
    engine->rttime_soft_us = timeout_us + RTTIME_SOFT_MARGIN_US;
    engine->rttime_hard_us = timeout_us + RTTIME_HARD_MARGIN_US;
    /* Refused only if the user's own hard limit is lower, and then that one guards. */
    (void)laxity_limit_rt_time(engine->rttime_soft_us, engine->rttime_hard_us);
}

/* A sampler reads counters of the task's process; a program is not ours to count in. */
static int check_events(const struct laxity_engine *engine, enum laxity_job_process where)
{
    const struct laxity_counting *counting = &engine->segment->counting;
    if (counting->n_events == 0 ||
        (where != LAXITY_JOB_IN_PROGRAM && counting->sample_slots == 0)) {
        return 0;
    }
    return laxity_refuse(
        &engine->task->state.process.error,
        LAXITY_EXIT_LACKING,
        "task \"%s\": each of its jobs is a process, %s",
        engine->task->config.process.name,
        where == LAXITY_JOB_IN_PROGRAM
            ? "begun before its release, and would be counted from then on; leave events out"
            : "and samples are taken in that of the task; leave the sampling out"
    );
}

static int isolate_first(const struct laxity_engine *engine)
{
    const struct laxity_workload_ops *ops = laxity_workload_ops();
    const enum laxity_job_process where = ops->job_process;
    atomic_store(&engine->task->state.job_process, where);
    if (where == LAXITY_JOB_IN_PROGRAM) {
        ops->program->note(&engine->task->state.process);
    }
    if (where != LAXITY_JOB_IN_TASK) {
        return check_events(engine, where);
    }
    if (ops->isolate_next) {
        ops->isolate_next();
    }
    return 0;
}

static int tell_calls(struct laxity_task *task)
{
    if (task->config.calls <= 1) {
        return 0;
    }
    const struct laxity_workload_ops *ops = laxity_workload_ops();
    if (!ops->set_calls) {
        return laxity_refuse(
            &task->state.process.error,
            LAXITY_EXIT_USAGE,
            "task \"%s\": its workload cannot do its work %u times in a job; leave calls out",
            task->config.process.name,
            (unsigned)task->config.calls
        );
    }
    ops->set_calls(task->config.calls);
    return 0;
}

static int begin_need(struct laxity_task *task)
{
    if (laxity_workload_ops()->job_process == LAXITY_JOB_IN_TASK) {
        return laxity_memory_need_begin(task);
    }
    return laxity_refuse(
        &task->state.process.error,
        LAXITY_EXIT_USAGE,
        "task \"%s\": each of its jobs is a process, and memory need is that of a task's own; "
        "leave memory_need out",
        task->config.process.name
    );
}

/* Of the heap that is prefaulted nobody knows what the workload would touch. */
static int begin_memory(struct laxity_task *task)
{
    const struct laxity_workload_ops *ops = laxity_workload_ops();
    if (task->config.is_memory_need == 0) {
        return prefault(task) || laxity_memory_limit_begin(task) ? -1 : 0;
    }
    if (ops->measure_need) {
        ops->measure_need();
        return 0;
    }
    return begin_need(task);
}

int laxity_prepare_task(struct laxity_engine *engine)
{
    struct laxity_task *task = engine->task;
    struct laxity_process_state *state = &task->state.process;
    const struct laxity_workload_ops *ops = laxity_workload_ops();
    if (laxity_apply_placement(&task->config.process, state) || begin_memory(task)) {
        return -1;
    }
    if (ops->set_log_level && task->config.log_level > 0) {
        ops->set_log_level(task->config.log_level);
    }
    if (tell_calls(task)) {
        return -1;
    }
    laxity_threads_hold_signals();
    const int rc = benchmark_init(engine->workload_argc, engine->workload_argv);
    laxity_threads_take_signals();
    if (rc < 0) {
        return laxity_refuse(
            &state->error,
            LAXITY_EXIT_VIOLATED,
            "task \"%s\": its init failed (benchmark_init returned %d)%s",
            task->config.process.name,
            rc,
            task->config.process.advice.output
        );
    }
    if (task->config.is_memory_need != 0 && ops->measure_need && begin_need(task)) {
        return -1;
    }
    take_log_names(&task->state);
    task->state.has_regions = ops->has_regions;
    if (task->config.is_memory_need == 0) {
        lock_memory(state);
    }
    if (laxity_apply_policy(&task->config.process, state) ||
        laxity_threads_apply_policy(engine->threads, &task->config.process, state)) {
        return -1;
    }
    laxity_note_placement(&task->config.process, state);
    limit_rt_time(engine);
    laxity_open_counters(&engine->segment->counting, &task->state, &engine->counters);
    if (ops->job_process != LAXITY_JOB_IN_PROGRAM) {
        laxity_engine_calibrate(engine); /* of a program nothing is read by us in its process */
    }
    laxity_threads_look(engine->threads);
    return isolate_first(engine);
}
