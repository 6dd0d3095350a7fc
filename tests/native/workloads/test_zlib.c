/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/zlib/zlib.c"

#include <stddef.h>
#include <stdlib.h>
static void text_shrinks_by_a_third_and_comes_back(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    size_t end = 2 * zlib.bytes;

    /* Whatever lies behind the compressed text is still 0, as allocated. */
    while (end > 0 && zlib.compressed[end - 1 - zlib.bytes] == 0 && end > zlib.bytes) {
        end--;
    }
    CHECK(end - zlib.bytes < zlib.bytes / 3 * 2);
    check_jobs_succeed(0);
}

static void changed_letter_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    zlib.text[5000] ^= 1;
    CHECK(job_fails());
    free(zlib.text);
}

int main(void)
{
    RUN(text_shrinks_by_a_third_and_comes_back);
    RUN(changed_letter_fails_the_next_job);
    run_sized_tests("zlib", &zlib.outcome, DIGEST_OF_LIBRARY);
    return test_exit_code();
}
