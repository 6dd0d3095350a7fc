/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/job_rows.h"

#include "base/npy.h"
#include "counters/counters.h"
#include "counters/event.h"
#include "harness/release.h"
#include "harness/segment.h"
#include "schema/run.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN(name, kind, bytes, when)                                                            \
    {{#name, kind, bytes}, offsetof(struct laxity_job_row, name), when},

/* In the order of the file. */
static const struct column {
    struct laxity_field field;
    size_t offset;
    enum laxity_when when;
} columns[] = {LAXITY_JOBS_COLUMNS(COLUMN)};

/* A program that keeps its own main() reads its clocks, and nothing else. */
static int has_linked_task(struct laxity_segment *segment)
{
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        if (!laxity_segment_task(segment, i)->config.is_own_program) {
            return 1;
        }
    }
    return 0;
}

static int has_batches(struct laxity_segment *segment)
{
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        if (laxity_segment_task(segment, i)->config.calls > 1) {
            return 1;
        }
    }
    return 0;
}

static int has_task_with_regions(struct laxity_segment *segment)
{
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        if (laxity_segment_task(segment, i)->state.has_regions) {
            return 1;
        }
    }
    return 0;
}

static int is_measured(struct laxity_segment *segment, enum laxity_when when)
{
    switch (when) {
    case LAXITY_WHEN_TICKS:
        return segment->ticks_name[0] != '\0' && has_linked_task(segment);
    case LAXITY_WHEN_SNAPSHOT_CPU:
        return segment->snapshots != LAXITY_SNAPSHOTS_NONE;
    case LAXITY_WHEN_SNAPSHOT_ALL:
        return segment->snapshots == LAXITY_SNAPSHOTS_ALL && has_linked_task(segment);
    case LAXITY_WHEN_CALLS:
        return has_batches(segment);
    case LAXITY_WHEN_REGIONS:
        return has_task_with_regions(segment);
    case LAXITY_WHEN_SIMULATED:
        return segment->is_simulated != 0;
    case LAXITY_WHEN_SWITCHES:
        return segment->is_simulated || is_measured(segment, LAXITY_WHEN_SNAPSHOT_ALL);
    case LAXITY_WHEN_MOVES:
        return segment->is_simulated != 0;
    case LAXITY_WHEN_ALWAYS:
    case LAXITY_WHEN_NATIVE:
        break;
    }
    return 1;
}

static void add_field(struct laxity_job_layout *layout, struct laxity_field field, size_t offset)
{
    layout->fields[layout->n_fields] = field;
    layout->offsets[layout->n_fields] = offset;
    layout->n_fields++;
    layout->row_bytes += field.bytes;
}

bool laxity_job_layout_has(const struct laxity_job_layout *layout, const char *name)
{
    for (unsigned i = 0; i < layout->n_fields; i++) {
        if (strcmp(layout->fields[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* One column per different name. Where in a row its value stands is up to the row's task. */
static void add_log_names(struct laxity_job_layout *layout, const struct laxity_task_state *state)
{
    for (uint32_t i = 0; i < state->n_log_names; i++) {
        const char *name = state->log_names[i];
        if (layout->n_log_fields < LAXITY_LOG_COLUMNS_MAX && !laxity_job_layout_has(layout, name)) {
            const struct laxity_field field = {name, 'f', sizeof(float)};
            add_field(layout, field, offsetof(struct laxity_job_row, log_values));
            layout->n_log_fields++;
        }
    }
}

/* Two columns per event that at least one task counts. */
static void add_counts(struct laxity_job_layout *layout, struct laxity_segment *segment)
{
    uint32_t counted = 0;
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        counted |= laxity_segment_task(segment, i)->state.counted_events;
    }
    for (uint32_t i = 0; i < segment->counting.n_events; i++) {
        const struct laxity_event *event = &segment->counting.events[i];
        if ((counted >> i & 1) != 0) {
            const struct laxity_field value = {event->name, 'i', sizeof(int64_t)};
            const struct laxity_field ratio = {event->ratio_name, 'f', sizeof(float)};
            add_field(layout, value, offsetof(struct laxity_job_row, counts.values[i]));
            add_field(layout, ratio, offsetof(struct laxity_job_row, counts.scale_ratios[i]));
        }
    }
}

struct laxity_job_layout laxity_job_layout_of(struct laxity_segment *segment)
{
    struct laxity_job_layout layout = {.n_fields = 0};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (is_measured(segment, columns[i].when)) {
            add_field(&layout, columns[i].field, columns[i].offset);
        }
    }
    add_counts(&layout, segment);
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        add_log_names(&layout, &laxity_segment_task(segment, i)->state);
    }
    return layout;
}

struct laxity_job_row laxity_job_row_absent(
    const struct laxity_releases *releases, uint16_t task, uint64_t job, enum laxity_status status
)
{
    /* Whatever nobody fills in is absent, never zero. */
    struct laxity_job_row row = {LAXITY_JOBS_ABSENT};
    row.task = task;
    row.job = job;
    row.release_ns = laxity_release_ns(releases, job);
    row.abs_deadline_ns = laxity_abs_deadline_ns(releases, job);
    row.status = (uint8_t)status;
    row.cause = LAXITY_CAUSE_NONE;
    row.calls = 1;
    laxity_counts_set_absent(&row.counts);
    for (unsigned i = 0; i < LAXITY_LOG_VALUES_MAX; i++) {
        row.log_values[i] = __builtin_nanf("");
    }
    return row;
}

struct laxity_job_row laxity_job_row_of(
    const struct laxity_releases *releases,
    uint16_t task,
    const struct laxity_job_record *record,
    enum laxity_end cause
)
{
    struct laxity_job_row row =
        laxity_job_row_absent(releases, task, record->job, LAXITY_STATUS_ABORTED);
    if (releases->is_own) {
        row.release_ns = record->release_ns;
        row.abs_deadline_ns = laxity_own_abs_deadline_ns(releases, record->release_ns);
    }
    row.start_ns = record->start_ns;
    row.tid = record->tid;
    row.cpu_start = record->cpu_start;
    if (atomic_load_explicit(&record->state, memory_order_acquire) != LAXITY_RECORD_DONE) {
        row.cause = (uint8_t)cause;
        return row;
    }
    if (record->cause != LAXITY_END_NONE) {
        row.cause = (uint8_t)record->cause;
        return row; /* of what it used until then nothing is a figure of a job */
    }
    row.finish_ns = record->finish_ns;
    row.exec_ns = record->exec_ns;
    row.start_ticks = record->start_ticks;
    row.finish_ticks = record->finish_ticks;
    row.cpu_finish = record->cpu_finish;
    row.preemptions = record->preemptions;
    row.blockings = record->blockings;
    row.minor_faults = record->minor_faults;
    row.major_faults = record->major_faults;
    row.status = (uint8_t)laxity_status_by_deadline(row.abs_deadline_ns, record->finish_ns);
    row.busy_ns = record->busy_ns;
    row.stall_own_ns = record->stall_own_ns;
    row.stall_reload_ns = record->stall_reload_ns;
    row.stall_moved_ns = record->stall_moved_ns;
    row.stall_shared_ns = record->stall_shared_ns;
    row.migrations = record->migrations;
    row.migrated_at = record->migrated_at;
    row.roi_ns = record->roi_ns;
    row.roi_count = record->roi_count;
    memcpy(row.log_values, record->log_values, sizeof row.log_values);
    row.counts = record->counts;
    return row;
}

/* The row's value of this name; NaN if its task has none. */
static float log_value_of(
    const struct laxity_job_row *row, const struct laxity_task_state *state, const char *name
)
{
    for (uint32_t i = 0; i < state->n_log_names; i++) {
        if (strcmp(state->log_names[i], name) == 0) {
            return row->log_values[i];
        }
    }
    return __builtin_nanf("");
}

void laxity_job_row_pack(
    const struct laxity_job_layout *layout,
    const struct laxity_job_row *row,
    const struct laxity_task_state *state,
    unsigned char *out
)
{
    const unsigned first_log = layout->n_fields - layout->n_log_fields;
    for (unsigned i = 0; i < layout->n_fields; i++) {
        const struct laxity_field *field = &layout->fields[i];
        if (i >= first_log) {
            const float value = log_value_of(row, state, field->name);
            memcpy(out, &value, sizeof value);
        } else {
            memcpy(out, (const char *)row + layout->offsets[i], field->bytes);
        }
        out += field->bytes;
    }
}
