/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * From laxity/job.h's ring to the task's ring: what is told, what is lost, what is counted, and
 * that a record is moved once, whoever died in between.
 */
#include "../test.h"
#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "harness/own_jobs.h"
#include "harness/plan.h"
#include "harness/segment.h"

#include <laxity/job.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A program that was built with an older laxity relies on these. */
_Static_assert(offsetof(struct laxity_job_ring, tail) == 16, "the layout is an interface");
_Static_assert(
    offsetof(struct laxity_job_ring, program_version) == 64, "the layout is an interface"
);
_Static_assert(offsetof(struct laxity_job_ring, next_job) == 96, "the layout is an interface");
_Static_assert(offsetof(struct laxity_job_ring, current) == 112, "the layout is an interface");
_Static_assert(offsetof(struct laxity_job_ring, records) == 176, "the layout is an interface");
_Static_assert(sizeof(struct laxity_own_job) == 56, "the layout is an interface");
_Static_assert(sizeof(struct laxity_job_ring) == 176 + 4096 * 56, "the layout is an interface");

enum {
    TASK_SLOTS = 8
};

static struct laxity_segment *segment;
static struct laxity_task *task;
static struct laxity_job_ring *ring;
static struct laxity_run_plan plan;
static struct laxity_task_plan task_plan = {.config = {.is_own_program = 1}};

static void fresh_run(void)
{
    plan = (struct laxity_run_plan){.tasks = &task_plan, .n_tasks = 1};
    const size_t before = laxity_segment_bytes(1, 0, TASK_SLOTS);
    const size_t bytes = (before + laxity_own_rings_bytes(&plan) + 65535) / 65536 * 65536;
    free(segment);
    segment = aligned_alloc(65536, bytes);
    memset(segment, 0, bytes);
    segment->bytes = bytes;
    segment->n_tasks = 1;
    segment->ring_slots = TASK_SLOTS;
    segment->duration_ns = LAXITY_ABSENT_NS;
    task = laxity_segment_task(segment, 0);
    task->config.is_own_program = 1;
    laxity_own_rings_place(segment);
    ring = laxity_own_ring(segment, 0);
    laxity_own_ring_open(ring, LAXITY_SNAPSHOTS_ALL);
    laxity_job_state = (struct laxity_job_state){LAXITY_JOB_COLLECTED, 77, ring};
}

static void make_jobs(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        laxity_job_start();
        laxity_job_finish();
    }
}

static struct laxity_job_record *record_at(uint64_t place)
{
    return &laxity_segment_ring(segment, 0)[place & (TASK_SLOTS - 1)];
}

/* As the drain process: takes out all, into nowhere. */
static void empty_task_ring(void)
{
    laxity_atomic64_store(&task->drain.tail, laxity_atomic64_load(&task->state.head));
}

static void a_program_without_a_collector_records_nothing_and_looks_once(void)
{
    (void)unsetenv(LAXITY_JOB_COLLECTOR); /* NOLINT(concurrency-mt-unsafe): one thread */
    laxity_job_state = (struct laxity_job_state){LAXITY_JOB_UNKNOWN, 0, NULL};
    make_jobs(1);
    CHECK_EQUAL(laxity_job_state.mode, LAXITY_JOB_NO_COLLECTOR);
    CHECK(laxity_job_state.ring == NULL);
    make_jobs(1);
    CHECK_EQUAL(laxity_job_state.mode, LAXITY_JOB_NO_COLLECTOR);
}

static void a_program_joins_the_ring_that_the_environment_names_and_no_second_process_does(void)
{
    char name[64];
    FILE *file = tmpfile();
    if (!file) {
        SKIP("no temporary file");
    }
    fresh_run();
    CHECK_EQUAL(fwrite(ring, sizeof *ring, 1, file), 1);
    (void)fflush(file);
    (void)snprintf(name, sizeof name, "%d,0", fileno(file));
    (void)setenv(LAXITY_JOB_COLLECTOR, name, 1); /* NOLINT(concurrency-mt-unsafe): one thread */
    laxity_job_state = (struct laxity_job_state){LAXITY_JOB_UNKNOWN, 0, NULL};
    make_jobs(1);
    CHECK_EQUAL(laxity_job_state.mode, LAXITY_JOB_COLLECTED);
    const struct laxity_job_ring *joined = laxity_job_state.ring;
    if (joined) {
        CHECK_EQUAL(joined->head, 1);
        CHECK_EQUAL(joined->program_pid, (uint32_t)getpid());
        CHECK_EQUAL(joined->records[0].tid, gettid());
    }
    laxity_job_state = (struct laxity_job_state){LAXITY_JOB_UNKNOWN, 0, NULL};
    make_jobs(1);
    CHECK_EQUAL(laxity_job_state.mode, LAXITY_JOB_NO_COLLECTOR);
    (void)fclose(file);
    (void)unsetenv(LAXITY_JOB_COLLECTOR); /* NOLINT(concurrency-mt-unsafe): one thread */
}

static void a_ring_of_another_version_is_not_written_but_told_the_version_of_the_program(void)
{
    fresh_run();
    ring->version = LAXITY_JOB_VERSION + 1;
    CHECK_EQUAL(laxity_job_join(ring, 5), 0);
    CHECK_EQUAL(ring->program_version, LAXITY_JOB_VERSION);
    CHECK_EQUAL(ring->program_pid, 0);
    ring->magic = 0;
    ring->program_version = 0;
    CHECK_EQUAL(laxity_job_join(ring, 5), 0);
    CHECK_EQUAL(ring->program_version, 0);
}

static void a_finished_job_becomes_a_record_with_its_own_release(void)
{
    fresh_run();
    laxity_job_start_at(4242);
    laxity_job_finish();
    laxity_job_start();
    laxity_job_finish();
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), 2);
    CHECK_EQUAL(record_at(0)->release_ns, 4242);
    CHECK_EQUAL(record_at(1)->release_ns, LAXITY_ABSENT_NS);
    CHECK_EQUAL(record_at(1)->job, 1);
    CHECK_EQUAL(record_at(1)->tid, 77);
    CHECK(record_at(0)->finish_ns >= record_at(0)->start_ns);
    CHECK(record_at(1)->start_ns >= record_at(0)->finish_ns);
    CHECK(record_at(0)->exec_ns >= 0);
    CHECK_EQUAL(record_at(0)->minor_faults, INT32_MIN);
    CHECK_EQUAL(laxity_atomic64_load_ns(&task->state.job_start_ns), 0);
}

static void a_full_ring_of_the_task_leaves_records_where_they_are(void)
{
    fresh_run();
    make_jobs(TASK_SLOTS + 1);
    CHECK(laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), TASK_SLOTS);
    empty_task_ring();
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), TASK_SLOTS + 1);
    CHECK_EQUAL(record_at(TASK_SLOTS)->job, TASK_SLOTS);
    CHECK_EQUAL(laxity_atomic64_load(&task->state.lost_records), 0);
}

static void a_full_ring_of_the_program_loses_records_and_counts_them(void)
{
    fresh_run();
    make_jobs(LAXITY_JOB_SLOTS + 3);
    CHECK_EQUAL(ring->head, LAXITY_JOB_SLOTS);
    CHECK_EQUAL(ring->lost, 3);
    while (laxity_own_jobs_take(segment, 0, INT64_MAX)) {
        empty_task_ring();
    }
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), LAXITY_JOB_SLOTS);
    CHECK_EQUAL(laxity_atomic64_load(&task->state.lost_records), 3);
    /* The next one has a place again, and a number that says what is missing. */
    empty_task_ring();
    make_jobs(1);
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(record_at(LAXITY_JOB_SLOTS)->job, LAXITY_JOB_SLOTS + 3);
}

static void counters_of_the_ring_wrap(void)
{
    fresh_run();
    ring->head = UINT32_MAX;
    ring->tail = UINT32_MAX;
    ring->starts = UINT32_MAX;
    make_jobs(2);
    CHECK_EQUAL(ring->head, 1);
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), 2);
    CHECK_EQUAL(record_at(0)->job, 0);
    CHECK_EQUAL(record_at(1)->job, 1);
}

static void a_start_without_a_finish_is_dropped_and_a_finish_without_a_start_does_nothing(void)
{
    fresh_run();
    laxity_job_start();
    make_jobs(1);
    laxity_job_finish();
    CHECK_EQUAL(ring->unfinished, 1);
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), 1);
    CHECK_EQUAL(record_at(0)->job, 1);
}

static void the_running_job_is_mirrored_and_its_record_claimed(void)
{
    fresh_run();
    make_jobs(1);
    laxity_job_start_at(99);
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load_ns(&task->state.job_start_ns), ring->current.start_ns);
    CHECK_EQUAL(record_at(1)->state, LAXITY_RECORD_CLAIMED);
    CHECK_EQUAL(record_at(1)->job, 1);
    CHECK_EQUAL(record_at(1)->release_ns, 99);
    laxity_job_finish();
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load_ns(&task->state.job_start_ns), 0);
    CHECK_EQUAL(record_at(1)->state, LAXITY_RECORD_DONE);
}

static void a_program_killed_between_its_record_and_its_finish_has_finished(void)
{
    fresh_run();
    make_jobs(1);
    ring->is_running = 1; /* head was stored, this not yet */
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), 1);
    CHECK_EQUAL(laxity_atomic64_load_ns(&task->state.job_start_ns), 0);
}

static void a_relay_killed_between_two_stores_leaves_no_job_twice(void)
{
    fresh_run();
    make_jobs(2);
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    ring->tail = 1; /* the second record was put, and not yet taken */
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), 2);
    CHECK_EQUAL(ring->tail, 2);
}

static void jobs_beyond_the_run_are_not_taken(void)
{
    fresh_run();
    task->config.jobs = 3;
    make_jobs(2);
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK(!laxity_own_jobs_are_complete(segment, 0));
    make_jobs(3);
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), 3);
    CHECK(laxity_own_jobs_are_complete(segment, 0));
}

static void a_run_covers_releases_before_its_end_and_starts_before_its_stop(void)
{
    fresh_run();
    laxity_atomic64_store_ns(&segment->run.t0_ns, 1000);
    segment->duration_ns = 500;
    const int64_t releases_ns[] = {1499, 1500, 1400};
    for (unsigned i = 0; i < 3; i++) {
        laxity_job_start_at(releases_ns[i]);
        laxity_job_finish();
    }
    ring->records[2].start_ns = 7000;
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), 2);
    CHECK_EQUAL(record_at(0)->job, 0);
    CHECK_EQUAL(record_at(1)->job, 2);
    fresh_run();
    make_jobs(2);
    ring->records[0].start_ns = 6999;
    ring->records[1].start_ns = 7000;
    CHECK(!laxity_own_jobs_take(segment, 0, 7000));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), 1);
}

static void a_ring_that_the_program_has_overwritten_is_left_alone(void)
{
    fresh_run();
    ring->head = LAXITY_JOB_SLOTS + 1;
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), 0);
    fresh_run();
    make_jobs(2);
    ring->records[0].finish_ns = ring->records[0].start_ns - 1;
    ring->records[1].release_ns = INT64_MAX; /* no time, so not known */
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
    CHECK_EQUAL(laxity_atomic64_load(&task->state.head), 1);
    CHECK_EQUAL(record_at(0)->release_ns, LAXITY_ABSENT_NS);
    segment->bytes = laxity_own_ring_offset(segment, 0) + sizeof *ring - 1;
    CHECK(laxity_own_ring(segment, 0) == NULL);
    CHECK(!laxity_own_jobs_take(segment, 0, INT64_MAX));
}

int main(void)
{
    RUN(a_program_without_a_collector_records_nothing_and_looks_once);
    RUN(a_program_joins_the_ring_that_the_environment_names_and_no_second_process_does);
    RUN(a_ring_of_another_version_is_not_written_but_told_the_version_of_the_program);
    RUN(a_finished_job_becomes_a_record_with_its_own_release);
    RUN(a_full_ring_of_the_task_leaves_records_where_they_are);
    RUN(a_full_ring_of_the_program_loses_records_and_counts_them);
    RUN(counters_of_the_ring_wrap);
    RUN(a_start_without_a_finish_is_dropped_and_a_finish_without_a_start_does_nothing);
    RUN(the_running_job_is_mirrored_and_its_record_claimed);
    RUN(a_program_killed_between_its_record_and_its_finish_has_finished);
    RUN(a_relay_killed_between_two_stores_leaves_no_job_twice);
    RUN(jobs_beyond_the_run_are_not_taken);
    RUN(a_run_covers_releases_before_its_end_and_starts_before_its_stop);
    RUN(a_ring_that_the_program_has_overwritten_is_left_alone);
    free(segment);
    return test_exit_code();
}
