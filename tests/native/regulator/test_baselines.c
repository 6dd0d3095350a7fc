/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Decisions by hand. A sample lasts 100 ns and a step of the table is 1 byte in a ns, so that index
 * i begins at 100 i bytes. */
#include "../test.h"
#include "regulator/policy.h"
#include "regulator/table.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    ONE = LAXITY_RATE_ONE,
    SAMPLE_NS = 100,
    END = 2, /* checkpoint */
};

static struct laxity_contention_table table;
static struct laxity_regulation policy;
static int64_t now_ns;

/* Overheads: 0, 25 %, 300 %, 12.5 % in phase 0; 100 % at any traffic in phase 1. */
static void begin(enum laxity_regulation_policy which)
{
    table = (struct laxity_contention_table){
        .n_phases = 2,
        .n_steps = 4,
        .step_bytes_per_s = 1000000000,
        .loss = {{0, ONE / 4, 3 * ONE, ONE / 8}, {ONE, ONE, ONE, ONE}},
    };
    const struct laxity_regulation_terms terms = {
        .policy = which,
        .has_sensor = true,
        .budget_ns = 400,
        .lease_ns = SAMPLE_NS,
        .wrap_ns = INT64_MAX,
        .refill_bytes = 1000,
        .refill_ns = 400,
    };
    laxity_regulation_begin(&policy, &table, &terms);
    now_ns = 0;
}

/* Whether best-effort work, whose traffic all is, may run after a reading dt_ns later. */
static bool may_run_after(
    int64_t dt_ns, uint64_t bytes, const struct laxity_regulation_mark *marks, uint32_t n_marks
)
{
    now_ns += dt_ns;
    const struct laxity_regulation_reading reading = {
        .before_ns = now_ns,
        .after_ns = now_ns,
        .bytes = bytes,
        .best_effort_bytes = bytes,
        .marks = marks,
        .n_marks = n_marks,
        .stopped_since_ns = INT64_MAX,
        .next_start_ns = INT64_MIN,
    };
    const int64_t expiry_ns = laxity_regulation_decide(&policy, &reading);
    CHECK(expiry_ns == INT64_MIN || expiry_ns == now_ns + SAMPLE_NS);
    return expiry_ns != INT64_MIN;
}

static bool may_run(uint64_t bytes)
{
    return may_run_after(SAMPLE_NS, bytes, NULL, 0);
}

static bool may_run_at(uint64_t bytes, uint64_t job, uint32_t checkpoint)
{
    const struct laxity_regulation_mark mark = {.job = job, .checkpoint = checkpoint};
    return may_run_after(SAMPLE_NS, bytes, &mark, 1);
}

/* theta C is 400, so that the sum may be 300 at most. Sums: 25 (the sample with the start),
 * 25 + 25 for 199 bytes, 50 + 13 for 399 (12.5 rounded up), 63 + 0, 63 + 300. */
static void paper_adds_overheads_until_the_threshold_less_one_sample(void)
{
    begin(LAXITY_REGULATION_PAPER);
    CHECK(may_run_at(100, 7, 0));
    CHECK_EQUAL(policy.slack_ns, 375);
    CHECK(may_run(199));
    CHECK_EQUAL(policy.slack_ns, 350);
    CHECK(may_run(399));
    CHECK_EQUAL(policy.slack_ns, 337);
    CHECK(may_run(99));
    CHECK_EQUAL(policy.slack_ns, 337);
    CHECK(!may_run(200));
    CHECK_EQUAL(policy.slack_ns, 37);
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_SLACK);
}

/* 300 is the threshold, 313 is above it. */
static void paper_stops_above_its_threshold_only(void)
{
    begin(LAXITY_REGULATION_PAPER);
    CHECK(may_run_at(200, 0, 0));
    CHECK_EQUAL(policy.slack_ns, 100);
    CHECK(may_run(0));
    CHECK(!may_run(300));
}

static void paper_resumes_at_the_end_of_the_job_only(void)
{
    paper_adds_overheads_until_the_threshold_less_one_sample();
    CHECK(!may_run(200));
    CHECK_EQUAL(policy.slack_ns, 37);
    CHECK(!may_run_at(0, 7, 1));
    CHECK(may_run_at(0, 7, END));
    CHECK(may_run(100000));
    CHECK(may_run_at(0, 8, 0));
    CHECK_EQUAL(policy.slack_ns, 400);
}

/* A sample of 250 ns with 199 bytes: 100 ns at index 1. */
static void paper_takes_each_sample_for_one_of_nominal_length(void)
{
    begin(LAXITY_REGULATION_PAPER);
    CHECK(may_run_at(0, 7, 0));
    CHECK(may_run_after(250, 199, NULL, 0));
    CHECK_EQUAL(policy.slack_ns, 375);
}

static void paper_counts_traffic_beyond_its_table_as_the_last_step(void)
{
    begin(LAXITY_REGULATION_PAPER);
    CHECK(may_run_at(UINT64_C(1) << 55, 7, 0)); /* times 10^9, modulo 2^64, it is 0 */
    CHECK(may_run(100000));
    CHECK_EQUAL(policy.slack_ns, 400 - 13 - 13);
    CHECK_EQUAL((int64_t)policy.readings_beyond, 0);
}

/* The first sample costs 25, one in which phase 1 begins 100. A mark that the table lacks changes
 * nothing. */
static void paper_charges_a_sample_for_the_phase_that_it_ends_in(void)
{
    begin(LAXITY_REGULATION_PAPER);
    CHECK(may_run_at(100, 7, 0));
    CHECK(may_run_at(0, 7, UINT32_MAX));
    CHECK_EQUAL(policy.slack_ns, 375);
    CHECK(may_run_at(0, 7, 1));
    CHECK_EQUAL(policy.slack_ns, 275);
    CHECK(may_run_at(0, 8, 0));
    CHECK_EQUAL(policy.slack_ns, 400);
}

/* One sample may cost all of 100; of 99 it may not. */
static void paper_stops_at_once_where_a_sample_exceeds_the_budget(void)
{
    begin(LAXITY_REGULATION_PAPER);
    policy.terms.budget_ns = SAMPLE_NS;
    CHECK(may_run_at(0, 7, 0));
    policy.terms.budget_ns = SAMPLE_NS - 1;
    CHECK(!may_run_at(0, 8, 0));
}

/* Overheads of 3/2 in 2 ms and some ns: the products are rounded up once. */
static void paper_charges_long_samples_exactly(void)
{
    begin(LAXITY_REGULATION_PAPER);
    table.loss[0][0] = ONE + ONE / 2;
    policy.terms.lease_ns = 2000001;
    policy.terms.budget_ns = 10000000;
    const struct laxity_regulation_mark mark = {.job = 7};
    const struct laxity_regulation_reading reading = {.marks = &mark, .n_marks = 1};
    CHECK(laxity_regulation_decide(&policy, &reading) != INT64_MIN);
    CHECK_EQUAL(policy.slack_ns, 10000000 - 3000002);
}

/* 1000 bytes in each 400 ns, jobs or none: 600, 1000, 1030 are used. */
static void budget_stops_work_until_the_next_period(void)
{
    begin(LAXITY_REGULATION_BUDGET);
    CHECK(may_run(600));
    CHECK(!may_run_at(400, 7, 0));
    CHECK(!may_run(30));
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_BUDGET);
    CHECK(may_run(0));
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_ALLOWED);
}

/* 30 bytes are left to pay from 400 on: 999, then 1000 are used, and at 800 none. */
static void budget_of_the_next_period_pays_what_was_too_much(void)
{
    budget_stops_work_until_the_next_period();
    CHECK_EQUAL((int64_t)policy.used_bytes, 30);
    CHECK(may_run_at(969, 7, END));
    CHECK(!may_run(1));
    CHECK(!may_run(0));
    CHECK(may_run(0));
    CHECK_EQUAL((int64_t)policy.used_bytes, 0);
}

/* From 0 to 1650 there are four periods and one reading: 2500 - 1000. The next period ends at
 * 2000. */
static void budget_of_a_period_without_a_reading_is_lost(void)
{
    begin(LAXITY_REGULATION_BUDGET);
    CHECK(!may_run_after(1650, 2500, NULL, 0));
    CHECK_EQUAL((int64_t)policy.used_bytes, 1500);
    CHECK(!may_run_after(349, 0, NULL, 0));
    CHECK(may_run_after(1, 0, NULL, 0));
    CHECK_EQUAL((int64_t)policy.used_bytes, 500);
}

static void suspended_work_runs_between_jobs_only(void)
{
    begin(LAXITY_REGULATION_SUSPEND);
    CHECK(may_run(0));
    CHECK(!may_run_at(0, 7, 0));
    CHECK(!may_run(0));
    CHECK(!may_run_at(0, 7, 1));
    CHECK_EQUAL(policy.reason, LAXITY_REGULATION_REASON_JOB);
    CHECK(may_run_at(0, 7, END));
    CHECK(may_run(0));
    CHECK_EQUAL(policy.slack_ns, INT64_MIN);
}

int main(void)
{
    RUN(paper_adds_overheads_until_the_threshold_less_one_sample);
    RUN(paper_stops_above_its_threshold_only);
    RUN(paper_resumes_at_the_end_of_the_job_only);
    RUN(paper_takes_each_sample_for_one_of_nominal_length);
    RUN(paper_counts_traffic_beyond_its_table_as_the_last_step);
    RUN(paper_charges_a_sample_for_the_phase_that_it_ends_in);
    RUN(paper_stops_at_once_where_a_sample_exceeds_the_budget);
    RUN(paper_charges_long_samples_exactly);
    RUN(budget_stops_work_until_the_next_period);
    RUN(budget_of_the_next_period_pays_what_was_too_much);
    RUN(budget_of_a_period_without_a_reading_is_lost);
    RUN(suspended_work_runs_between_jobs_only);
    return test_exit_code();
}
