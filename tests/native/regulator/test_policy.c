/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Decisions by hand: one phase that loses a quarter of the time at step 1 and half of it at step 2,
 * then a phase that loses an eighth of it at any traffic. */
#include "../test.h"
#include "regulator/policy.h"

#include <stdint.h>

enum {
    QUARTER = LAXITY_RATE_ONE / 4,
    HALF = LAXITY_RATE_ONE / 2,
    EIGHTH = LAXITY_RATE_ONE / 8,
    NO = 0, /* not allowed */
};

static struct laxity_contention_table table;
static struct laxity_regulation policy;
static int64_t stopped_since_ns;

static const struct laxity_regulation_terms terms = {
    .has_sensor = true,
    .budget_ns = 400,
    .reload_ns = 20,
    .preemption_ns = 30,
    .lease_ns = 100,
    .stop_ns = 40,
    .mark_ns = 60,
    .wrap_ns = INT64_MAX,
};

static void begin(void)
{
    table = (struct laxity_contention_table){
        .n_phases = 2,
        .n_steps = 3,
        .step_bytes_per_s = 1000000000, /* a byte in a ns */
        .loss = {{0, QUARTER, HALF}, {EIGHTH, EIGHTH, EIGHTH}},
        .solo_from_ns = {5000, 2000, 0},
        .solo_until_ns = {0, 3500, 5000},
    };
    CHECK_EQUAL(laxity_contention_check(&table), 0);
    laxity_regulation_begin(&policy, &table, &terms);
    stopped_since_ns = INT64_MIN;
}

/* A reading at now_ns, whose clock stands still meanwhile; returns how long best-effort work may
 * run, NO: not at all. */
static int64_t read_at(
    int64_t now_ns, uint64_t bytes, const struct laxity_regulation_mark *marks, uint32_t n_marks
)
{
    const struct laxity_regulation_reading reading = {
        .before_ns = now_ns,
        .after_ns = now_ns,
        .bytes = bytes,
        .marks = marks,
        .n_marks = n_marks,
        .stopped_since_ns = stopped_since_ns,
        .next_start_ns = INT64_MIN,
    };
    const int64_t expiry_ns = laxity_regulation_decide(&policy, &reading);
    if (expiry_ns == INT64_MIN) {
        return NO;
    }
    stopped_since_ns = INT64_MAX; /* it runs */
    return expiry_ns - now_ns;
}

static int64_t read_mark(int64_t now_ns, uint64_t bytes, struct laxity_regulation_mark mark)
{
    return read_at(now_ns, bytes, &mark, 1);
}

/* A reading at now_ns after best-effort work stopped at stopped_ns. */
static int64_t read_stopped(int64_t now_ns, int64_t stopped_ns)
{
    const struct laxity_regulation_reading reading = {
        .before_ns = now_ns,
        .after_ns = now_ns,
        .stops_ns = &stopped_ns,
        .n_stops = 1,
        .stopped_since_ns = stopped_ns,
        .next_start_ns = INT64_MIN,
    };
    stopped_since_ns = stopped_ns;
    return laxity_regulation_decide(&policy, &reading) == INT64_MIN ? NO : terms.lease_ns;
}

/* W = 100 + 40 + 60 = 200; W T + K = 200 / 2 + 20 = 120 <= 400. */
static void permission_lasts_a_lease(void)
{
    begin();
    CHECK_EQUAL(read_at(1000, 0, NULL, 0), 100);
}

/* The dear phase begins at 1000 at the soonest. A permission at 799 lasts until 999 and may cost
 * 200 / 8 + 20 = 45; one at 800 may cost 200 / 2 + 20 = 120. */
static void permission_counts_phases_that_the_job_can_reach(void)
{
    begin();
    for (unsigned i = 0; i < 3; i++) {
        table.loss[0][i] = EIGHTH;
        table.loss[1][i] = HALF;
    }
    table.soonest_ns[1] = 1000;
    table.soonest_ns[2] = 1000;
    (void)read_mark(0, 0, (struct laxity_regulation_mark){.wall_ns = 0});
    stopped_since_ns = INT64_MIN;
    policy.slack_ns = 119;
    CHECK_EQUAL(read_at(799, 0, NULL, 0), 100);
    stopped_since_ns = INT64_MIN;
    CHECK_EQUAL(read_at(800, 0, NULL, 0), NO);
    policy.slack_ns = 120;
    CHECK_EQUAL(read_at(801, 0, NULL, 0), 100);
}

/* Start at 1030, read at 1050: 20 / 2 = 10 for the time since, whatever the traffic was. */
static void start_is_charged_at_the_largest_rate(void)
{
    begin();
    (void)read_at(1000, 0, NULL, 0);
    CHECK_EQUAL(read_mark(1050, 5, (struct laxity_regulation_mark){.wall_ns = 1030}), 100);
    CHECK_EQUAL(policy.slack_ns, 390);
    CHECK_EQUAL(policy.charged_ns, 10);
}

/* 100 ns with 100 bytes: step 1, 25 lost. 100 ns with 101 bytes: step 2, 50. With 390 at first and
 * 50 each, 290, 240, 190, 140 are left; at 90 < 120 best-effort work is stopped. */
static void losses_are_charged_until_the_slack_is_used(void)
{
    begin();
    (void)read_at(1000, 0, NULL, 0);
    (void)read_mark(1050, 0, (struct laxity_regulation_mark){.wall_ns = 1030});
    CHECK_EQUAL(read_at(1150, 100, NULL, 0), 100);
    CHECK_EQUAL(policy.slack_ns, 365);
    CHECK_EQUAL(read_at(1250, 101, NULL, 0), 100);
    CHECK_EQUAL(policy.slack_ns, 315);
    for (int64_t now_ns = 1350; now_ns <= 1550; now_ns += 100) {
        CHECK_EQUAL(read_at(now_ns, 200, NULL, 0), 100);
    }
    CHECK_EQUAL(policy.slack_ns, 165);
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_ALLOWED);
    CHECK_EQUAL(read_at(1650, 200, NULL, 0), NO);
    CHECK_EQUAL(policy.slack_ns, 115);
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_SLACK);
}

/* The stop at 1680 costs K = 20 and the interval before it 50; later ones cost nothing. */
static void stopped_work_costs_one_reload_and_then_nothing(void)
{
    losses_are_charged_until_the_slack_is_used();
    CHECK_EQUAL(read_stopped(1750, 1680), NO);
    CHECK_EQUAL(policy.slack_ns, 115 - 20);
    CHECK_EQUAL(read_at(1850, 0, NULL, 0), NO);
    CHECK_EQUAL(policy.slack_ns, 95);
}

/* Checkpoint 1 at 5000 with 3300 ns of own time: 5000 + 400 - 3300 - 2000 = 100 certified, and 30
 * for one preemption. In phase 1 at least 200 / 8 + 20 = 45 are needed. */
static void certificate_gives_back_what_was_not_lost(void)
{
    stopped_work_costs_one_reload_and_then_nothing();
    const struct laxity_regulation_mark mark = {
        .checkpoint = 1, .own_ns = 3300, .wall_ns = 4990, .preemptions = 1
    };
    CHECK_EQUAL(read_at(4980, 0, NULL, 0), NO);
    CHECK_EQUAL(read_mark(5000, 0, mark), 100);
    CHECK_EQUAL(policy.slack_ns, 130);
}

/* The promise is 5000 + 400 and 30 for a preemption: 5430. */
static void job_beyond_the_promise_is_counted(void)
{
    begin();
    (void)read_mark(1000, 0, (struct laxity_regulation_mark){.job = 1, .wall_ns = 1000});
    policy.charged_ns = 400;
    const struct laxity_regulation_mark in_time = {
        .job = 1, .checkpoint = 2, .own_ns = 5430, .wall_ns = 7000, .preemptions = 1
    };
    (void)read_mark(7000, 0, in_time);
    CHECK_EQUAL((int64_t)policy.jobs_void, 0);
    (void)read_mark(8000, 0, (struct laxity_regulation_mark){.job = 2, .wall_ns = 8000});
    policy.charged_ns = 400;
    const struct laxity_regulation_mark late = {
        .job = 2, .checkpoint = 2, .own_ns = 5431, .wall_ns = 14000, .preemptions = 1
    };
    (void)read_mark(14000, 0, late);
    CHECK_EQUAL((int64_t)policy.jobs_void, 1);
}

/* Checkpoint 1 after 3501 ns of own time, when 0 was charged and 3500 is the largest alone. */
static void job_longer_than_its_profile_runs_alone(void)
{
    begin();
    stopped_since_ns = INT64_MIN;
    (void)read_mark(1000, 0, (struct laxity_regulation_mark){.wall_ns = 1000});
    stopped_since_ns = INT64_MIN;
    const struct laxity_regulation_mark mark = {.checkpoint = 1, .own_ns = 3501, .wall_ns = 4600};
    CHECK_EQUAL(read_mark(4600, 0, mark), NO);
    CHECK_EQUAL((int64_t)policy.jobs_void, 1);
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_OUTSIDE);
}

/* With a budget of 119 < 120 a job could not bear a permission that lasts into it. */
static void small_budget_stops_work_before_a_start(void)
{
    begin();
    policy.terms.budget_ns = 119;
    CHECK_EQUAL(read_at(1000, 0, NULL, 0), NO);
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_START);
    /* The next job is known not to start within the lease and the stop: 1100 + 100 + 40. */
    struct laxity_regulation_reading reading = {
        .before_ns = 1100, .after_ns = 1100, .stopped_since_ns = INT64_MIN, .next_start_ns = 1240
    };
    CHECK(laxity_regulation_decide(&policy, &reading) == INT64_MIN);
    reading.next_start_ns = 1241;
    CHECK_EQUAL(laxity_regulation_decide(&policy, &reading), 1200);
}

/* A job that started before the stop at 1080 may be unknown until 1140: M = 60. */
static void work_resumes_only_when_the_stop_is_charged(void)
{
    begin();
    CHECK_EQUAL(read_at(1000, 0, NULL, 0), 100);
    CHECK_EQUAL(read_stopped(1120, 1080), NO);
    CHECK_EQUAL(read_at(1139, 0, NULL, 0), NO);
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_WAITS);
    CHECK_EQUAL(read_at(1140, 0, NULL, 0), 100);
}

/* Without a sensor each 100 ns lose a half, without traffic as well. */
static void without_a_sensor_traffic_is_the_largest(void)
{
    begin();
    policy.terms.has_sensor = false;
    (void)read_at(1000, 0, NULL, 0);
    (void)read_mark(1050, 0, (struct laxity_regulation_mark){.wall_ns = 1050});
    (void)read_at(1150, 0, NULL, 0);
    CHECK_EQUAL(policy.slack_ns, 350);
}

/* Half of 1000 ns: a counter that wraps once in 1000 ns may have wrapped after 501. */
static void counter_that_may_have_wrapped_counts_as_the_largest(void)
{
    begin();
    policy.terms.wrap_ns = 1000;
    (void)read_at(1000, 0, NULL, 0);
    (void)read_mark(1050, 0, (struct laxity_regulation_mark){.wall_ns = 1050});
    (void)read_at(1550, 0, NULL, 0);
    CHECK_EQUAL(policy.slack_ns, 400);
    (void)read_at(2051, 0, NULL, 0);
    CHECK_EQUAL(policy.slack_ns, 400 - 251);
}

static void traffic_beyond_the_table_is_counted(void)
{
    begin();
    (void)read_mark(1000, 0, (struct laxity_regulation_mark){.wall_ns = 1000});
    (void)read_at(1100, 200, NULL, 0);
    CHECK_EQUAL((int64_t)policy.readings_beyond, 0);
    (void)read_at(1200, 201, NULL, 0);
    CHECK_EQUAL((int64_t)policy.readings_beyond, 1);
}

/* Loads alone may move more than loads with the job, and the clock may begin anywhere. */
static void traffic_outside_of_jobs_needs_no_table(void)
{
    begin();
    (void)read_at(5000000000, 1, NULL, 0);
    (void)read_at(5000000100, 100000, NULL, 0);
    CHECK_EQUAL((int64_t)policy.readings_beyond, 0);
    /* A mean over more than a second tells no traffic: half of the time is charged. */
    (void)read_mark(5000000200, 0, (struct laxity_regulation_mark){.wall_ns = 5000000200});
    (void)read_at(6000000201, 1, NULL, 0);
    CHECK_EQUAL((int64_t)policy.readings_beyond, 0);
    CHECK_EQUAL(policy.charged_ns, 500000001);
}

/* 390 are left and 120 are needed: with 271 reserved for later phases work stops, with 270 not. */
static void reserved_slack_stops_work_for_a_reason_of_its_own(void)
{
    const struct laxity_regulation_mark start = {.wall_ns = 1030};
    begin();
    table.reserve_ns[0][1] = 271; /* step 1: 5 bytes in 50 ns */
    (void)read_at(1000, 0, NULL, 0);
    CHECK_EQUAL(read_mark(1050, 5, start), NO);
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_RESERVE);
    begin();
    table.reserve_ns[0][1] = 270;
    (void)read_at(1000, 0, NULL, 0);
    CHECK_EQUAL(read_mark(1050, 5, start), 100);
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_ALLOWED);
}

/* 800 ns lose 400 of 400 at the last step, which ends at 1600 bytes. */
static void stop_after_traffic_beyond_the_table_says_so(void)
{
    const struct laxity_regulation_mark start = {.wall_ns = 1000};
    begin();
    (void)read_mark(1000, 0, start);
    CHECK_EQUAL(read_at(1800, 1600, NULL, 0), NO);
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_SLACK);
    begin();
    (void)read_mark(1000, 0, start);
    CHECK_EQUAL(read_at(1800, 1601, NULL, 0), NO);
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_BEYOND);
}

int main(void)
{
    RUN(permission_lasts_a_lease);
    RUN(permission_counts_phases_that_the_job_can_reach);
    RUN(start_is_charged_at_the_largest_rate);
    RUN(losses_are_charged_until_the_slack_is_used);
    RUN(stopped_work_costs_one_reload_and_then_nothing);
    RUN(certificate_gives_back_what_was_not_lost);
    RUN(job_beyond_the_promise_is_counted);
    RUN(job_longer_than_its_profile_runs_alone);
    RUN(small_budget_stops_work_before_a_start);
    RUN(work_resumes_only_when_the_stop_is_charged);
    RUN(without_a_sensor_traffic_is_the_largest);
    RUN(counter_that_may_have_wrapped_counts_as_the_largest);
    RUN(traffic_beyond_the_table_is_counted);
    RUN(traffic_outside_of_jobs_needs_no_table);
    RUN(reserved_slack_stops_work_for_a_reason_of_its_own);
    RUN(stop_after_traffic_beyond_the_table_says_so);
    return test_exit_code();
}
