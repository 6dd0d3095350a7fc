/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../../../workloads/common/fixed.h"
#include "../test.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static const double turn_radians = 6.283185307179586;

static void root_is_the_largest_whose_square_fits(void)
{
    for (uint64_t root = 1; root < 1000; root++) {
        CHECK_EQUAL(workload_square_root(root * root - 1), root - 1);
        CHECK_EQUAL(workload_square_root(root * root), root);
    }
    CHECK_EQUAL(workload_square_root(0), 0);
    CHECK_EQUAL(workload_square_root(UINT64_MAX), UINT32_MAX);
    CHECK_EQUAL(workload_square_root(UINT64_C(0xfffffffe00000001)), UINT32_MAX);
    CHECK_EQUAL(workload_square_root(UINT64_C(0xfffffffe00000000)), UINT32_MAX - 1);
}

static void exponential_is_that_of_libm(void)
{
    double worst = 0;

    for (uint32_t x = 0; x < 13U << 16; x += 7) {
        const double error =
            fabs((double)workload_exp_minus_q16(x) - 65536 * exp(-(double)x / 65536));

        worst = error > worst ? error : worst;
    }
    CHECK(worst < 1);
    CHECK_EQUAL(workload_exp_minus_q16(0), 65536);
    CHECK_EQUAL(workload_exp_minus_q16(UINT32_MAX), 0);
}

static void cosine_and_sine_are_those_of_libm(void)
{
    double worst = 0;

    for (uint32_t angle = 0; angle < 65536; angle++) {
        const double radians = angle * turn_radians / 65536;
        int32_t found[2];

        workload_cos_sin_q14((uint16_t)angle, found);
        worst = fmax(worst, fabs(found[0] - 16384 * cos(radians)));
        worst = fmax(worst, fabs(found[1] - 16384 * sin(radians)));
    }
    CHECK(worst < 1);
}

static void angle_is_that_of_libm(void)
{
    uint64_t random = 1;
    double worst = 0;

    for (int i = 0; i < 100000; i++) {
        /* Of all lengths from 1 to 2^28. */
        const int32_t limit = (1 << (i % 28 + 1)) - 1;
        const int32_t x = workload_random_between(&random, -limit, limit);
        const int32_t y = workload_random_between(&random, -limit, limit);
        const double expected = atan2(y, x) / turn_radians * 65536;
        const double error = remainder(workload_angle_of(x, y) - expected, 65536);

        worst = x == 0 && y == 0 ? worst : fmax(worst, fabs(error));
    }
    CHECK(worst < 1);
    CHECK_EQUAL(workload_angle_of(0, 0), 0);
    CHECK_EQUAL(workload_angle_of(5, 0), 0);
    CHECK_EQUAL(workload_angle_of(0, 5), QUARTER_TURN);
    CHECK_EQUAL(workload_angle_of(-5, 0), 2 * QUARTER_TURN);
    CHECK_EQUAL(workload_angle_of(0, -5), 3 * QUARTER_TURN);
}

static void random_numbers_have_their_bounds_and_moments(void)
{
    static const int draws = 100000;
    uint64_t random = 1;
    int32_t lowest = INT32_MAX;
    int32_t highest = INT32_MIN;
    double sum = 0;
    double square_sum = 0;

    for (int i = 0; i < draws; i++) {
        const int32_t draw = workload_random_between(&random, -3, 4);
        const double normal = workload_random_normal_q12(&random) / 4096.0;

        lowest = draw < lowest ? draw : lowest;
        highest = draw > highest ? draw : highest;
        sum += normal;
        square_sum += normal * normal;
    }
    CHECK_EQUAL(lowest, -3);
    CHECK_EQUAL(highest, 4);
    /* Deviations of the mean 1 / sqrt(100000) = 0.003, of the variance 0.0045; the seed is fixed.
     */
    CHECK(fabs(sum / draws) < 0.01);
    CHECK(fabs(square_sum / draws - 1) < 0.015);
    CHECK_EQUAL(workload_random_between(&random, INT32_MAX, INT32_MAX), INT32_MAX);
}

int main(void)
{
    RUN(root_is_the_largest_whose_square_fits);
    RUN(exponential_is_that_of_libm);
    RUN(cosine_and_sine_are_those_of_libm);
    RUN(angle_is_that_of_libm);
    RUN(random_numbers_have_their_bounds_and_moments);
    return test_exit_code();
}
