/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/sqlite/sqlite.c"

static void changed_row_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    sqlite.rows[100].value++;
    CHECK(job_fails());
    benchmark_teardown(0, NULL);
}

static void row_that_was_there_before_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    execute("INSERT INTO readings (unit, value) VALUES (7, 1)");
    CHECK(job_fails());
    benchmark_teardown(0, NULL);
}

static void error_of_the_library_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    execute("DROP TABLE readings");
    CHECK(job_fails());
    CHECK_TEXT(driver.reason, "sqlite: insert: no such table: readings");
    benchmark_teardown(0, NULL);
}

int main(void)
{
    RUN(changed_row_fails_the_job);
    RUN(row_that_was_there_before_fails_the_job);
    RUN(error_of_the_library_fails_the_job);
    run_sized_tests("sqlite", &sqlite.outcome, DIGEST_OF_LIBRARY);
    return test_exit_code();
}
