/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/basicmath/basicmath.c"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void square_roots_are_exact_beside_squares(void)
{
    static const uint32_t roots[] = {1, 2, 3, 255, 65536, 4294967295};

    CHECK_EQUAL(square_root(0), 0);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        const uint64_t root = roots[i];

        CHECK_EQUAL(square_root(root * root - 1), root - 1);
        CHECK_EQUAL(square_root(root * root), root);
        CHECK_EQUAL(square_root(root * root + 2 * root), root);
    }
    CHECK_EQUAL(square_root(UINT64_MAX), UINT32_MAX);
}

static void roots_of_a_cubic_are_found(void)
{
    /* (x + 100) (x - 20) (x - 300) = x^3 - 220 x^2 - 26000 x + 600000 */
    const struct cubic cubic = {.a = -220, .b = -26000, .c = 600000};
    int64_t roots[ROOT_COUNT];

    find_roots(&cubic, roots);
    CHECK_EQUAL(roots[0], -100);
    CHECK_EQUAL(roots[1], 20);
    CHECK_EQUAL(roots[2], 300);
}

static void every_part_of_a_degree_comes_back_from_radians(void)
{
    struct item item = {.degrees = 180 << DEGREE_BITS};

    /* pi * 2^24 = 52707178.5 */
    CHECK_EQUAL(do_angle(&item), 52707179);
    for (item.degrees = 0; item.degrees < 360 << DEGREE_BITS; item.degrees += 7) {
        (void)do_angle(&item);
    }
}

static void divisors_are_those_of_a_calculation_by_hand(void)
{
    /* 1071 = 3 * 3 * 7 * 17, 462 = 2 * 3 * 7 * 11 */
    CHECK_EQUAL(divide_common(1071, 462), 21);
    CHECK_EQUAL(halve_common(1071, 462), 21);
    CHECK_EQUAL(halve_common(96, 64), 32);
    CHECK_EQUAL(halve_common(UINT32_MAX, 1), 1);
}

static void changed_root_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    basicmath.items[7].cubic.roots[1]++;
    CHECK(job_fails());
    free(basicmath.items);
}

static void changed_number_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    basicmath.items[7].number ^= UINT64_C(1) << 63;
    CHECK(job_fails());
    free(basicmath.items);
}

int main(void)
{
    RUN(square_roots_are_exact_beside_squares);
    RUN(roots_of_a_cubic_are_found);
    RUN(every_part_of_a_degree_comes_back_from_radians);
    RUN(divisors_are_those_of_a_calculation_by_hand);
    RUN(changed_root_fails_the_job);
    RUN(changed_number_fails_the_next_job);
    run_sized_tests("basicmath", &basicmath.outcome, 0x17cd9a2e);
    return test_exit_code();
}
