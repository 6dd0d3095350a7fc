/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/thread_stream.h"

#include "base/error.h"
#include "base/npy.h"
#include "base/port/atomic64.h"
#include "harness/own_jobs.h"
#include "harness/segment.h"
#include "schema/run.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static const struct laxity_field thread_fields[] = {LAXITY_THREADS_FIELDS};

/* Of an own program not its relay, unless it never looked for a collector. */
static int32_t main_pid(struct laxity_segment *segment, uint32_t task_index)
{
    const struct laxity_task *task = laxity_segment_task(segment, task_index);
    const int32_t own_pid =
        task->config.is_own_program ? laxity_own_program_pid(segment, task_index) : 0;
    return own_pid > 0 ? own_pid : task->verdict.pid;
}

static int32_t main_tid(struct laxity_segment *segment, uint32_t task_index)
{
    const struct laxity_task *task = laxity_segment_task(segment, task_index);
    return task->drain.next_ordinal > 0 ? laxity_segment_ring(segment, task_index)->tid
                                        : main_pid(segment, task_index);
}

/* The thread that calls the hooks lives as long as its task. */
static int write_main(struct laxity_npy *npy, struct laxity_segment *segment, uint32_t task_index)
{
    const struct laxity_task *task = laxity_segment_task(segment, task_index);
    struct laxity_threads_row row = {
        .tid = main_tid(segment, task_index),
        .pid = main_pid(segment, task_index),
        .task = (uint16_t)task_index,
        .from_ns = laxity_atomic64_load_ns(&segment->run.t0_ns),
        .to_ns = task->drain.end_ns,
    };
    laxity_format(row.comm, sizeof row.comm, "%s", task->config.process.name);
    return laxity_npy_write(npy, npy->rows, &row, 1);
}

/* What the last look found is taken to live until the task's end. */
static int write_others(struct laxity_npy *npy, struct laxity_segment *segment, uint32_t task_index)
{
    const struct laxity_task *task = laxity_segment_task(segment, task_index);
    const struct laxity_thread_table *table = &task->threads;
    const int64_t t0_ns = laxity_atomic64_load_ns(&segment->run.t0_ns);
    const int64_t looked_ns = laxity_atomic64_load_ns(&table->looked_ns);
    const uint32_t n = atomic_load_explicit(&table->n, memory_order_acquire);
    int rc = 0;
    for (uint32_t i = 0; i < n && i < LAXITY_THREADS_LISTED_MAX && rc == 0; i++) {
        const struct laxity_thread *thread = &table->rows[i];
        const int64_t from_ns = laxity_atomic64_load_ns(&thread->from_ns);
        const int64_t to_ns = laxity_atomic64_load_ns(&thread->to_ns);
        struct laxity_threads_row row = {
            .tid = thread->tid,
            .pid = task->verdict.pid,
            .task = (uint16_t)task_index,
            .from_ns = from_ns > t0_ns ? from_ns : t0_ns,
            .to_ns = to_ns == looked_ns ? task->drain.end_ns : to_ns,
        };
        laxity_format(row.comm, sizeof row.comm, "%s", thread->name);
        rc = laxity_npy_write(npy, npy->rows, &row, 1);
    }
    return rc;
}

int laxity_threads_write(struct laxity_segment *segment, int dir_fd)
{
    struct laxity_npy npy;
    const unsigned n_fields = sizeof thread_fields / sizeof thread_fields[0];
    int rc = laxity_npy_create(dir_fd, "threads.npy", thread_fields, n_fields, &npy);
    if (rc) {
        return rc;
    }
    for (uint32_t i = 0; i < segment->n_tasks && rc == 0; i++) {
        rc = write_main(&npy, segment, i);
        rc = rc ? rc : write_others(&npy, segment, i);
    }
    const int close_rc = laxity_npy_close(&npy);
    return rc ? rc : close_rc;
}
