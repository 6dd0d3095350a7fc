/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "driver.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/empty/empty.c"

#include <stddef.h>

static void takes_no_arguments(void)
{
    CHECK_EQUAL(init_without_words(), 0);
    CHECK_TEXT(driver.init_stderr, "");
    CHECK(INIT("x") < 0);
    CHECK_TEXT(driver.init_stderr, "empty: takes no arguments, got \"x\"; leave it out\n");
}

static void thousand_jobs_succeed(void)
{
    CHECK_EQUAL(init_without_words(), 0);
    check_jobs_succeed(1000);
}

int main(void)
{
    RUN(takes_no_arguments);
    RUN(thousand_jobs_succeed);
    return test_exit_code();
}
