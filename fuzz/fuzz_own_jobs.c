/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Any bytes where a program writes its jobs: moved into the ring of the task within its bounds. */
#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "harness/own_jobs.h"
#include "harness/plan.h"
#include "harness/segment.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    TASK_SLOTS = 4,
    PAGE_BYTES = 65536,
    PASSES = 3
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct laxity_segment *make_segment(void)
{
    static struct laxity_task_plan task = {.config = {.is_own_program = 1}};
    static struct laxity_run_plan plan = {.tasks = &task, .n_tasks = 1};
    const size_t wanted = laxity_segment_bytes(1, 0, TASK_SLOTS) + laxity_own_rings_bytes(&plan);
    const size_t bytes = (wanted + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    struct laxity_segment *segment = aligned_alloc(PAGE_BYTES, bytes);
    if (segment) {
        memset(segment, 0, bytes);
        segment->bytes = bytes;
        segment->n_tasks = 1;
        segment->ring_slots = TASK_SLOTS;
        segment->duration_ns = LAXITY_NS_PER_S;
        laxity_segment_task(segment, 0)->config = task.config;
        laxity_own_rings_place(segment);
    }
    return segment;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct laxity_segment *segment = make_segment();
    if (!segment) {
        return 0;
    }
    struct laxity_task *task = laxity_segment_task(segment, 0);
    struct laxity_job_ring *ring = laxity_own_ring(segment, 0);
    memcpy(ring, data, size < sizeof *ring ? size : sizeof *ring);
    for (unsigned pass = 0; pass < PASSES; pass++) {
        (void)laxity_own_jobs_take(segment, 0, INT64_MAX);
        (void)laxity_own_jobs_are_complete(segment, 0);
        const uint64_t head = laxity_atomic64_load(&task->state.head);
        if (head - laxity_atomic64_load(&task->drain.tail) > TASK_SLOTS) {
            abort();
        }
        laxity_atomic64_store(&task->drain.tail, head);
    }
    free(segment);
    return 0;
}
