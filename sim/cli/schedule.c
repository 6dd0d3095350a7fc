/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/schedule.h"

#include "base/error.h"
#include "base/json.h"
#include "base/npy.h"
#include "base/port/file.h"
#include "harness/segment.h"
#include "interface/engine.h"
#include "schema/streams.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    SCHEMA = 1,
    IDLE_TID = 0,
    WAITS = 1, /* state of a Linux thread that waits for something */
};

static const struct laxity_field fields[] = {LAXITY_SCHED_FIELDS};
static const struct laxity_field thread_fields[] = {LAXITY_THREADS_FIELDS};

int32_t laxity_sim_schedule_tid(uint32_t program)
{
    return (int32_t)program + 1;
}

int laxity_sim_schedule_open(int dir_fd, struct laxity_sim_schedule *out_schedule)
{
    *out_schedule = (struct laxity_sim_schedule){.is_open = false};
    const int rc = laxity_npy_create(
        dir_fd, "sched.npy", fields, LAXITY_SCHED_FIELD_COUNT, &out_schedule->npy
    );
    out_schedule->is_open = rc == 0;
    return rc;
}

static void flush(struct laxity_sim_schedule *schedule)
{
    if (schedule->rc == 0) {
        schedule->rc =
            laxity_npy_write(&schedule->npy, schedule->npy.rows, schedule->rows, schedule->n_rows);
    }
    schedule->n_rows = 0;
}

static void put_row(struct laxity_sim_schedule *schedule, struct laxity_sched_row row)
{
    row.seq = schedule->cores[row.cpu].seq++;
    schedule->rows[schedule->n_rows++] = row;
    if (schedule->n_rows == LAXITY_SIM_SCHEDULE_ROWS) {
        flush(schedule);
    }
}

/* Who leaves a core is told with who comes, as kernels tell it. */
static int32_t put_off(struct laxity_sim_schedule *schedule, uint32_t core, int32_t next_tid)
{
    int32_t tid = IDLE_TID;
    if (schedule->cores[core].has_off) {
        struct laxity_sched_row off = schedule->cores[core].off;
        off.other_tid = schedule->cores[core].is_handed_on ? next_tid : IDLE_TID;
        tid = schedule->cores[core].is_handed_on ? off.tid : IDLE_TID;
        put_row(schedule, off);
    }
    schedule->cores[core].has_off = false;
    return tid;
}

void laxity_sim_schedule_put(
    struct laxity_sim_schedule *schedule,
    uint32_t core,
    uint32_t program,
    enum laxity_sim_turn turn,
    int64_t time_ns
)
{
    if (!schedule->is_open) {
        return;
    }
    const bool is_now = schedule->cores[core].off.time_ns == time_ns;
    struct laxity_sched_row row = {
        .time_ns = time_ns,
        .cpu = (int32_t)core,
        .tid = laxity_sim_schedule_tid(program),
        .prev_state_or_vector = INT64_MIN,
        .preempted = UINT8_MAX,
    };
    switch (turn) {
    case LAXITY_SIM_TURN_SWITCH:
        schedule->cores[core].is_handed_on |= is_now;
        break;
    case LAXITY_SIM_TURN_ON:
        schedule->cores[core].is_handed_on |= is_now;
        row.kind = LAXITY_SCHED_KIND_ON;
        row.other_tid = put_off(schedule, core, row.tid);
        put_row(schedule, row);
        break;
    case LAXITY_SIM_TURN_OFF:
    case LAXITY_SIM_TURN_PREEMPTED:
        row.kind = LAXITY_SCHED_KIND_OFF;
        row.preempted = turn == LAXITY_SIM_TURN_PREEMPTED;
        row.prev_state_or_vector = row.preempted ? 0 : WAITS;
        schedule->cores[core].off = row;
        schedule->cores[core].has_off = true;
        schedule->cores[core].is_handed_on = false;
        break;
    }
}

static int write_threads(struct laxity_segment *segment, int dir_fd)
{
    struct laxity_npy npy;
    int rc =
        laxity_npy_create(dir_fd, "threads.npy", thread_fields, LAXITY_THREADS_FIELD_COUNT, &npy);
    if (rc) {
        return rc;
    }
    const uint32_t n_programs = segment->n_tasks + segment->n_corunners;
    for (uint32_t i = 0; i < n_programs && rc == 0; i++) {
        const bool is_task = i < segment->n_tasks;
        struct laxity_threads_row row = {
            .tid = laxity_sim_schedule_tid(i),
            .pid = laxity_sim_schedule_tid(i),
            .task = is_task ? (uint16_t)i : UINT16_MAX,
            .to_ns = INT64_MIN,
        };
        const struct laxity_process_config *config =
            is_task ? &laxity_segment_task(segment, i)->config.process
                    : &laxity_segment_corunner(segment, i - segment->n_tasks)->config;
        laxity_format(row.comm, sizeof row.comm, "%s", config->name);
        rc = laxity_npy_write(&npy, npy.rows, &row, 1);
    }
    const int close_rc = laxity_npy_close(&npy);
    return rc ? rc : close_rc;
}

static int write_summary(
    const struct laxity_sim_schedule *schedule,
    const struct laxity_segment *segment,
    int dir_fd,
    uint32_t cores
)
{
    struct laxity_json json = {0};
    laxity_json_open(&json, NULL, '{');
    laxity_json_int(&json, "schema", SCHEMA);
    laxity_json_text(&json, "backend", "simulated");
    laxity_json_open(&json, "supplies", '[');
    laxity_json_text(&json, NULL, "off");
    laxity_json_text(&json, NULL, "on");
    laxity_json_close(&json, ']');
    laxity_json_int(&json, "started_ns", 0);
    laxity_json_int(&json, "stopped_ns", segment->run.end_ns);
    laxity_json_open(&json, "cpus", '[');
    for (uint32_t core = 0; core < cores; core++) {
        laxity_json_open(&json, NULL, '{');
        laxity_json_count(&json, "cpu", core);
        laxity_json_count(&json, "rows", schedule->cores[core].seq);
        laxity_json_count(&json, "lost", 0);
        laxity_json_close(&json, '}');
    }
    laxity_json_close(&json, ']');
    laxity_json_count(&json, "lost", 0);
    laxity_json_close(&json, '}');
    int rc = -ENOMEM;
    if (!json.is_out_of_memory) {
        rc = laxity_write_file(dir_fd, "trace.json", json.text, json.used);
    }
    laxity_json_free(&json);
    return rc;
}

int laxity_sim_schedule_close(
    struct laxity_sim_schedule *schedule, struct laxity_segment *segment, int dir_fd, uint32_t cores
)
{
    if (!schedule->is_open) {
        return 0;
    }
    for (uint32_t core = 0; core < cores; core++) {
        (void)put_off(schedule, core, IDLE_TID);
    }
    flush(schedule);
    const int close_rc = laxity_npy_close(&schedule->npy);
    schedule->is_open = false;
    int rc = schedule->rc ? schedule->rc : close_rc;
    rc = rc ? rc : write_threads(segment, dir_fd);
    return rc ? rc : write_summary(schedule, segment, dir_fd, cores);
}
