/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/lz4/lz4.c"

#include <stddef.h>
#include <stdlib.h>
static void text_shrinks_by_a_third_and_comes_back(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    size_t end = 2 * lz4.bytes;

    /* Whatever lies behind the compressed text is still 0, as allocated. */
    while (end > 0 && lz4.compressed[end - 1 - lz4.bytes] == 0 && end > lz4.bytes) {
        end--;
    }
    CHECK(end - lz4.bytes < lz4.bytes / 3 * 2);
    check_jobs_succeed(0);
}

static void changed_letter_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    lz4.text[5000] ^= 1;
    CHECK(job_fails());
    free(lz4.text);
}

int main(void)
{
    RUN(text_shrinks_by_a_third_and_comes_back);
    RUN(changed_letter_fails_the_next_job);
    run_sized_tests("lz4", &lz4.outcome, DIGEST_OF_LIBRARY);
    return test_exit_code();
}
