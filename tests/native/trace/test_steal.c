/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/port/time.h"
#include "trace/steal.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static struct laxity_steal before;
static struct laxity_steal after;

static void eighth_number_of_a_cpus_line_is_its_steal(void)
{
    laxity_steal_parse(
        "cpu  1 2 3 4 5 6 7 99 9 10\n"
        "cpu0 1 2 3 4 5 6 7 8 9 10\n"
        "cpu12 10 20 30 40 50 60 70 80\n"
        "intr 1 2 3 4 5 6 7 8 9\n",
        &before
    );
    CHECK_EQUAL(before.ticks[0], 8);
    CHECK_EQUAL(before.ticks[12], 80);
    CHECK(before.ticks[1] == UINT64_MAX);
}

static void line_that_is_too_short_tells_nothing(void)
{
    laxity_steal_parse(
        "cpu0 1 2 3 4 5 6 7\ncpu1 1 2 3 4 5 6 x 8\ncpu\ncpux\ncpu1024 1 2 3 4 5 6 7 8", &before
    );
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        CHECK(before.ticks[cpu] == UINT64_MAX);
    }
}

static void difference_is_in_nanoseconds_or_absent(void)
{
    laxity_steal_parse("cpu0 0 0 0 0 0 0 0 5\ncpu1 0 0 0 0 0 0 0 5\ncpu2 0 0 0 0 0 0 0 5", &before);
    laxity_steal_parse("cpu0 0 0 0 0 0 0 0 8\ncpu1 0 0 0 0 0 0 0 4\ncpu3 0 0 0 0 0 0 0 5", &after);
    const int64_t tick_ns = LAXITY_NS_PER_S / sysconf(_SC_CLK_TCK);
    CHECK_EQUAL(laxity_steal_between_ns(&before, &after, 0), 3 * tick_ns);
    CHECK(laxity_steal_between_ns(&before, &after, 1) == LAXITY_ABSENT_NS); /* counted anew */
    CHECK(laxity_steal_between_ns(&before, &after, 2) == LAXITY_ABSENT_NS);
    CHECK(laxity_steal_between_ns(&before, &after, 3) == LAXITY_ABSENT_NS);
}

static void difference_that_is_no_time_is_absent(void)
{
    laxity_steal_parse("cpu0 0 0 0 0 0 0 0 0", &before);
    laxity_steal_parse("cpu0 0 0 0 0 0 0 0 18446744073709551614", &after);
    CHECK(laxity_steal_between_ns(&before, &after, 0) == LAXITY_ABSENT_NS);
}

int main(void)
{
    RUN(eighth_number_of_a_cpus_line_is_its_steal);
    RUN(line_that_is_too_short_tells_nothing);
    RUN(difference_is_in_nanoseconds_or_absent);
    RUN(difference_that_is_no_time_is_absent);
    return test_exit_code();
}
