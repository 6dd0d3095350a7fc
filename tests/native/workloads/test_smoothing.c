/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "vision.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/smoothing/smoothing.c"

#include <stdlib.h>
#include <string.h>

static void jobs_succeed_for_many_seeds(void)
{
    check_seeds_succeed("sim_fast", 30);
    check_seeds_succeed("sim", 10);
    check_seeds_succeed("sqcif", 5);
}

static void digest_follows_from_seed_and_size(void)
{
    check_digest_follows_from_seed(&smoothing.outcome, 0x1f7172b4);
}

static void uniform_image_and_sharp_step_stay(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(smoothing.noisy.pixels, 60, sizeof(uint8_t[24][64]));
    memset(workload_row(&smoothing.noisy, 24), 190, sizeof(uint8_t[24][64]));
    smooth_image();
    /* exp(-(130 / 20)^2) is below 2^-8: the other side has no weight. */
    CHECK_EQUAL(memcmp(smoothing.found.pixels, smoothing.noisy.pixels, sizeof(uint8_t[48][64])), 0);
    free_memory();
}

/* A pixel with nothing like it: the median of 10 20 30 40 50 60 70 80 is 40, the lower one. */
static void lone_pixel_becomes_the_median_of_its_neighbours(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(smoothing.noisy.pixels, 0, sizeof(uint8_t[48][64]));
    memcpy(workload_row(&smoothing.noisy, 19) + 19, (const uint8_t[]){80, 10, 40}, 3);
    memcpy(workload_row(&smoothing.noisy, 20) + 19, (const uint8_t[]){30, 255, 70}, 3);
    memcpy(workload_row(&smoothing.noisy, 21) + 19, (const uint8_t[]){20, 60, 50}, 3);
    smooth_image();
    CHECK_EQUAL(workload_row(&smoothing.found, 20)[20], 40);
    free_memory();
}

static void job_does_not_see_what_the_last_one_left(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(smoothing.found.pixels, 0xa5, sizeof(uint8_t[48][64]));
    check_jobs_succeed(1);
}

static void changed_input_fails_the_job(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    workload_row(&smoothing.noisy, 8)[8] ^= 16;
    check_job_fails_with_other_digest("smoothing");
    free_memory();
}

static void noise_that_stays_fails_the_teardown(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memcpy(smoothing.found.pixels, smoothing.noisy.pixels, sizeof(uint8_t[48][64]));
    CHECK(teardown_fails());
    CHECK(strstr(driver.reason, ", expected at most 1/3") != NULL);
    free_memory();
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    check_bad_words_are_refused("smoothing");
}

int main(void)
{
    RUN(jobs_succeed_for_many_seeds);
    RUN(digest_follows_from_seed_and_size);
    RUN(uniform_image_and_sharp_step_stay);
    RUN(lone_pixel_becomes_the_median_of_its_neighbours);
    RUN(job_does_not_see_what_the_last_one_left);
    RUN(changed_input_fails_the_job);
    RUN(noise_that_stays_fails_the_teardown);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
