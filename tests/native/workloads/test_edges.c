/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "vision.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/edges/edges.c"

#include <string.h>

static void jobs_succeed_for_many_seeds(void)
{
    check_seeds_succeed("sim_fast", 60);
    check_seeds_succeed("sim", 20);
    check_seeds_succeed("sqcif", 10);
}

static void digest_follows_from_seed_and_size(void)
{
    check_digest_follows_from_seed(&edges.outcome, 0x8fb3d764);
}

/* Columns from 32 on are lighter than the others, in these rows. */
static void draw_step(const int first_row, const int end_row, const int contrast)
{
    for (int y = first_row; y < end_row; y++) {
        memset(workload_row(&edges.image, y), 50, 32);
        memset(workload_row(&edges.image, y) + 32, 50 + contrast, 32);
    }
}

/* The gradient is the same on both sides of the step, and the latter of equals is the maximum; the
 * image's first and last row have no edges. */
static void straight_step_is_one_line(void)
{
    int wrong_count = 0;

    CHECK_EQUAL(INIT("sim_fast"), 0);
    draw_step(0, 48, 150);
    find_edges();
    for (int y = 0; y < 48; y++) {
        for (int x = 0; x < 64; x++) {
            const int expected = x == 32 && y > 0 && y < 47 ? EDGE : 0;

            wrong_count += workload_row(&edges.found, y)[x] != expected;
        }
    }
    CHECK_EQUAL(wrong_count, 0);
    free_memory();
}

static void edges_are_marked_from_the_high_threshold_on(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    draw_step(0, 48, 24); /* a gradient of 40 * 24 < 1000 */
    find_edges();
    CHECK_EQUAL(workload_row(&edges.found, 20)[32], 0);
    draw_step(0, 48, 25);
    find_edges();
    CHECK_EQUAL(workload_row(&edges.found, 20)[32], EDGE);
    free_memory();
}

static void faint_edge_counts_if_it_continues_a_strong_one(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    draw_step(0, 48, 24);
    draw_step(0, 10, 26);
    find_edges();
    CHECK_EQUAL(workload_row(&edges.found, 40)[32], EDGE);
    draw_step(10, 48, 11); /* 40 * 11 < 480 */
    find_edges();
    CHECK_EQUAL(workload_row(&edges.found, 40)[32], 0);
    free_memory();
}

static void job_does_not_see_what_the_last_one_left(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(edges.found.pixels, EDGE, sizeof(uint8_t[48][64]));
    memset(edges.half_smoothed, 0x55, sizeof(int16_t[48][64]));
    memset(edges.smoothed, 0x55, sizeof(int16_t[48][64]));
    memset(edges.pending, 0, sizeof(uint32_t[48][64]));
    check_jobs_succeed(1);
}

static void changed_input_fails_the_job(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(workload_row(&edges.image, 8), 255, 8 * (size_t)64);
    check_job_fails_with_other_digest("edges");
    free_memory();
}

static void lost_and_invented_edges_fail_the_teardown(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(workload_row(&edges.found, 0), 0, 24 * (size_t)64);
    CHECK(teardown_fails());
    CHECK(strstr(driver.reason, "expected at least 90 % of both") != NULL);
    find_edges();
    memset(workload_row(&edges.found, 20), EDGE, 8 * (size_t)64);
    CHECK(teardown_fails());
    memset(edges.found.pixels, 0, sizeof(uint8_t[48][64]));
    CHECK(teardown_fails());
    CHECK_TEXT(
        driver.reason,
        "edges: 0 % of the outlines were found and 0 % of what was found is outline, expected at "
        "least 90 % of both"
    );
    free_memory();
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    check_bad_words_are_refused("edges");
}

int main(void)
{
    RUN(jobs_succeed_for_many_seeds);
    RUN(digest_follows_from_seed_and_size);
    RUN(straight_step_is_one_line);
    RUN(edges_are_marked_from_the_high_threshold_on);
    RUN(faint_edge_counts_if_it_continues_a_strong_one);
    RUN(job_does_not_see_what_the_last_one_left);
    RUN(changed_input_fails_the_job);
    RUN(lost_and_invented_edges_fail_the_teardown);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
