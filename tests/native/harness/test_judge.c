/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/error.h"
#include "base/port/death.h"
#include "base/port/time.h"
#include "harness/judge.h"
#include "harness/release.h"
#include "harness/segment.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct laxity_segment *segment;

static struct laxity_task *fresh_task(void)
{
    const size_t bytes = laxity_segment_bytes(1, 1, 16);
    free(segment);
    segment = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    memset(segment, 0, bytes);
    segment->n_tasks = 1;
    segment->n_corunners = 1;
    segment->ring_slots = 16;
    /* As at launch: what the kernel killed for want of memory before is nobody's of this run. */
    segment->run.oom_kills = laxity_oom_kills();
    struct laxity_task *task = laxity_segment_task(segment, 0);
    task->config.job_timeout_ns = 1000;
    task->config.period_ns = 100;
    (void)snprintf(task->config.process.name, sizeof task->config.process.name, "t");
    return task;
}

static struct laxity_job_record *running_job(uint64_t job)
{
    struct laxity_job_record *record = laxity_segment_ring(segment, 0);
    record->job = job;
    record->state = LAXITY_RECORD_CLAIMED;
    laxity_atomic64_store_ns(&laxity_segment_task(segment, 0)->state.job_start_ns, 4000);
    return record;
}

/* What wait() reports: the signal in the low bits, or the exit code above them. */
enum {
    KILLED_BY_SEGV = 11,
    KILLED_BY_KILL = 9,
    EXIT_1 = 1 << 8,
    EXIT_3 = 3 << 8
};

static void job_at_its_timeout_is_left_one_beyond_is_killed(void)
{
    struct laxity_task *task = fresh_task();
    laxity_atomic64_store_ns(&task->state.job_start_ns, 5000);
    CHECK(!laxity_task_hangs(task, 6000, 0));
    CHECK(laxity_task_hangs(task, 6001, 0));
}

static void time_over_which_the_whole_run_stood_still_is_no_job_time(void)
{
    struct laxity_task *task = fresh_task();
    laxity_atomic64_store_ns(&task->state.job_start_ns, 5000);
    /* The timeout of 1000 ns is counted from 9000 on. */
    CHECK(!laxity_task_hangs(task, 10000, 9000));
    CHECK(laxity_task_hangs(task, 10001, 9000));
}

static void task_that_waits_for_its_release_does_not_hang(void)
{
    struct laxity_task *task = fresh_task();
    laxity_atomic64_store_ns(&task->state.next_release_ns, 5000);
    const int64_t limit_ns = 5000 + 1000 + LAXITY_NS_PER_S;
    CHECK(!laxity_task_hangs(task, limit_ns, 0));
    CHECK(laxity_task_hangs(task, limit_ns + 1, 0));
}

static void queue_may_lag_behind_its_releases_for_ever(void)
{
    struct laxity_task *task = fresh_task();
    task->config.overrun = LAXITY_OVERRUN_QUEUE;
    laxity_atomic64_store_ns(&task->state.next_release_ns, 5000);
    CHECK(!laxity_task_hangs(task, INT64_MAX / 2, 0));
}

static void crash_names_job_and_signal(void)
{
    struct laxity_task *task = fresh_task();
    struct laxity_error error = {0};
    (void)running_job(17);
    CHECK(laxity_judge_task(segment, 0, KILLED_BY_SEGV, true, &error));
    CHECK_EQUAL(task->verdict.end, LAXITY_END_SIGNAL);
    CHECK_TEXT(task->verdict.detail, "killed by signal 11 (SIGSEGV) in job 17");
    CHECK_EQUAL(error.exit_code, 1);
}

static void sigkill_from_outside_is_a_kill(void)
{
    const struct laxity_task *task = fresh_task();
    struct laxity_error error = {0};
    (void)laxity_judge_task(segment, 0, KILLED_BY_KILL, true, &error);
    CHECK_EQUAL(task->verdict.end, LAXITY_END_KILLED);
    CHECK_TEXT(task->verdict.detail, "killed by signal 9 (SIGKILL) between jobs");
}

static void our_own_kill_for_a_timeout_stays_a_timeout(void)
{
    struct laxity_task *task = fresh_task();
    struct laxity_error error = {0};
    (void)running_job(3);
    laxity_end_task(task, LAXITY_END_TIMEOUT, 77);
    (void)laxity_judge_task(segment, 0, KILLED_BY_KILL, true, &error);
    CHECK_EQUAL(task->verdict.end, LAXITY_END_TIMEOUT);
    CHECK_EQUAL(task->verdict.end_ns, 77);
    CHECK_EQUAL(error.exit_code, 1);
}

static void exit_in_a_job_is_an_exit(void)
{
    const struct laxity_task *task = fresh_task();
    struct laxity_error error = {0};
    (void)running_job(2);
    (void)laxity_judge_task(segment, 0, EXIT_3, true, &error);
    CHECK_EQUAL(task->verdict.end, LAXITY_END_EXIT);
    CHECK_TEXT(task->verdict.detail, "called exit(3) in job 2");
}

/* As the process itself does, with what it asked for. */
static void exceed_memory(struct laxity_task *task)
{
    atomic_store(&task->state.memory.is_exceeded, 1);
    laxity_error_set(
        &task->state.process.error,
        LAXITY_EXIT_VIOLATED,
        "calloc of 64MiB exceeds its memory limit of 1MiB (12KiB in use)"
    );
}

static void job_above_its_memory_limit_ends_with_that_cause(void)
{
    struct laxity_task *task = fresh_task();
    struct laxity_error error = {0};
    (void)running_job(3);
    exceed_memory(task);
    CHECK(laxity_judge_task(segment, 0, EXIT_1, true, &error));
    CHECK_EQUAL(task->verdict.end, LAXITY_END_MEMORY_LIMIT);
    CHECK_EQUAL(error.exit_code, 1);
    CHECK_TEXT(
        error.text,
        "task \"t\": in job 3: calloc of 64MiB exceeds its memory limit of 1MiB (12KiB in use); "
        "jobs before it were kept"
    );
}

static void init_above_the_memory_limit_says_what_to_do(void)
{
    struct laxity_task *task = fresh_task();
    struct laxity_error error = {0};
    exceed_memory(task);
    CHECK(laxity_judge_task(segment, 0, EXIT_1, false, &error));
    CHECK_EQUAL(task->verdict.end, LAXITY_END_MEMORY_LIMIT);
    CHECK_EQUAL(error.exit_code, 1);
    CHECK_TEXT(
        error.text,
        "task \"t\": in its init: calloc of 64MiB exceeds its memory limit of 1MiB (12KiB in "
        "use); raise the limit"
    );
}

static void teardown_above_the_memory_limit_keeps_all_jobs(void)
{
    struct laxity_task *task = fresh_task();
    struct laxity_error error = {0};
    task->state.end = LAXITY_END_JOBS;
    exceed_memory(task);
    CHECK(laxity_judge_task(segment, 0, EXIT_1, true, &error));
    CHECK_EQUAL(error.exit_code, 1);
    CHECK_TEXT(
        error.text,
        "task \"t\": calloc of 64MiB exceeds its memory limit of 1MiB (12KiB in use) in its "
        "teardown; all jobs were kept"
    );
}

static void interrupted_job_is_no_failure_of_the_task(void)
{
    struct laxity_task *task = fresh_task();
    struct laxity_error error = {0};
    laxity_end_task(task, LAXITY_END_INTERRUPT, 88);
    CHECK(!laxity_judge_task(segment, 0, KILLED_BY_KILL, true, &error));
    CHECK_EQUAL(task->verdict.end, LAXITY_END_INTERRUPT);
    CHECK_EQUAL(error.exit_code, 0);
}

static void sigterm_from_outside_is_no_complete_run(void)
{
    struct laxity_task *task = fresh_task();
    struct laxity_error error = {0};
    task->state.end = LAXITY_END_INTERRUPT;
    task->state.end_ns = 99;
    CHECK(laxity_judge_task(segment, 0, 0, true, &error));
    CHECK_EQUAL(task->verdict.end, LAXITY_END_SIGNAL);
    CHECK_EQUAL(task->verdict.end_ns, 99);
    CHECK_EQUAL(error.exit_code, 1);
}

static void corunner_that_dies_leaves_no_verdict(void)
{
    (void)fresh_task();
    struct laxity_error error = {0};
    (void)laxity_judge_corunner(segment, 0, KILLED_BY_SEGV, true, &error);
    CHECK_EQUAL(error.exit_code, 4);
    CHECK_EQUAL(laxity_segment_corunner(segment, 0)->verdict.end, LAXITY_END_SIGNAL);
}

static void first_cause_in_time_decides(void)
{
    (void)fresh_task();
    struct laxity_error error = {0};
    (void)laxity_judge_corunner(segment, 0, KILLED_BY_SEGV, true, &error);
    (void)laxity_judge_task(segment, 0, KILLED_BY_SEGV, true, &error);
    CHECK_EQUAL(error.exit_code, 4);
}

static void task_that_was_to_end_after_its_job_may_still_fail_in_it(void)
{
    struct laxity_task *task = fresh_task();
    running_job(7);
    laxity_end_task(task, LAXITY_END_STOPPED, 50);
    laxity_end_task(task, LAXITY_END_STOPPED, 60); /* asked again: the end stays */
    CHECK_EQUAL(task->verdict.end_ns, 50);
    struct laxity_error error = {0};
    CHECK(laxity_judge_task(segment, 0, KILLED_BY_SEGV, true, &error));
    CHECK_EQUAL(task->verdict.end, LAXITY_END_SIGNAL);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_VIOLATED);
}

static void own_program_that_was_ended_in_its_job_is_no_failure(void)
{
    struct laxity_task *task = fresh_task();
    task->config.is_own_program = 1;
    running_job(7);
    laxity_end_task(task, LAXITY_END_STOPPED, 50);
    struct laxity_error error = {0};
    CHECK(!laxity_judge_task(segment, 0, 0, true, &error));
    CHECK_EQUAL(task->verdict.end, LAXITY_END_INTERRUPT);
    CHECK_EQUAL(task->verdict.end_ns, 50);
    CHECK_EQUAL(error.exit_code, 0);
}

int main(void)
{
    RUN(job_at_its_timeout_is_left_one_beyond_is_killed);
    RUN(time_over_which_the_whole_run_stood_still_is_no_job_time);
    RUN(task_that_waits_for_its_release_does_not_hang);
    RUN(queue_may_lag_behind_its_releases_for_ever);
    RUN(crash_names_job_and_signal);
    RUN(sigkill_from_outside_is_a_kill);
    RUN(our_own_kill_for_a_timeout_stays_a_timeout);
    RUN(exit_in_a_job_is_an_exit);
    RUN(job_above_its_memory_limit_ends_with_that_cause);
    RUN(init_above_the_memory_limit_says_what_to_do);
    RUN(teardown_above_the_memory_limit_keeps_all_jobs);
    RUN(interrupted_job_is_no_failure_of_the_task);
    RUN(sigterm_from_outside_is_no_complete_run);
    RUN(corunner_that_dies_leaves_no_verdict);
    RUN(first_cause_in_time_decides);
    RUN(task_that_was_to_end_after_its_job_may_still_fail_in_it);
    RUN(own_program_that_was_ended_in_its_job_is_no_failure);
    free(segment);
    return test_exit_code();
}
