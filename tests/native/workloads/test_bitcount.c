/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/bitcount/bitcount.c"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void every_method_counts_known_words(void)
{
    static const uint32_t known[][2] = {
        {0, 0},
        {1, 1},
        {0x80000000, 1},
        {0x12345678, 13}, /* 1 1 2 1 2 2 3 1 */
        {0x7fffffff, 31},
        {0xffffffff, 32},
    };

    CHECK_EQUAL(INIT("small"), 0);
    for (int i = 0; i < METHOD_COUNT; i++) {
        for (size_t j = 0; j < sizeof known / sizeof *known; j++) {
            CHECK_EQUAL(methods[i].count_ones(known[j][0]), known[j][1]);
        }
    }
    check_jobs_succeed(0);
}

static void wrong_entry_of_a_table_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    bitcount.ones_of_nibble[5]++;
    CHECK(job_fails());
    bitcount.ones_of_nibble[5]--;
    CHECK(!job_fails());
    bitcount.ones_of_byte[bitcount.words[0] % BYTE_VALUES]--;
    CHECK(job_fails());
    free(bitcount.words);
}

static void changed_word_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    bitcount.words[999] ^= 1;
    CHECK(job_fails());
    free(bitcount.words);
}

int main(void)
{
    RUN(every_method_counts_known_words);
    RUN(wrong_entry_of_a_table_fails_the_job);
    RUN(changed_word_fails_the_next_job);
    run_sized_tests("bitcount", &bitcount.outcome, 0x1116b590);
    return test_exit_code();
}
