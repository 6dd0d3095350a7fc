/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/segment.h"

#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/sched.h"
#include "counters/counters.h"
#include "counters/event.h"
#include "harness/mark_ring.h"
#include "harness/release.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

static size_t align_up(size_t offset, size_t align)
{
    return (offset + align - 1) / align * align;
}

static size_t tasks_offset(void)
{
    return align_up(sizeof(struct laxity_segment), _Alignof(struct laxity_task));
}

static size_t corunners_offset(uint32_t n_tasks)
{
    return tasks_offset() + n_tasks * sizeof(struct laxity_task);
}

static size_t rings_offset(uint32_t n_tasks, uint32_t n_corunners)
{
    const size_t end = corunners_offset(n_tasks) + n_corunners * sizeof(struct laxity_corunner);
    return align_up(end, _Alignof(struct laxity_job_record));
}

static size_t marks_offset(uint32_t n_tasks, uint32_t n_corunners, uint32_t ring_slots)
{
    const size_t end = rings_offset(n_tasks, n_corunners) +
                       (size_t)n_tasks * ring_slots * sizeof(struct laxity_job_record);
    return align_up(end, _Alignof(struct laxity_mark_ring));
}

size_t laxity_segment_bytes(uint32_t n_tasks, uint32_t n_corunners, uint32_t ring_slots)
{
    return marks_offset(n_tasks, n_corunners, ring_slots) +
           n_tasks * sizeof(struct laxity_mark_ring);
}

size_t laxity_segment_sample_bytes(uint32_t n_tasks, uint32_t sample_slots)
{
    return (size_t)n_tasks * sample_slots * sizeof(struct laxity_sample);
}

int laxity_segment_check(const struct laxity_segment *segment, size_t bytes)
{
    if (bytes < sizeof *segment || segment->magic != LAXITY_SEGMENT_MAGIC ||
        segment->version != LAXITY_SEGMENT_VERSION || segment->n_tasks > LAXITY_PROCESSES_MAX ||
        segment->n_corunners > LAXITY_PROCESSES_MAX) {
        return -EINVAL;
    }
    const uint32_t slots = segment->ring_slots;
    if (slots == 0 || (slots & (slots - 1)) != 0) {
        return -EINVAL;
    }
    const uint32_t sample_slots = segment->counting.sample_slots;
    if ((sample_slots & (sample_slots - 1)) != 0 ||
        segment->counting.n_events > LAXITY_EVENTS_MAX) {
        return -EINVAL;
    }
    const size_t needed = laxity_segment_bytes(segment->n_tasks, segment->n_corunners, slots) +
                          laxity_segment_sample_bytes(segment->n_tasks, sample_slots);
    return bytes >= needed ? 0 : -EINVAL;
}

static void *at_offset(struct laxity_segment *segment, size_t offset)
{
    return (char *)segment + offset;
}

struct laxity_task *laxity_segment_task(struct laxity_segment *segment, uint32_t task)
{
    return (struct laxity_task *)at_offset(segment, tasks_offset()) + task;
}

struct laxity_corunner *laxity_segment_corunner(struct laxity_segment *segment, uint32_t corunner)
{
    return (struct laxity_corunner *)at_offset(segment, corunners_offset(segment->n_tasks)) +
           corunner;
}

struct laxity_job_record *laxity_segment_ring(struct laxity_segment *segment, uint32_t task)
{
    const size_t offset = rings_offset(segment->n_tasks, segment->n_corunners);
    return (struct laxity_job_record *)at_offset(segment, offset) +
           (size_t)task * segment->ring_slots;
}

struct laxity_sample *laxity_segment_samples(struct laxity_segment *segment, uint32_t task)
{
    const size_t offset =
        laxity_segment_bytes(segment->n_tasks, segment->n_corunners, segment->ring_slots);
    return (struct laxity_sample *)at_offset(segment, offset) +
           (size_t)task * segment->counting.sample_slots;
}

struct laxity_mark_ring *laxity_segment_marks(struct laxity_segment *segment, uint32_t task)
{
    const size_t offset = marks_offset(segment->n_tasks, segment->n_corunners, segment->ring_slots);
    return (struct laxity_mark_ring *)at_offset(segment, offset) + task;
}

struct laxity_releases
laxity_task_releases(const struct laxity_segment *segment, const struct laxity_task *task)
{
    const int64_t t0_ns = laxity_atomic64_load_ns(&segment->run.t0_ns);
    return (struct laxity_releases){
        .first_ns = t0_ns + task->config.offset_ns,
        .period_ns = task->config.period_ns,
        .deadline_ns = task->config.deadline_ns,
        .overrun = task->config.overrun,
        .is_own = task->config.is_own_program != 0,
    };
}

void laxity_store_sample(
    struct laxity_segment *segment,
    uint32_t task_index,
    int64_t time_ns,
    const struct laxity_counts *counts
)
{
    struct laxity_task *task = laxity_segment_task(segment, task_index);
    const uint32_t slots = segment->counting.sample_slots;
    const uint64_t head = laxity_atomic64_load(&task->state.sample_head);
    if (head - laxity_atomic64_load(&task->drain.sample_tail) >= slots) {
        laxity_atomic64_increment(&task->state.lost_samples);
        return;
    }
    struct laxity_sample *sample = &laxity_segment_samples(segment, task_index)[head & (slots - 1)];
    sample->time_ns = time_ns;
    sample->counts = *counts;
    laxity_atomic64_store(&task->state.sample_head, head + 1);
}

void laxity_add_fallback(
    struct laxity_process_state *state, const char *what, const char *used, const char *reason
)
{
    if (state->n_fallbacks >= LAXITY_FALLBACKS_MAX) {
        return;
    }
    struct laxity_fallback *fallback = &state->fallbacks[state->n_fallbacks++];
    laxity_format(fallback->what, sizeof fallback->what, "%s", what);
    laxity_format(fallback->used, sizeof fallback->used, "%s", used);
    laxity_format(fallback->reason, sizeof fallback->reason, "%s", reason);
}

const char *laxity_end_name(enum laxity_end end)
{
    static const char *const names[] = {
        [LAXITY_END_NONE] = "none",
        [LAXITY_END_INTERRUPT] = "interrupt",
        [LAXITY_END_TIMEOUT] = "timeout",
        [LAXITY_END_SIGNAL] = "signal",
        [LAXITY_END_EXIT] = "exit",
        [LAXITY_END_MEMORY_LIMIT] = "memory_limit",
        [LAXITY_END_KILLED] = "killed",
        [LAXITY_END_JOBS] = "jobs",
        [LAXITY_END_DURATION] = "duration",
        [LAXITY_END_STOPPED] = "stopped",
    };
    return names[end];
}

const char *laxity_policy_name(enum laxity_policy policy)
{
    static const char *const names[] = {
        [LAXITY_POLICY_OTHER] = "other",
        [LAXITY_POLICY_FIFO] = "fifo",
        [LAXITY_POLICY_RR] = "rr",
        [LAXITY_POLICY_DEADLINE] = "deadline",
    };
    return names[policy];
}
