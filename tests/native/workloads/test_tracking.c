/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "vision.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/tracking/tracking.c"

#include <stdlib.h>
#include <string.h>

static void jobs_succeed_for_many_seeds(void)
{
    check_seeds_succeed("sim_fast", 30);
    check_seeds_succeed("sim", 20);
    check_seeds_succeed("sqcif", 5);
    check_seeds_succeed("qcif", 3);
}

static void digest_follows_from_seed_and_size(void)
{
    check_digest_follows_from_seed(&tracking.outcome, 0xd4bff613);
}

/* Without noise, by 1.5 pixels to the right and 0.75 up: within 1/8 of a pixel at nearly all
 * points. */
static void known_motion_is_found_between_pixels(void)
{
    size_t right_count = 0;

    CHECK_EQUAL(INIT("sqcif"), 0);
    workload_draw_texture(&tracking.first[0], 9, 0, 0);
    workload_draw_texture(&tracking.second[0], 9, -384, 192);
    track_motion();
    for (size_t i = 0; i < tracking.point_count; i++) {
        right_count += tracking.points[i].is_lost == 0 &&
                       abs(tracking.points[i].motion.x - 384) <= 32 &&
                       abs(tracking.points[i].motion.y + 192) <= 32;
    }
    CHECK(tracking.point_count > 50);
    CHECK(right_count * 100 >= tracking.point_count * 95);
    free_memory();
}

/* (xx xy; xy yy) = (5 2; 2 2) has the eigenvalues 6 and 1; (4 0; 0 0) has 0. */
static void eigenvalue_is_twice_the_lesser_one(void)
{
    CHECK_EQUAL(lesser_eigenvalue(&(struct products){5, 2, 2}), 2);
    CHECK_EQUAL(lesser_eigenvalue(&(struct products){4, 0, 0}), 0);
}

static void plain_image_has_no_points(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(tracking.first[0].pixels, 77, sizeof(uint8_t[48][64]));
    track_motion();
    CHECK_EQUAL(tracking.point_count, 0);
    CHECK(teardown_fails());
    free_memory();
}

static void job_does_not_see_what_the_last_one_left(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(tracking.points, 0x55, tracking.point_count * sizeof *tracking.points);
    memset(tracking.eigenvalues, 0x55, sizeof(uint32_t[48][64]));
    memset(tracking.half_summed, 0x55, sizeof(struct products[48][64]));
    memset(tracking.first[1].pixels, 0x55, sizeof(uint8_t[24][32]));
    memset(tracking.second[1].pixels, 0x55, sizeof(uint8_t[24][32]));
    tracking.point_count = 1;
    check_jobs_succeed(1);
}

static void changed_input_fails_the_job(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(workload_row(&tracking.second[0], 20), 0, 8 * (size_t)64);
    check_job_fails_with_other_digest("tracking");
    free_memory();
}

static void wrong_motion_fails_the_teardown(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    tracking.motion.x += 2 * PIXEL_Q8;
    CHECK(teardown_fails());
    CHECK(strstr(driver.reason, "expected at least 80 % of at least 4") != NULL);
    free_memory();
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    check_bad_words_are_refused("tracking");
}

int main(void)
{
    RUN(jobs_succeed_for_many_seeds);
    RUN(digest_follows_from_seed_and_size);
    RUN(known_motion_is_found_between_pixels);
    RUN(eigenvalue_is_twice_the_lesser_one);
    RUN(plain_image_has_no_points);
    RUN(job_does_not_see_what_the_last_one_left);
    RUN(changed_input_fails_the_job);
    RUN(wrong_motion_fails_the_teardown);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
