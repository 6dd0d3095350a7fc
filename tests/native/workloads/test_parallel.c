/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/parallel/parallel.c"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static uint32_t digest_with(const char *const threads)
{
    CHECK_EQUAL(INIT("small", threads), 0);
    check_jobs_succeed(2);
    CHECK(parallel.outcome.is_known);
    return parallel.outcome.digest;
}

static void every_number_of_threads_gives_the_same_digest(void)
{
    const uint32_t digest = digest_with("1");

    CHECK_EQUAL(digest_with("2"), digest);
    CHECK_EQUAL(digest_with("7"), digest);  /* 48 rows: parts of 7 and 6 */
    CHECK_EQUAL(digest_with("64"), digest); /* some threads have no row */
}

static void wrong_element_of_the_product_is_noticed(void)
{
    CHECK_EQUAL(INIT("small", "2"), 0);
    CHECK(!job_fails());
    parallel.product[5 * SMALL_ROWS + 3]++;
    driver.reason[0] = '\0';
    if (setjmp(driver.after_failure) == 0) {
        (void)check_product();
    }
    CHECK_TEXT(driver.reason, "parallel: row 5 of the product does not agree with its factors");
    CHECK(!teardown_fails());
}

static void changed_factor_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small", "2"), 0);
    parallel.right[0]++;
    CHECK(job_fails());
    CHECK(!teardown_fails());
}

static void number_of_threads_out_of_bounds_is_refused(void)
{
    CHECK(INIT("small", "0") < 0);
    CHECK(INIT("small", "65") < 0);
    CHECK(INIT("small", "2", "2") < 0);
}

int main(void)
{
    RUN(every_number_of_threads_gives_the_same_digest);
    RUN(wrong_element_of_the_product_is_noticed);
    RUN(changed_factor_fails_the_job);
    RUN(number_of_threads_out_of_bounds_is_refused);
    sized.words = "small|large [THREADS]";
    run_sized_tests("parallel", &parallel.outcome, 0x63253013);
    return test_exit_code();
}
