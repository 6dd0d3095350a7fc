/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "vision.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/disparity/disparity.c"

#include <string.h>

static void jobs_succeed_for_many_seeds(void)
{
    check_seeds_succeed("sim_fast", 60);
    check_seeds_succeed("sim", 20);
    check_seeds_succeed("sqcif", 10);
}

static void digest_follows_from_seed_and_size(void)
{
    check_digest_follows_from_seed(&disparity.outcome, 0xec061b2d);
}

static void uniform_shift_is_found_everywhere(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    for (int y = 0; y < 48; y++) {
        for (int x = 0; x < 64; x++) {
            workload_row(&disparity.left, y)[x] = (uint8_t)workload_texture(5, x * 256, y * 256);
            workload_row(&disparity.right, y)[x] =
                (uint8_t)workload_texture(5, (x + 3) * 256, y * 256);
        }
    }
    match_images();
    /* From x = 6 on the window's left column, x - 3, has its counterpart at x - 6 >= 0. */
    for (int x = 6; x < 61; x++) {
        CHECK_EQUAL(workload_row(&disparity.found, 20)[x], 3);
    }
    free_memory();
}

static void job_does_not_see_what_the_last_one_left(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(disparity.found.pixels, 0xa5, sizeof(uint8_t[48][64]));
    memset(disparity.least_sums, 0, sizeof(uint16_t[48][64]));
    memset(disparity.integral, 0xa5, sizeof(uint32_t[49][65]));
    check_jobs_succeed(1);
}

static void changed_input_fails_the_job(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(workload_row(&disparity.right, 20), 0, 8 * (size_t)64);
    check_job_fails_with_other_digest("disparity");
    free_memory();
}

static void wrong_disparities_fail_the_teardown(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(workload_row(&disparity.found, 8), 0, 24 * (size_t)64);
    CHECK(teardown_fails());
    CHECK(strstr(driver.reason, "disparities are right, expected at least 80 %") != NULL);
    free_memory();
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    check_bad_words_are_refused("disparity");
}

int main(void)
{
    RUN(jobs_succeed_for_many_seeds);
    RUN(digest_follows_from_seed_and_size);
    RUN(uniform_shift_is_found_everywhere);
    RUN(job_does_not_see_what_the_last_one_left);
    RUN(changed_input_fails_the_job);
    RUN(wrong_disparities_fail_the_teardown);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
