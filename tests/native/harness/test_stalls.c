/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/port/atomic64.h"
#include "harness/segment.h"
#include "harness/stalls.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    MS = 1000000,
    SLOTS = 16
};

static struct laxity_segment *segment;

static void make_run(uint32_t n_tasks)
{
    const size_t bytes = laxity_segment_bytes(n_tasks, 0, SLOTS);
    free(segment);
    segment = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    memset(segment, 0, bytes);
    segment->n_tasks = n_tasks;
    segment->ring_slots = SLOTS;
}

static void do_job(uint32_t task, int64_t start_ns, int64_t finish_ns)
{
    struct laxity_task_state *state = &laxity_segment_task(segment, task)->state;
    const uint64_t head = laxity_atomic64_load(&state->head);
    struct laxity_job_record *record =
        &laxity_segment_ring(segment, task)[head & (segment->ring_slots - 1)];
    record->start_ns = start_ns;
    record->finish_ns = finish_ns;
    laxity_atomic64_increment(&state->head);
}

static bool stood_still(int64_t late_ms, int64_t delay_ms, int64_t busy_ms, bool is_continued)
{
    const struct laxity_beat_gap gap = {
        .late_ns = late_ms * MS,
        .delay_ns = delay_ms * MS,
        .busy_ns = busy_ms * MS,
        .is_continued = is_continued,
    };
    return laxity_is_standstill(&gap);
}

static void late_look_without_a_reason_is_a_standstill(void)
{
    CHECK(!stood_still(49, 0, 0, false));
    CHECK(stood_still(50, 0, 0, false));
    /* SIGCONT says that there was a stop. */
    CHECK(!stood_still(4, 0, 0, true));
    CHECK(stood_still(5, 0, 0, true));
}

static void supervisor_that_waited_for_a_cpu_is_none(void)
{
    CHECK(stood_still(700, 349, 0, false));
    CHECK(!stood_still(700, 350, 0, false));
}

static void tasks_that_had_a_cpu_are_none(void)
{
    CHECK(stood_still(700, 0, 349, false));
    CHECK(!stood_still(700, 0, 350, false));
}

static void hole_lies_between_the_jobs_of_all_tasks(void)
{
    make_run(2);
    do_job(0, 1000, 1100);
    do_job(1, 1050, 1250);
    do_job(0, 9000, 9100);
    do_job(1, 8950, 9200);
    int64_t from_ns = 500;
    int64_t to_ns = 10000;
    /* 1000, 1050, 1100, 1250, then nothing until 8950. */
    CHECK(laxity_find_hole(segment, 5000, &from_ns, &to_ns));
    CHECK_EQUAL(from_ns, 1250);
    CHECK_EQUAL(to_ns, 8950);
}

static void run_without_a_hole_went_on(void)
{
    make_run(2);
    do_job(0, 1000, 1100);
    do_job(1, 4000, 5000);
    do_job(0, 7000, 7500);
    int64_t from_ns = 500;
    int64_t to_ns = 10000;
    /* The longest one is 4000 - 1100 = 2900. */
    CHECK(!laxity_find_hole(segment, 2901, &from_ns, &to_ns));
    CHECK(laxity_find_hole(segment, 2900, &from_ns, &to_ns));
    CHECK_EQUAL(from_ns, 1100);
}

static void job_that_runs_has_begun(void)
{
    make_run(1);
    laxity_atomic64_store_ns(&laxity_segment_task(segment, 0)->state.job_start_ns, 5000);
    int64_t from_ns = 1000;
    int64_t to_ns = 10000;
    /* 5000 - 1000 = 4000, 10000 - 5000 = 5000. */
    CHECK(laxity_find_hole(segment, 4001, &from_ns, &to_ns));
    CHECK_EQUAL(from_ns, 5000);
    CHECK_EQUAL(to_ns, 10000);
}

static void stopped_task_is_noted_until_it_goes_on(void)
{
    enum {
        STOPPED = 0x137f, /* SIGSTOP (19) << 8 | 0x7f */
        CONTINUED = 0xffff
    };
    make_run(2);
    laxity_segment_task(segment, 1)->verdict.pid = 4711;
    laxity_note_stop(segment, 4711, STOPPED);
    const struct laxity_stalls *stalls = &segment->run.stalls;
    CHECK_EQUAL(stalls->n, 1);
    CHECK_EQUAL(stalls->listed[0].task, 1);
    CHECK_EQUAL(stalls->listed[0].to_ns, 0);
    laxity_note_stop(segment, 4711, CONTINUED);
    CHECK_EQUAL(stalls->n, 1);
    CHECK(stalls->listed[0].to_ns >= stalls->listed[0].from_ns);
    CHECK_EQUAL(laxity_stalled_until_ns(segment), 0); /* not of the whole run */
}

int main(void)
{
    RUN(late_look_without_a_reason_is_a_standstill);
    RUN(supervisor_that_waited_for_a_cpu_is_none);
    RUN(tasks_that_had_a_cpu_are_none);
    RUN(hole_lies_between_the_jobs_of_all_tasks);
    RUN(run_without_a_hole_went_on);
    RUN(job_that_runs_has_begun);
    RUN(stopped_task_is_noted_until_it_goes_on);
    free(segment);
    return test_exit_code();
}
