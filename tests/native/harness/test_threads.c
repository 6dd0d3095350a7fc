/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What is found, listed and told of a task's threads: real threads, a made-up task. */
#include "../test.h"
#include "base/port/atomic64.h"
#include "base/port/sched.h"
#include "harness/segment.h"
#include "harness/threads.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    MANY = LAXITY_THREADS_LISTED_MAX + 3
};

static struct laxity_task task;
static struct laxity_threads threads;
static sem_t may_end;
static pthread_t others[MANY];

static void *wait_for_the_end(void *unused)
{
    (void)unused;
    while (sem_wait(&may_end) != 0) {
    }
    return NULL;
}

static void start_others(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        CHECK_EQUAL(pthread_create(&others[i], NULL, wait_for_the_end, NULL), 0);
    }
}

static void end_others(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        (void)sem_post(&may_end);
    }
    for (unsigned i = 0; i < count; i++) {
        (void)pthread_join(others[i], NULL);
    }
}

static void fresh_task(uint32_t declared, enum laxity_snapshots snapshots)
{
    memset(&task, 0, sizeof task);
    task.config.threads = declared;
    laxity_threads_begin(&threads, &task, snapshots);
}

static const struct laxity_fallback *only_fallback(void)
{
    CHECK_EQUAL(task.state.process.n_fallbacks, 1);
    return &task.state.process.fallbacks[0];
}

static void as_many_threads_as_declared_are_listed_and_not_told(void)
{
    fresh_task(3, LAXITY_SNAPSHOTS_ALL);
    start_others(2);
    laxity_threads_look(&threads);
    CHECK_EQUAL(task.threads.most, 3);
    CHECK_EQUAL(task.threads.n, 2);
    CHECK_EQUAL(task.state.process.n_fallbacks, 0);
    end_others(2);
}

static void one_thread_more_than_declared_is_told_once(void)
{
    fresh_task(2, LAXITY_SNAPSHOTS_ALL);
    start_others(2);
    laxity_threads_look(&threads);
    laxity_threads_look(&threads);
    CHECK_TEXT(only_fallback()->what, "threads 2");
    CHECK_TEXT(only_fallback()->used, "3");
    CHECK(strstr(only_fallback()->reason, "count all of them; set the task's threads to 3"));
    end_others(2);
}

static void undeclared_thread_under_policy_deadline_is_told_to_have_no_reservation(void)
{
    fresh_task(1, LAXITY_SNAPSHOTS_ALL);
    task.state.process.policy = LAXITY_POLICY_DEADLINE;
    start_others(1);
    laxity_threads_look(&threads);
    CHECK(strstr(only_fallback()->reason, "no reservation holds for them; use policy fifo and set")
    );
    CHECK(strstr(only_fallback()->reason, "threads to 2")); /* not cut off */
    end_others(1);
}

static void thread_that_came_and_went_between_two_looks_is_told(void)
{
    fresh_task(1, LAXITY_SNAPSHOTS_CPU);
    if (threads.n_foreign > 0) {
        SKIP("an emulator or sanitizer has threads of its own, whose time cannot be told apart");
    }
    laxity_threads_look(&threads);
    start_others(1);
    end_others(1);
    laxity_threads_look(&threads);
    CHECK_TEXT(only_fallback()->what, "threads 1");
    CHECK(strstr(only_fallback()->reason, "leave them out"));
}

static void task_of_one_thread_is_never_told_of_others(void)
{
    fresh_task(1, LAXITY_SNAPSHOTS_ALL);
    for (unsigned i = 0; i < 1000; i++) {
        laxity_threads_look(&threads);
    }
    CHECK_EQUAL(task.threads.most, 1);
    CHECK_EQUAL(task.state.process.n_fallbacks, 0);
}

static void nothing_is_told_where_no_column_could_be_wrong(void)
{
    fresh_task(1, LAXITY_SNAPSHOTS_NONE);
    start_others(1);
    laxity_threads_look(&threads);
    CHECK_EQUAL(task.threads.most, 2);
    CHECK_EQUAL(task.state.process.n_fallbacks, 0);
    end_others(1);
}

static void threads_that_were_there_before_the_workload_do_not_count(void)
{
    start_others(1);
    fresh_task(1, LAXITY_SNAPSHOTS_ALL);
    laxity_threads_look(&threads);
    end_others(1);
    laxity_threads_look(&threads);
    CHECK_EQUAL(task.threads.most, 1);
    CHECK_EQUAL(task.threads.n, 0);
    CHECK_EQUAL(task.state.process.n_fallbacks, 0);
}

static void list_that_is_full_keeps_the_first_and_says_so_once(void)
{
    fresh_task(LAXITY_THREADS_LISTED_MAX, LAXITY_SNAPSHOTS_NONE);
    start_others(MANY);
    laxity_threads_look(&threads);
    laxity_threads_look(&threads);
    CHECK_EQUAL(task.threads.n, LAXITY_THREADS_LISTED_MAX);
    CHECK_EQUAL(task.threads.most, MANY + 1);
    CHECK_TEXT(only_fallback()->what, "list of threads");
    end_others(MANY);
}

static void thread_that_is_gone_keeps_the_time_when_it_was_last_seen(void)
{
    fresh_task(3, LAXITY_SNAPSHOTS_ALL);
    laxity_threads_look(&threads);
    const int64_t before_ns = threads.looked_ns;
    start_others(1);
    laxity_threads_look(&threads);
    const int64_t seen_ns = threads.looked_ns;
    end_others(1);
    struct laxity_job_record record = {.exec_ns = 1000};
    laxity_threads_count_job(&threads, LAXITY_SNAPSHOTS_ALL, &record);
    CHECK_EQUAL(task.threads.n, 1);
    CHECK_EQUAL(laxity_atomic64_load_ns(&task.threads.rows[0].from_ns), before_ns);
    CHECK(laxity_atomic64_load_ns(&task.threads.rows[0].to_ns) >= seen_ns);
    CHECK(record.exec_ns > 1000); /* it has run */
}

int main(void)
{
    if (sem_init(&may_end, 0, 0) != 0) {
        return 1;
    }
    /* TSan makes a thread of its own beside the first one. */
    start_others(1);
    end_others(1);
    RUN(as_many_threads_as_declared_are_listed_and_not_told);
    RUN(one_thread_more_than_declared_is_told_once);
    RUN(undeclared_thread_under_policy_deadline_is_told_to_have_no_reservation);
    RUN(thread_that_came_and_went_between_two_looks_is_told);
    RUN(task_of_one_thread_is_never_told_of_others);
    RUN(nothing_is_told_where_no_column_could_be_wrong);
    RUN(threads_that_were_there_before_the_workload_do_not_count);
    RUN(list_that_is_full_keeps_the_first_and_says_so_once);
    RUN(thread_that_is_gone_keeps_the_time_when_it_was_last_seen);
    return test_exit_code();
}
