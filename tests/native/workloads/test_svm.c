/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "vision.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/svm/svm.c"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static void jobs_succeed_for_many_seeds(void)
{
    check_seeds_succeed("sim_fast", 60);
    check_seeds_succeed("sim", 20);
    check_seeds_succeed("sqcif", 10);
}

static void digest_follows_from_seed_and_size(void)
{
    check_digest_follows_from_seed(&svm.outcome, 0xd8a35e0e);
}

/*
 * Two points of different kinds at distance 2: K = exp(-2) = 8869 / 65536. Both weights become a =
 * 1 / (1 - K) = 1.15652, where both outputs are a - a K = +-1; the bias is 0. a * 65536 = 75794.
 */
static void two_points_get_the_weights_of_the_formula(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    svm.count = 2;
    memset(svm.known, 0, 2 * sizeof *svm.known);
    svm.known[0].kind = 1;
    svm.known[1].kind = -1;
    svm.known[1].x[3] = 2 * UNIT_Q8;
    learn();
    CHECK_EQUAL(svm.kernel_q16[1], 8869);
    CHECK(svm.weights_q16[0] >= 75793 && svm.weights_q16[0] <= 75795);
    CHECK_EQUAL(svm.weights_q16[1], svm.weights_q16[0]);
    CHECK_EQUAL(svm.bias_q32, 0);
    free_memory();
}

/* The sum of weights times kinds is 0 (Platt, equation 11), and each lies within its bounds. */
static void weights_keep_their_conditions(void)
{
    int64_t sum = 0;

    CHECK_EQUAL(INIT("qcif"), 0);
    for (size_t i = 0; i < svm.count; i++) {
        CHECK(svm.weights_q16[i] >= 0 && svm.weights_q16[i] <= HIGHEST_WEIGHT_Q16);
        sum += (int64_t)svm.known[i].kind * svm.weights_q16[i];
    }
    CHECK_EQUAL(sum, 0);
    free_memory();
}

static void job_does_not_see_what_the_last_one_left(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(svm.kernel_q16, 0x55, svm.count * svm.count * sizeof *svm.kernel_q16);
    memset(svm.weights_q16, 0x55, svm.count * sizeof *svm.weights_q16);
    memset(svm.errors_q32, 0x55, svm.count * sizeof *svm.errors_q32);
    memset(svm.outputs_q16, 0x55, svm.count * sizeof *svm.outputs_q16);
    svm.bias_q32 = 5;
    check_jobs_succeed(1);
}

static void changed_input_fails_the_job(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    svm.known[3].kind = -svm.known[3].kind;
    check_job_fails_with_other_digest("svm");
    free_memory();
}

static void wrong_kinds_fail_the_teardown(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(svm.outputs_q16, 0, svm.count * sizeof *svm.outputs_q16);
    CHECK(teardown_fails());
    CHECK_TEXT(driver.reason, "svm: the kind of 16 of 32 points was found, expected at least 85 %");
    free_memory();
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    check_bad_words_are_refused("svm");
}

int main(void)
{
    RUN(jobs_succeed_for_many_seeds);
    RUN(digest_follows_from_seed_and_size);
    RUN(two_points_get_the_weights_of_the_formula);
    RUN(weights_keep_their_conditions);
    RUN(job_does_not_see_what_the_last_one_left);
    RUN(changed_input_fails_the_job);
    RUN(wrong_kinds_fail_the_teardown);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
