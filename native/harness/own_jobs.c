/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/own_jobs.h"

#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "harness/plan.h"
#include "harness/segment.h"
#include "schema/run.h"

#include <laxity/job.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    /* The largest page of any Linux: a program maps its ring alone. */
    PAGE_BYTES_MAX = 64 * 1024,
    /* A program that starts jobs faster than they can be read has no running one worth telling. */
    READ_TRIES = 16,
};

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + PAGE_BYTES_MAX - 1) / PAGE_BYTES_MAX * PAGE_BYTES_MAX;
}

static uint64_t stride_bytes(void)
{
    return whole_pages(sizeof(struct laxity_job_ring));
}

size_t laxity_own_rings_bytes(const struct laxity_run_plan *plan)
{
    for (unsigned i = 0; i < plan->n_tasks; i++) {
        if (plan->tasks[i].config.is_own_program) {
            /* One for each task, which keeps the arithmetic simple: what is not written takes no
             * memory. The first page is lost to alignment. */
            return (size_t)(PAGE_BYTES_MAX + plan->n_tasks * stride_bytes());
        }
    }
    return 0;
}

void laxity_own_rings_place(struct laxity_segment *segment)
{
    segment->own_rings_offset = 0;
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        if (laxity_segment_task(segment, i)->config.is_own_program) {
            const size_t before =
                laxity_segment_bytes(segment->n_tasks, segment->n_corunners, segment->ring_slots) +
                laxity_segment_sample_bytes(segment->n_tasks, segment->counting.sample_slots);
            segment->own_rings_offset = whole_pages(before);
        }
    }
}

uint64_t laxity_own_ring_offset(const struct laxity_segment *segment, uint32_t task_index)
{
    return segment->own_rings_offset + task_index * stride_bytes();
}

static void *at_offset(struct laxity_segment *segment, uint64_t offset)
{
    return (char *)segment + offset;
}

struct laxity_job_ring *laxity_own_ring(struct laxity_segment *segment, uint32_t task_index)
{
    const uint64_t offset = laxity_own_ring_offset(segment, task_index);
    if (segment->own_rings_offset == 0 ||
        offset + sizeof(struct laxity_job_ring) > segment->bytes) {
        return NULL;
    }
    return at_offset(segment, offset);
}

void laxity_own_ring_open(struct laxity_job_ring *ring, enum laxity_snapshots snapshots)
{
    memset(ring, 0, sizeof *ring);
    ring->version = LAXITY_JOB_VERSION;
    ring->ring_bytes = sizeof *ring;
    ring->flags = snapshots == LAXITY_SNAPSHOTS_NONE ? 0 : LAXITY_JOB_HAS_CPU_TIME;
    ring->magic = LAXITY_JOB_MAGIC;
}

int32_t laxity_own_program_pid(struct laxity_segment *segment, uint32_t task_index)
{
    const struct laxity_job_ring *ring = laxity_own_ring(segment, task_index);
    return ring ? (int32_t)__atomic_load_n(&ring->program_pid, __ATOMIC_ACQUIRE) : 0;
}

/* Far from overflow in any sum or difference of two: 146 years after the start of the machine. */
static bool is_time(int64_t time_ns)
{
    return time_ns >= 0 && time_ns <= INT64_MAX / 2;
}

/* A release that is no time is not known; a job that is none was overwritten. */
static bool is_sane(struct laxity_own_job *job)
{
    if (!is_time(job->release_ns)) {
        job->release_ns = LAXITY_JOB_ABSENT;
    }
    return is_time(job->start_ns);
}

/* Whether a job belongs to the run: see laxity_own_jobs_take. */
static bool is_of_run(
    const struct laxity_segment *segment,
    const struct laxity_task *task,
    const struct laxity_own_job *job,
    int64_t until_ns
)
{
    if (task->config.jobs > 0 && job->job >= task->config.jobs) {
        return false;
    }
    if (job->start_ns >= until_ns) {
        return false;
    }
    if (segment->duration_ns == LAXITY_ABSENT_NS) {
        return true;
    }
    const int64_t place_ns = job->release_ns == LAXITY_JOB_ABSENT ? job->start_ns : job->release_ns;
    return place_ns < laxity_atomic64_load_ns(&segment->run.t0_ns) + segment->duration_ns;
}

static void fill_start(struct laxity_job_record *record, const struct laxity_own_job *job)
{
    record->tid = job->tid;
    record->ordinal = job->job;
    record->job = job->job;
    record->release_ns = job->release_ns;
    record->start_ns = job->start_ns;
    record->cpu_start = job->cpu_start;
}

static void fill_finish(struct laxity_job_record *record, const struct laxity_own_job *job)
{
    record->finish_ns = job->finish_ns;
    record->exec_ns = job->exec_ns;
    record->cpu_finish = job->cpu_finish;
    /* What job.h does not read. */
    record->start_ticks = UINT64_MAX;
    record->finish_ticks = UINT64_MAX;
    record->preemptions = INT32_MIN;
    record->blockings = INT32_MIN;
    record->minor_faults = INT32_MIN;
    record->major_faults = INT32_MIN;
    record->roi_ns = LAXITY_ABSENT_NS;
    record->roi_count = UINT32_MAX;
}

/* The first job that has no record yet: that of a relay which died between two stores comes once.
 */
static uint64_t next_job(struct laxity_segment *segment, uint32_t task_index)
{
    const uint64_t head =
        laxity_atomic64_load(&laxity_segment_task(segment, task_index)->state.head);
    if (head == 0) {
        return 0;
    }
    const struct laxity_job_record *ring = laxity_segment_ring(segment, task_index);
    return ring[(head - 1) & (segment->ring_slots - 1)].job + 1;
}

/* Returns false if the task's ring is full. */
static bool
put_finished(struct laxity_segment *segment, uint32_t task_index, const struct laxity_own_job *job)
{
    struct laxity_task *task = laxity_segment_task(segment, task_index);
    const uint64_t head = laxity_atomic64_load(&task->state.head);
    if (head - laxity_atomic64_load(&task->drain.tail) >= segment->ring_slots) {
        return false;
    }
    struct laxity_job_record *record =
        &laxity_segment_ring(segment, task_index)[head & (segment->ring_slots - 1)];
    fill_start(record, job);
    fill_finish(record, job);
    atomic_store_explicit(&record->state, LAXITY_RECORD_DONE, memory_order_release);
    laxity_atomic64_store(&task->state.head, head + 1);
    return true;
}

/* A consistent copy of the job that runs now; false if none does. */
static bool read_running(const struct laxity_job_ring *ring, struct laxity_own_job *out_job)
{
    for (unsigned i = 0; i < READ_TRIES; i++) {
        const uint32_t starts = __atomic_load_n(&ring->starts, __ATOMIC_ACQUIRE);
        if (!__atomic_load_n(&ring->is_running, __ATOMIC_ACQUIRE)) {
            return false;
        }
        *out_job = ring->current;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&ring->starts, __ATOMIC_RELAXED) == starts) {
            return true;
        }
    }
    return false;
}

/* The killer's heartbeat, and the row of a job that will be aborted. */
static void mirror_running(
    struct laxity_segment *segment, uint32_t task_index, const struct laxity_own_job *job
)
{
    struct laxity_task *task = laxity_segment_task(segment, task_index);
    const uint64_t head = laxity_atomic64_load(&task->state.head);
    struct laxity_job_record *record =
        &laxity_segment_ring(segment, task_index)[head & (segment->ring_slots - 1)];
    if (head - laxity_atomic64_load(&task->drain.tail) >= segment->ring_slots) {
        return;
    }
    fill_start(record, job);
    atomic_store_explicit(&record->state, LAXITY_RECORD_CLAIMED, memory_order_release);
    laxity_atomic64_store_ns(&task->state.job_start_ns, job->start_ns);
}

/* Returns whether records were left. */
static bool take_finished(struct laxity_segment *segment, uint32_t task_index, int64_t until_ns)
{
    const struct laxity_task *task = laxity_segment_task(segment, task_index);
    struct laxity_job_ring *ring = laxity_own_ring(segment, task_index);
    const uint32_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
    uint32_t tail = ring->tail;
    if (head - tail > LAXITY_JOB_SLOTS) {
        return false; /* overwritten by the program */
    }
    for (; tail != head; tail++) {
        struct laxity_own_job job = ring->records[tail & (LAXITY_JOB_SLOTS - 1)];
        const bool is_new = is_sane(&job) && is_time(job.finish_ns) &&
                            job.start_ns <= job.finish_ns &&
                            job.job >= next_job(segment, task_index);
        if (is_new && is_of_run(segment, task, &job, until_ns) &&
            !put_finished(segment, task_index, &job)) {
            return true;
        }
        __atomic_store_n(&ring->tail, tail + 1, __ATOMIC_RELEASE);
    }
    return false;
}

bool laxity_own_jobs_take(struct laxity_segment *segment, uint32_t task_index, int64_t until_ns)
{
    struct laxity_task *task = laxity_segment_task(segment, task_index);
    const struct laxity_job_ring *ring = laxity_own_ring(segment, task_index);
    struct laxity_own_job running;
    if (!ring) {
        return false;
    }
    /* Before the finished ones are taken: what runs now may be among them a moment later. */
    const bool is_running = read_running(ring, &running);
    const bool has_more = take_finished(segment, task_index, until_ns);
    laxity_atomic64_store(
        &task->state.lost_records, __atomic_load_n(&ring->lost, __ATOMIC_RELAXED)
    );
    if (is_running && is_sane(&running) && running.job >= next_job(segment, task_index) &&
        is_of_run(segment, task, &running, until_ns)) {
        mirror_running(segment, task_index, &running);
    } else {
        laxity_atomic64_store_ns(&task->state.job_start_ns, 0);
    }
    return has_more;
}

bool laxity_own_jobs_are_complete(struct laxity_segment *segment, uint32_t task_index)
{
    const struct laxity_task *task = laxity_segment_task(segment, task_index);
    const struct laxity_job_ring *ring = laxity_own_ring(segment, task_index);
    struct laxity_own_job running;
    const uint64_t jobs = task->config.jobs;
    if (jobs == 0 || !ring) {
        return false;
    }
    if (next_job(segment, task_index) >= jobs) {
        return true;
    }
    /* The last one may have no record, lost or never finished. */
    return read_running(ring, &running) && running.job >= jobs;
}
