/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/histogram.h"

#include <stdint.h>

static void check_bucket(int64_t value_ns, int64_t lower_ns, int64_t upper_ns)
{
    int64_t lower = 0;
    int64_t upper = 0;
    laxity_histogram_edges(laxity_histogram_bucket(value_ns), &lower, &upper);
    CHECK_EQUAL(lower, lower_ns);
    CHECK_EQUAL(upper, upper_ns);
}

static void small_values_are_exact(void)
{
    check_bucket(0, 0, 1);
    check_bucket(63, 63, 64);
    check_bucket(64, 64, 65); /* 2^6: width 2^6 / 64 = 1 */
    check_bucket(127, 127, 128);
}

static void width_is_a_64th_of_the_power_of_two(void)
{
    check_bucket(128, 128, 130); /* 2^7: width 128 / 64 = 2 */
    check_bucket(129, 128, 130);
    check_bucket(130, 130, 132);
    check_bucket(255, 254, 256);
    check_bucket(1000000, 999424, 1007616); /* 2^19 = 524288: width 8192; 122 * 8192 = 999424 */
}

static void negative_values_have_one_bucket(void)
{
    check_bucket(-1, -1, 0);
    check_bucket(INT64_MIN, -1, 0);
}

static void largest_value_has_a_bucket(void)
{
    CHECK_EQUAL(laxity_histogram_bucket(INT64_MAX), LAXITY_HISTOGRAM_BUCKETS - 1);
    check_bucket(INT64_MAX, INT64_MAX - (INT64_C(1) << 56) + 1, INT64_MAX);
}

static void every_bucket_begins_where_the_last_one_ends(void)
{
    int64_t previous = -1;
    for (unsigned i = 0; i < LAXITY_HISTOGRAM_BUCKETS; i++) {
        int64_t lower = 0;
        int64_t upper = 0;
        laxity_histogram_edges(i, &lower, &upper);
        CHECK_EQUAL(lower, previous);
        CHECK_EQUAL(laxity_histogram_bucket(lower), i);
        CHECK_EQUAL(laxity_histogram_bucket(upper - 1), i);
        previous = upper;
    }
}

int main(void)
{
    RUN(small_values_are_exact);
    RUN(width_is_a_64th_of_the_power_of_two);
    RUN(negative_values_have_one_bucket);
    RUN(largest_value_has_a_bucket);
    RUN(every_bucket_begins_where_the_last_one_ends);
    return test_exit_code();
}
