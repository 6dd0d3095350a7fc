/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "vision.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/mser/mser.c"

#include <string.h>

static void jobs_succeed_for_many_seeds(void)
{
    check_seeds_succeed("sim_fast", 60);
    check_seeds_succeed("sim", 20);
    check_seeds_succeed("sqcif", 10);
}

static void digest_follows_from_seed_and_size(void)
{
    check_digest_follows_from_seed(&mser.outcome, 0x242f0d18);
}

static void fill_square(const int first, const int side, const int grey)
{
    for (int y = first; y < first + side; y++) {
        memset(workload_row(&mser.image, y) + first, grey, (size_t)side);
    }
}

/* A dark square of 10 in one of 20, on white: both are stable, the inner one's centre is (14.5,
 * 14.5) = 232 / 16, the outer one's (19.5, 19.5) = 312 / 16. */
static void nested_squares_are_two_regions(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(mser.image.pixels, 250, sizeof(uint8_t[48][64]));
    fill_square(10, 20, 120);
    fill_square(10, 10, 20);
    find_regions();
    CHECK_EQUAL(mser.found_count, 2);
    CHECK_EQUAL(mser.found[0].area, 100);
    CHECK_EQUAL(mser.found[0].x_q4, 232);
    CHECK_EQUAL(mser.found[0].y_q4, 232);
    CHECK_EQUAL(mser.found[0].grey, 20);
    CHECK_EQUAL(mser.found[0].is_bright, 0);
    CHECK_EQUAL(mser.found[1].area, 400);
    CHECK_EQUAL(mser.found[1].x_q4, 312);
    CHECK_EQUAL(mser.found[1].grey, 120);
    free_memory();
}

static void square_of_29_pixels_is_too_small(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(mser.image.pixels, 20, sizeof(uint8_t[48][64]));
    memset(workload_row(&mser.image, 10) + 10, 200, 29);
    find_regions();
    CHECK_EQUAL(mser.found_count, 0);
    memset(workload_row(&mser.image, 10) + 10, 200, 30);
    find_regions();
    CHECK_EQUAL(mser.found_count, 1);
    CHECK_EQUAL(mser.found[0].is_bright, 1);
    free_memory();
}

static void job_does_not_see_what_the_last_one_left(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(mser.greys, 0x55, sizeof(uint8_t[48][64]));
    memset(mser.order, 0x55, sizeof(uint32_t[48][64]));
    memset(mser.nodes, 0x55, sizeof(struct node[48][64]));
    memset(mser.found, 0x55, mser.found_count * sizeof *mser.found);
    mser.found_count = 1;
    check_jobs_succeed(1);
}

static void changed_input_fails_the_job(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(workload_row(&mser.image, 8), 255, 8 * (size_t)64);
    check_job_fails_with_other_digest("mser");
    free_memory();
}

static void lost_regions_fail_the_teardown(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    mser.found_count = 1;
    CHECK(teardown_fails());
    CHECK(
        strstr(driver.reason, " of 4 shapes are among 1 regions, expected at least 80 %") != NULL
    );
    free_memory();
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    check_bad_words_are_refused("mser");
}

int main(void)
{
    RUN(jobs_succeed_for_many_seeds);
    RUN(digest_follows_from_seed_and_size);
    RUN(nested_squares_are_two_regions);
    RUN(square_of_29_pixels_is_too_small);
    RUN(job_does_not_see_what_the_last_one_left);
    RUN(changed_input_fails_the_job);
    RUN(lost_regions_fail_the_teardown);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
