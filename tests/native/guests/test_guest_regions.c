/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Regions of interest of a job, and its check functions. */
#include "../test.h"
#include "guests/guest_regions.h"

static struct laxity_guest_regions taken(void)
{
    struct laxity_guest_regions regions;
    laxity_guest_regions_take(&regions);
    return regions;
}

static void regions_of_a_job_are_counted_and_their_times_added(void)
{
    laxity_guest_regions_begin();
    laxity_region_begin();
    laxity_region_end();
    const int64_t first_ns = taken().total_ns;
    laxity_region_begin();
    laxity_region_end();
    CHECK_EQUAL(taken().count, 2);
    CHECK(taken().total_ns >= first_ns);
    laxity_guest_regions_begin();
    CHECK_EQUAL(taken().count, 0);
    CHECK_EQUAL(taken().total_ns, 0);
}

static void a_region_without_an_end_is_none(void)
{
    laxity_guest_regions_begin();
    laxity_region_begin();
    CHECK_EQUAL(taken().count, 0);
    CHECK_EQUAL(taken().total_ns, 0);
    laxity_guest_regions_begin();
    laxity_region_end();
    CHECK_EQUAL(taken().count, 0);
}

static void a_second_beginning_does_not_shorten_the_region(void)
{
    laxity_guest_regions_begin();
    laxity_region_begin();
    const int64_t entered_ns = taken().entered_ns;
    laxity_region_begin();
    CHECK_EQUAL(taken().entered_ns, entered_ns);
    laxity_region_end();
    laxity_region_end();
    CHECK_EQUAL(taken().count, 1);
}

static void the_first_wrong_check_counts(void)
{
    laxity_guest_regions_begin();
    CHECK_EQUAL(taken().n_checks, 0);
    laxity_region_check(1);
    CHECK_EQUAL(taken().check, 1);
    laxity_region_check(-1);
    laxity_region_check(0);
    laxity_region_check(1);
    CHECK_EQUAL(taken().n_checks, 4);
    CHECK_EQUAL(taken().check, -1);
}

int main(void)
{
    RUN(regions_of_a_job_are_counted_and_their_times_added);
    RUN(a_region_without_an_end_is_none);
    RUN(a_second_beginning_does_not_shorten_the_region);
    RUN(the_first_wrong_check_counts);
    return test_exit_code();
}
