/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "vision.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/corners/corners.c"

#include <string.h>

static void jobs_succeed_for_many_seeds(void)
{
    check_seeds_succeed("sim_fast", 60);
    check_seeds_succeed("sim", 20);
    check_seeds_succeed("sqcif", 10);
}

static void digest_follows_from_seed_and_size(void)
{
    check_digest_follows_from_seed(&corners.outcome, 0x5e030566);
}

static void rectangle_has_four_corners(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(corners.image.pixels, 50, sizeof(uint8_t[48][64]));
    for (int y = 15; y <= 30; y++) {
        memset(workload_row(&corners.image, y) + 20, 200, 25);
    }
    find_corners();
    CHECK_EQUAL(corners.found_count, 4);
    CHECK(is_found(20, 15));
    CHECK(is_found(44, 15));
    CHECK(is_found(20, 30));
    CHECK(is_found(44, 30));
    free_memory();
}

static void straight_edge_has_no_corner(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    for (int y = 0; y < 48; y++) {
        memset(workload_row(&corners.image, y), 50, 32);
        memset(workload_row(&corners.image, y) + 32, 200, 32);
    }
    find_corners();
    CHECK_EQUAL(corners.found_count, 0);
    CHECK(teardown_fails());
    free_memory();
}

static void job_does_not_see_what_the_last_one_left(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(corners.found, 0x55, sizeof(struct point[48][64]));
    for (int y = BORDER; y < 48 - BORDER; y++) {
        memset(corners.responses + workload_index(64, BORDER, y), 0x55, 8 * (size_t)(64 - 6));
        memset(corners.half_smoothed + workload_index(64, BORDER, y), 0x55, 12 * (size_t)(64 - 6));
    }
    corners.found_count = 7;
    check_jobs_succeed(1);
}

static void changed_input_fails_the_job(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(workload_row(&corners.image, 8), 255, 8 * (size_t)64);
    check_job_fails_with_other_digest("corners");
    free_memory();
}

static void lost_and_moved_corners_fail_the_teardown(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    const size_t found_count = corners.found_count;

    corners.found_count = found_count / 3;
    CHECK(teardown_fails());
    CHECK(strstr(driver.reason, "expected at least 80 % of both") != NULL);
    corners.found_count = found_count;
    for (size_t i = 0; i < found_count; i++) {
        corners.found[i].x = (int16_t)(corners.found[i].x + 5);
    }
    CHECK(teardown_fails());
    free_memory();
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    check_bad_words_are_refused("corners");
}

int main(void)
{
    RUN(jobs_succeed_for_many_seeds);
    RUN(digest_follows_from_seed_and_size);
    RUN(rectangle_has_four_corners);
    RUN(straight_edge_has_no_corner);
    RUN(job_does_not_see_what_the_last_one_left);
    RUN(changed_input_fails_the_job);
    RUN(lost_and_moved_corners_fail_the_teardown);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
