/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/error.h"
#include "regulator/plan.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    TEXT_BYTES = 2048,
};

static const char *lines[] = {
    "task 3",
    "core 1",
    "period_ns 50000",
    "stop_latency_ns 10000",
    "resume_latency_ns 5000",
    "mark_latency_ns 1000",
    "policy 0",
    "has_sensor 1",
    "budget_ns 400000",
    "reload_ns 2000",
    "preemption_ns 30",
    "lease_ns 50001",
    "stop_ns 11000",
    "mark_ns 1001",
    "refill_bytes 300",
    "refill_ns 1000000",
    "phases 2",
    "steps 3",
    "step_bytes_per_s 20480000",
    "mark 1 7 2",
    "loss 0 0 300000 500000",
    "loss 1 0 100 200",
    "reserve 0 0 10 20",
    "reserve 1 0 0 0",
    "solo_from_ns 8000000 3000000 0",
    "solo_until_ns 0 6000000 8000000",
};

enum {
    N_LINES = sizeof lines / sizeof lines[0],
};

static struct laxity_regulation_plan plan;
static struct laxity_error error;

/* Parses the lines above with line `which` replaced; NULL: left out; N_LINES: none is. */
static int parse_with(unsigned which, const char *line)
{
    char text[TEXT_BYTES] = "";
    for (unsigned i = 0; i < N_LINES; i++) {
        const char *const next = i == which ? line : lines[i];
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%s", next ? next : "", next ? "\n" : "");
    }
    error = (struct laxity_error){0};
    return laxity_regulation_plan_parse(text, &plan, &error);
}

static void all_of_a_plan_is_read(void)
{
    CHECK_EQUAL(parse_with(N_LINES, NULL), 0);
    CHECK_EQUAL(plan.task, 3);
    CHECK_EQUAL(plan.core, 1);
    CHECK_EQUAL(plan.resume_latency_ns, 5000);
    CHECK_EQUAL(plan.terms.preemption_ns, 30);
    CHECK_EQUAL(plan.terms.lease_ns, 50001);
    CHECK(plan.terms.has_sensor);
    CHECK_EQUAL(plan.terms.wrap_ns, INT64_MAX);
    CHECK_EQUAL((int64_t)plan.terms.refill_bytes, 300);
    CHECK_EQUAL(plan.terms.refill_ns, 1000000);
    CHECK_EQUAL(plan.checkpoints[1].mark, 7);
    CHECK_EQUAL(plan.checkpoints[1].passage, 2);
    CHECK_EQUAL(plan.passages[7], 0);
    CHECK_EQUAL(plan.table.loss[0][2], 500000);
    CHECK_EQUAL(plan.table.reserve_ns[0][1], 10);
    CHECK_EQUAL(plan.table.solo_until_ns[1], 6000000);
    CHECK_EQUAL(plan.table.soonest_ns[1], 0);
}

static void line_that_lacks_is_named(void)
{
    for (unsigned i = 0; i < N_LINES; i++) {
        CHECK_EQUAL(parse_with(i, NULL), -1);
        CHECK_EQUAL(error.exit_code, LAXITY_EXIT_USAGE);
    }
    CHECK_EQUAL(parse_with(7, NULL), -1);
    CHECK(strcmp(error.text, "regulation plan: no has_sensor") == 0);
}

static void line_that_stands_twice_is_refused(void)
{
    for (unsigned i = 0; i < N_LINES; i++) {
        char twice[TEXT_BYTES];
        (void)snprintf(twice, sizeof twice, "%s\n%s", lines[i], lines[i]);
        CHECK_EQUAL(parse_with(i, twice), -1);
    }
}

static void bad_line_is_shown(void)
{
    CHECK_EQUAL(parse_with(2, "period_ns 0"), -1);
    CHECK(strcmp(error.text, "regulation plan: bad line \"period_ns 0\"") == 0);
    CHECK_EQUAL(parse_with(2, "period_ns 5e4"), -1);
    CHECK_EQUAL(parse_with(2, "period_ns -5"), -1);
    CHECK_EQUAL(parse_with(2, "period_ns"), -1);
    CHECK_EQUAL(parse_with(2, "period_ms 5"), -1);
    CHECK_EQUAL(parse_with(7, "has_sensor 2"), -1);
    CHECK_EQUAL(parse_with(15, "refill_ns 0"), -1);
    CHECK_EQUAL(parse_with(16, "phases 65"), -1);
    CHECK_EQUAL(parse_with(19, "mark 0 7 2"), -1);
    CHECK_EQUAL(parse_with(19, "mark 2 7 2"), -1);
    CHECK_EQUAL(parse_with(19, "mark 1 256 2"), -1);
    CHECK_EQUAL(parse_with(19, "mark 1 7 0"), -1);
    CHECK_EQUAL(parse_with(19, "mark 1 7"), -1);
    CHECK_EQUAL(parse_with(20, "loss 0 0 300000"), -1);
    CHECK_EQUAL(parse_with(20, "loss 0 0 300000 500000 500000"), -1);
    CHECK_EQUAL(parse_with(20, "loss 0 0 300000 4294967296"), -1);
    CHECK_EQUAL(parse_with(24, "solo_from_ns 8000000 3000000"), -1);
}

/* Lines of passages are optional: a mark may begin no phase, and then stands in no other line. */
static void passages_of_marks_are_read(void)
{
    CHECK_EQUAL(parse_with(19, "mark 1 7 2\npassages 7 5\npassages 255 1"), 0);
    CHECK_EQUAL(plan.passages[7], 5);
    CHECK_EQUAL(plan.passages[255], 1);
    CHECK_EQUAL(plan.passages[0], 0);
    CHECK_EQUAL(parse_with(19, "mark 1 7 2\npassages 7 5\npassages 7 5"), -1);
    CHECK_EQUAL(parse_with(19, "mark 1 7 2\npassages 7 0"), -1);
    CHECK_EQUAL(parse_with(19, "mark 1 7 2\npassages 256 1"), -1);
    CHECK_EQUAL(parse_with(19, "mark 1 7 2\npassages 7"), -1);
}

static void checkpoint_is_a_mark_and_its_passage(void)
{
    CHECK_EQUAL(parse_with(19, "mark 1 7 2\npassages 7 3\npassages 8 1"), 0);
    CHECK_EQUAL(laxity_regulation_plan_checkpoint(&plan, 7, 1), 0);
    CHECK_EQUAL(laxity_regulation_plan_checkpoint(&plan, 7, 2), 1);
    CHECK_EQUAL(laxity_regulation_plan_checkpoint(&plan, 7, 3), 0);
    CHECK_EQUAL(laxity_regulation_plan_checkpoint(&plan, 7, 4), UINT32_MAX);
    CHECK_EQUAL(laxity_regulation_plan_checkpoint(&plan, 8, 1), 0);
    CHECK_EQUAL(laxity_regulation_plan_checkpoint(&plan, 8, 2), UINT32_MAX);
    CHECK_EQUAL(laxity_regulation_plan_checkpoint(&plan, 9, 1), UINT32_MAX);
    CHECK_EQUAL(laxity_regulation_plan_checkpoint(&plan, 256, 1), 0);
}

/* Checks that a plan with a replaced line is refused for that reason. */
static void check_flaw(unsigned which, const char *line, const char *flaw)
{
    char wanted[TEXT_BYTES];
    (void)snprintf(wanted, sizeof wanted, "regulation plan: %s", flaw);
    CHECK_EQUAL(parse_with(which, line), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_USAGE);
    CHECK(strcmp(error.text, wanted) == 0);
}

/* The reload of 2000 ns may be added to what follows the first checkpoint. */
static void times_that_no_job_has_are_refused(void)
{
    const char *const order = "solo_until_ns falls, or solo_from_ns rises";
    const char *const ends = "a time before the start or after the end of a job";
    CHECK_EQUAL(parse_with(24, "solo_from_ns 8000000 8002000 0"), 0);
    check_flaw(24, "solo_from_ns 8000000 8002001 0", order);
    CHECK_EQUAL(parse_with(25, "solo_until_ns 0 8000000 8000000"), 0);
    check_flaw(25, "solo_until_ns 0 8000001 8000000", order);
    check_flaw(24, "solo_from_ns 8000000 3000000 1", ends);
    check_flaw(25, "solo_until_ns 1 6000000 8000000", ends);
}

static void least_times_of_checkpoints_may_be_stated(void)
{
    const char *const rest = "solo_until_ns 0 6000000 8000000\nsoonest_ns ";
    char text[TEXT_BYTES];
    (void)snprintf(text, sizeof text, "%s0 5000000 5000000", rest);
    CHECK_EQUAL(parse_with(25, text), 0);
    CHECK_EQUAL(plan.table.soonest_ns[1], 5000000);
    (void)snprintf(text, sizeof text, "%s0 5000000 4999999", rest);
    check_flaw(25, text, "soonest_ns falls");
}

static void latencies_beyond_those_of_the_promise_are_refused(void)
{
    const char *const flaw = "stop_ns or mark_ns is less than the latency";
    CHECK_EQUAL(parse_with(12, "stop_ns 10000"), 0);
    check_flaw(12, "stop_ns 9999", flaw);
    CHECK_EQUAL(parse_with(13, "mark_ns 1000"), 0);
    check_flaw(13, "mark_ns 999", flaw);
}

static void phases_that_begin_at_one_passage_are_refused(void)
{
    const char *const kept[] = {lines[16], lines[24], lines[25]};
    lines[16] = "phases 3";
    lines[24] = "solo_from_ns 8000000 3000000 2000000 0";
    lines[25] = "solo_until_ns 0 5000000 6000000 8000000";
    const char *const more = "mark 1 7 2\nloss 2 0 0 0\nreserve 2 0 0 0\nmark 2 7 3";
    CHECK_EQUAL(parse_with(19, more), 0);
    const char *const same = "mark 1 7 2\nloss 2 0 0 0\nreserve 2 0 0 0\nmark 2 7 2";
    check_flaw(19, same, "two phases begin at one passage of a mark");
    lines[16] = kept[0];
    lines[24] = kept[1];
    lines[25] = kept[2];
}

static void curve_that_falls_is_refused(void)
{
    CHECK_EQUAL(parse_with(20, "loss 0 0 500000 300000"), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_USAGE);
    CHECK_EQUAL(parse_with(20, "loss 0 0 300000 1048577"), -1);
}

/* Parses the lines above, of policy "paper", with overheads that fall and exceed 1. */
static int parse_paper_with(const char *has_sensor, const char *lease_ns)
{
    const char *const kept[] = {lines[6], lines[7], lines[11], lines[20]};
    lines[6] = "policy 2";
    lines[7] = has_sensor;
    lines[11] = lease_ns;
    lines[20] = "loss 0 0 5000000 300000";
    const int rc = parse_with(N_LINES, NULL);
    lines[6] = kept[0];
    lines[7] = kept[1];
    lines[11] = kept[2];
    lines[20] = kept[3];
    return rc;
}

static void overheads_of_the_paper_may_fall_and_exceed_one(void)
{
    CHECK_EQUAL(parse_paper_with("has_sensor 1", "lease_ns 1000000000"), 0);
    CHECK_EQUAL(plan.table.loss[0][1], 5000000);
    CHECK_EQUAL(parse_paper_with("has_sensor 1", "lease_ns 1000000001"), -1);
    CHECK_EQUAL(parse_paper_with("has_sensor 1", "lease_ns 0"), -1);
    CHECK_EQUAL(parse_paper_with("has_sensor 0", "lease_ns 50000"), -1);
}

int main(void)
{
    RUN(all_of_a_plan_is_read);
    RUN(line_that_lacks_is_named);
    RUN(line_that_stands_twice_is_refused);
    RUN(bad_line_is_shown);
    RUN(passages_of_marks_are_read);
    RUN(checkpoint_is_a_mark_and_its_passage);
    RUN(times_that_no_job_has_are_refused);
    RUN(least_times_of_checkpoints_may_be_stated);
    RUN(latencies_beyond_those_of_the_promise_are_refused);
    RUN(phases_that_begin_at_one_passage_are_refused);
    RUN(curve_that_falls_is_refused);
    RUN(overheads_of_the_paper_may_fall_and_exceed_one);
    return test_exit_code();
}
