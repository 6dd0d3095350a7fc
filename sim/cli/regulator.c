/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/regulator.h"

#include "base/error.h"
#include "base/npy.h"
#include "base/port/time.h"
#include "harness/mark_table.h"
#include "interface/engine.h"
#include "regulator/jobs.h"
#include "regulator/plan.h"
#include "regulator/policy.h"
#include "schema/streams.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLAN_BYTES = 1 << 20,
    MARKS_MAX = 256, /* of one reading */
};

_Static_assert(
    (int)LAXITY_MARK_PHASES == 0 && (int)LAXITY_MARK_PROBES == LAXITY_CHECKPOINT_MARKS,
    "marks of phases are checkpoints by their number"
);

static const struct laxity_field regulation_fields[] = {LAXITY_REGULATION_REASONS_FIELDS};

int laxity_sim_regulator_read(
    const char *path, struct laxity_sim_regulator *out_regulator, struct laxity_error *error
)
{
    char *text = calloc(1, PLAN_BYTES);
    FILE *file = fopen(path, "re");
    const bool is_read =
        text && file && fread(text, 1, PLAN_BYTES - 1, file) < PLAN_BYTES - 1 && !ferror(file);
    int rc = -1;
    if (is_read) {
        rc = laxity_regulation_plan_parse(text, &out_regulator->plan, error);
    } else {
        laxity_error_set(error, LAXITY_EXIT_LACKING, "%.100s: cannot be read", path);
    }
    if (file) {
        (void)fclose(file);
    }
    free(text);
    out_regulator->is_asked = rc == 0;
    return rc;
}

/* Rounded up: a job is never taken for shorter than it is. */
static int64_t ns_of(const struct laxity_sim_regulator *regulator, uint64_t ticks)
{
    const uint64_t numerator = regulator->ticks_per_s[0];
    const uint64_t scaled = regulator->ticks_per_s[1] * LAXITY_NS_PER_S;
    const uint64_t whole = ticks / numerator * scaled;
    const uint64_t rest = ticks % numerator * scaled;
    return (int64_t)(whole + (rest + numerator - 1) / numerator);
}

static uint32_t take_marks(
    struct laxity_sim_regulator *regulator,
    const struct laxity_sim_seen *seen,
    size_t n_seen,
    struct laxity_regulation_mark *out_marks
)
{
    uint32_t n = 0;
    for (size_t i = 0; i < n_seen; i++) {
        uint32_t checkpoint = 0;
        if (seen[i].task != regulator->plan.task ||
            !laxity_regulated_jobs_pass(
                &regulator->jobs, &regulator->plan, seen[i].mark, &checkpoint
            )) {
            continue;
        }
        if (n == MARKS_MAX) {
            /* A job whose marks are lost is outside the promise. */
            out_marks[n - 1].checkpoint = UINT32_MAX;
            break;
        }
        out_marks[n++] = (struct laxity_regulation_mark){
            .job = seen[i].ordinal,
            .checkpoint = checkpoint,
            .own_ns = ns_of(regulator, seen[i].exec_ticks),
            .wall_ns = seen[i].time_ns,
            .preemptions = seen[i].preemptions,
        };
    }
    return n;
}

/* Traffic of all cores since the last reading, and of it that of best-effort work. */
static uint64_t traffic_bytes(
    struct laxity_sim_regulator *regulator,
    const struct laxity_sim_sample *sample,
    uint64_t *out_best_effort
)
{
    uint64_t lines = 0;
    uint64_t of_best_effort = 0;
    for (uint32_t core = 0; core < regulator->n_cores; core++) {
        const uint64_t of_core = sample->cores[core].reads + sample->cores[core].writes;
        lines += of_core;
        of_best_effort += regulator->best_effort >> core & 1 ? of_core : 0;
    }
    const uint64_t bytes = (lines - regulator->lines) * regulator->line_bytes;
    *out_best_effort = (of_best_effort - regulator->best_effort_lines) * regulator->line_bytes;
    regulator->lines = lines;
    regulator->best_effort_lines = of_best_effort;
    return bytes;
}

static void
store(struct laxity_sim_regulator *regulator, int64_t time_ns, uint64_t bytes, bool is_allowed)
{
    const struct laxity_regulation_reasons_row row =
        laxity_regulation_row(&regulator->policy, time_ns, bytes, is_allowed);
    if (regulator->write_rc == 0) {
        struct laxity_npy *stream = &regulator->stream;
        regulator->write_rc = laxity_npy_write(stream, stream->rows, &row, 1);
    }
}

/* Follow a decision: best-effort work stands still after the latency of a stop. */
static void follow(struct laxity_sim_regulator *regulator, int64_t now_ns, bool is_allowed)
{
    if (is_allowed && !regulator->is_running) {
        regulator->is_running = true;
        regulator->stopped_ns = INT64_MAX;
    } else if (!is_allowed && regulator->is_running && regulator->stopped_ns == INT64_MAX) {
        regulator->stopped_ns = now_ns + regulator->plan.terms.stop_ns;
    }
}

static uint64_t on_tick(
    void *context,
    const struct laxity_sim_sample *sample,
    const struct laxity_sim_seen *seen,
    size_t n_seen,
    int64_t *out_next_ns
)
{
    struct laxity_sim_regulator *regulator = context;
    struct laxity_regulation_mark marks[MARKS_MAX];
    const int64_t now_ns = sample->time_ns;
    const bool is_complete = regulator->is_running && regulator->stopped_ns <= now_ns;
    regulator->is_running &= !is_complete;
    uint64_t best_effort_bytes = 0;
    const uint64_t bytes = traffic_bytes(regulator, sample, &best_effort_bytes);
    const struct laxity_regulation_reading reading = {
        .before_ns = now_ns,
        .after_ns = now_ns,
        .bytes = bytes,
        .best_effort_bytes = best_effort_bytes,
        .marks = marks,
        .n_marks = take_marks(regulator, seen, n_seen, marks),
        .stops_ns = &regulator->stopped_ns,
        .n_stops = is_complete ? 1 : 0,
        .stopped_since_ns = regulator->is_running ? INT64_MAX : regulator->stopped_ns,
        .next_start_ns = INT64_MIN,
    };
    const bool is_allowed = laxity_regulation_decide(&regulator->policy, &reading) != INT64_MIN;
    follow(regulator, now_ns, is_allowed);
    store(regulator, now_ns, bytes, is_allowed);
    *out_next_ns = now_ns + regulator->plan.period_ns;
    return is_allowed ? UINT64_MAX : ~regulator->best_effort;
}

/* Cores that co-runners are on and no task. */
static uint64_t best_effort_cores(const struct laxity_sim_task *tasks, uint32_t n_tasks)
{
    uint64_t of_tasks = 0;
    uint64_t of_corunners = 0;
    for (uint32_t i = 0; i < n_tasks; i++) {
        *(tasks[i].is_corunner ? &of_corunners : &of_tasks) |= tasks[i].cores;
    }
    return of_corunners & ~of_tasks;
}

int laxity_sim_regulator_begin(
    struct laxity_sim_regulator *regulator,
    const struct laxity_sim_platform *platform,
    const struct laxity_sim_task *tasks,
    uint32_t n_tasks,
    int dir_fd,
    struct laxity_error *error
)
{
    const struct laxity_regulation_plan *plan = &regulator->plan;
    regulator->best_effort = best_effort_cores(tasks, n_tasks);
    regulator->line_bytes = platform->line_bytes;
    regulator->n_cores = platform->cores;
    memcpy(regulator->ticks_per_s, platform->ticks_per_s, sizeof regulator->ticks_per_s);
    regulator->is_running = true; /* co-runners begin before the first reading */
    regulator->stopped_ns = INT64_MAX;
    if (plan->task >= n_tasks || tasks[plan->task].is_corunner || plan->core >= platform->cores ||
        regulator->best_effort == 0) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "regulation: no such task or core, or no co-runner to stop"
        );
        return -1;
    }
    laxity_regulation_begin(&regulator->policy, &plan->table, &plan->terms);
    regulator->observer = (struct laxity_sim_observer){
        .context = regulator,
        .on_tick = on_tick,
        .core = plan->core,
        .first_ns = plan->period_ns,
        .stop_ns = plan->stop_latency_ns,
        .resume_ns = plan->resume_latency_ns,
        .mark_ns = plan->mark_latency_ns,
    };
    const int rc = laxity_npy_create(
        dir_fd,
        "regulation.npy",
        regulation_fields,
        sizeof regulation_fields / sizeof regulation_fields[0],
        &regulator->stream
    );
    if (rc) {
        laxity_error_set(
            error, LAXITY_EXIT_LACKING, "regulation.npy: cannot be made: %s", strerrordesc_np(-rc)
        );
    }
    return rc ? -1 : 0;
}

void laxity_sim_regulator_note(
    struct laxity_sim_regulator *regulator, const struct laxity_sim_job *job
)
{
    if (job->task == regulator->plan.task) {
        regulator->last = *job;
    }
}

/* A simulation ends with its last job. The traffic before its end was not read. */
static void read_last_end(struct laxity_sim_regulator *regulator)
{
    const struct laxity_sim_job *job = &regulator->last;
    const struct laxity_regulation *policy = &regulator->policy;
    if (!policy->is_in_job || policy->job != job->ordinal || job->finish_ns == 0) {
        return;
    }
    const struct laxity_regulation_mark mark = {
        .job = job->ordinal,
        .checkpoint = regulator->plan.table.n_phases,
        .own_ns = ns_of(regulator, job->exec_ticks),
        .wall_ns = job->finish_ns,
        .preemptions = job->preemptions,
    };
    const struct laxity_regulation_reading reading = {
        .before_ns = job->finish_ns,
        .after_ns = job->finish_ns,
        .bytes = LAXITY_TRAFFIC_UNKNOWN,
        .marks = &mark,
        .n_marks = 1,
        .stopped_since_ns = regulator->is_running ? INT64_MAX : regulator->stopped_ns,
        .next_start_ns = INT64_MAX,
    };
    (void)laxity_regulation_decide(&regulator->policy, &reading);
    regulator->jobs.n++;
}

int laxity_sim_regulator_end(struct laxity_sim_regulator *regulator, struct laxity_error *error)
{
    read_last_end(regulator);
    const int rc = laxity_npy_close(&regulator->stream);
    laxity_regulated_jobs_judge(&regulator->jobs, &regulator->policy, error);
    return regulator->write_rc ? regulator->write_rc : rc;
}
