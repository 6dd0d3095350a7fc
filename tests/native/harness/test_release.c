/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/port/time.h"
#include "harness/release.h"
#include "schema/streams.h"

enum {
    T = 1000
};

static const struct laxity_releases skip = {
    .first_ns = 5000, .period_ns = T, .deadline_ns = T, .overrun = LAXITY_OVERRUN_SKIP
};
static const struct laxity_releases queue = {
    .first_ns = 5000, .period_ns = T, .deadline_ns = INT64_C(4) * T, .overrun = LAXITY_OVERRUN_QUEUE
};

static void release_is_first_plus_job_times_period(void)
{
    CHECK_EQUAL(laxity_release_ns(&skip, 0), 5000);
    CHECK_EQUAL(laxity_release_ns(&skip, 3), 8000);
    CHECK_EQUAL(laxity_abs_deadline_ns(&skip, 3), 9000);
}

static void task_without_deadline_is_never_late(void)
{
    struct laxity_releases free_task = skip;
    free_task.deadline_ns = LAXITY_ABSENT_NS;
    CHECK_EQUAL(laxity_abs_deadline_ns(&free_task, 3), LAXITY_ABSENT_NS);
    CHECK_EQUAL(laxity_finished_status(&free_task, 0, INT64_MAX), LAXITY_STATUS_DONE);
}

static void finish_at_the_deadline_is_in_time_one_later_is_not(void)
{
    CHECK_EQUAL(laxity_finished_status(&skip, 0, 6000), LAXITY_STATUS_DONE);
    CHECK_EQUAL(laxity_finished_status(&skip, 0, 6001), LAXITY_STATUS_MISSED);
}

static void release_at_the_finish_is_not_skipped_one_before_is(void)
{
    /* r_2 = 7000. Job 0 ends at 7000: jobs 1 (6000) is skipped, 2 is not. At 7001 2 is skipped too.
     */
    CHECK_EQUAL(laxity_next_job(&skip, 0, 7000), 2);
    CHECK_EQUAL(laxity_next_job(&skip, 0, 7001), 3);
    CHECK_EQUAL(laxity_next_job(&skip, 0, 5500), 1);
    CHECK_EQUAL(laxity_next_job(&skip, 0, 6000), 1);
}

static void queue_takes_every_job_in_order(void)
{
    CHECK_EQUAL(laxity_next_job(&queue, 0, 5000 + 100 * T), 1);
}

static void released_before_counts_strictly_earlier_releases(void)
{
    CHECK_EQUAL(laxity_released_before(&skip, 4999), 0);
    CHECK_EQUAL(laxity_released_before(&skip, 5000), 0);
    CHECK_EQUAL(laxity_released_before(&skip, 5001), 1);
    CHECK_EQUAL(laxity_released_before(&skip, 6000), 1);
    CHECK_EQUAL(laxity_released_before(&skip, 6001), 2);
}

int main(void)
{
    RUN(release_is_first_plus_job_times_period);
    RUN(task_without_deadline_is_never_late);
    RUN(finish_at_the_deadline_is_in_time_one_later_is_not);
    RUN(release_at_the_finish_is_not_skipped_one_before_is);
    RUN(queue_takes_every_job_in_order);
    RUN(released_before_counts_strictly_earlier_releases);
    return test_exit_code();
}
