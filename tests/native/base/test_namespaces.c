/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/port/namespaces.h"

#include <stddef.h>
#include <stdint.h>

static struct laxity_namespaces found;

static void one_number_is_that_of_our_own_proc(void)
{
    laxity_namespaces_parse("Name:\tx\nNSpid:\t17\nNSpgid:\t17\t2\n", NULL, &found);
    CHECK(found.is_proc_ours);
    laxity_namespaces_parse("Name:\tx\nNSpid:\t4711\t17\nNSpgid:\t17\n", NULL, &found);
    CHECK(!found.is_proc_ours);
}

static void kernel_without_such_namespaces_has_its_own_numbers_and_clock(void)
{
    laxity_namespaces_parse("Name:\tx\nPid:\t17\n", NULL, &found);
    CHECK(found.is_proc_ours);
    CHECK(found.is_clock_known);
    CHECK_EQUAL(found.monotonic_offset_ns, 0);
    CHECK_EQUAL(found.boottime_offset_ns, 0);
}

static void offsets_are_seconds_and_nanoseconds(void)
{
    laxity_namespaces_parse(
        "NSpid:\t1\n", "monotonic     1000         5\nboottime      -100 250000000\n", &found
    );
    CHECK(found.is_clock_known);
    CHECK_EQUAL(found.monotonic_offset_ns, INT64_C(1000000000005));
    /* -100 s + 0.25 s = -99.75 s */
    CHECK_EQUAL(found.boottime_offset_ns, INT64_C(-99750000000));
}

static void offset_that_is_not_shown_is_not_zero(void)
{
    laxity_namespaces_parse("NSpid:\t1\n", "monotonic 1000 0\n", &found);
    CHECK(!found.is_clock_known);
    laxity_namespaces_parse("NSpid:\t1\n", "monotonic 1000\nboottime x\n", &found);
    CHECK(!found.is_clock_known);
}

int main(void)
{
    RUN(one_number_is_that_of_our_own_proc);
    RUN(kernel_without_such_namespaces_has_its_own_numbers_and_clock);
    RUN(offsets_are_seconds_and_nanoseconds);
    RUN(offset_that_is_not_shown_is_not_zero);
    return test_exit_code();
}
