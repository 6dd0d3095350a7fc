/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "vision.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/sift/sift.c"

#include <stdlib.h>
#include <string.h>

static void jobs_succeed_for_many_seeds(void)
{
    check_seeds_succeed("sim_fast", 20);
    check_seeds_succeed("sim", 5);
    check_seeds_succeed("sqcif", 2);
}

static void digest_follows_from_seed_and_size(void)
{
    check_digest_follows_from_seed(&sift.outcome, 0x24548fa9);
}

static void kernels_sum_up_to_one(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    for (size_t i = 0; i < BLURRED_COUNT; i++) {
        uint32_t sum = 0;

        for (size_t j = 0; j < KERNEL_SIDE; j++) {
            sum += sift.space.kernels[i][j];
            CHECK_EQUAL(sift.space.kernels[i][j], sift.space.kernels[i][KERNEL_SIDE - 1 - j]);
        }
        CHECK_EQUAL(sum, 65536);
    }
    free_memory();
}

/* A bright disc of radius 4 in the middle of darkness: a single blob, found at its centre. */
static void disc_is_a_feature_at_its_centre(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(sift.image.pixels, 30, sizeof(uint8_t[48][64]));
    for (int y = -4; y <= 4; y++) {
        for (int x = -4; x <= 4; x++) {
            if (x * x + y * y <= 20) {
                workload_row(&sift.image, 24 + y)[32 + x] = 220;
            }
        }
    }
    find_features(&sift.image, &sift.found);
    CHECK(sift.found.count > 0);
    for (size_t i = 0; i < sift.found.count; i++) {
        CHECK_EQUAL(sift.found.list[i].x << sift.found.list[i].octave, 32);
        CHECK_EQUAL(sift.found.list[i].y << sift.found.list[i].octave, 24);
    }
    free_memory();
}

static void plain_image_has_no_features(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(sift.image.pixels, 77, sizeof(uint8_t[48][64]));
    find_features(&sift.image, &sift.found);
    CHECK_EQUAL(sift.found.count, 0);
    CHECK(teardown_fails());
    free_memory();
}

static void job_does_not_see_what_the_last_one_left(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    for (size_t i = 0; i < BLURRED_COUNT; i++) {
        memset(sift.space.blurred[i], 0x55, sizeof(int16_t[48][64]));
    }
    for (size_t i = 0; i < DIFFERENCE_COUNT; i++) {
        memset(sift.space.differences[i], 0x55, sizeof(int16_t[48][64]));
    }
    memset(sift.space.half_blurred, 0x55, sizeof(int16_t[48][64]));
    memset(sift.space.line, 0x55, sizeof sift.space.line);
    memset(sift.found.list, 0x55, sift.found.limit * sizeof *sift.found.list);
    check_jobs_succeed(1);
}

static void changed_input_fails_the_job(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(workload_row(&sift.image, 20), 0, 8 * (size_t)64);
    check_job_fails_with_other_digest("sift");
    free_memory();
}

static void features_of_another_image_fail_the_teardown(void)
{
    CHECK_EQUAL(INIT("sim"), 0);
    workload_draw_texture(&sift.image, 99, 0, 0);
    find_features(&sift.image, &sift.found);
    CHECK(teardown_fails());
    CHECK(strstr(driver.reason, "expected at least 25 % and 80 %") != NULL);
    free_memory();
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    check_bad_words_are_refused("sift");
}

int main(void)
{
    RUN(jobs_succeed_for_many_seeds);
    RUN(digest_follows_from_seed_and_size);
    RUN(kernels_sum_up_to_one);
    RUN(disc_is_a_feature_at_its_centre);
    RUN(plain_image_has_no_features);
    RUN(job_does_not_see_what_the_last_one_left);
    RUN(changed_input_fails_the_job);
    RUN(features_of_another_image_fail_the_teardown);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
