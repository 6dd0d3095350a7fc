/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/crc32/crc32.c"

#include <stdint.h>
#include <stdlib.h>

static void published_check_value_comes_out_of_both_calculations(void)
{
    static const uint8_t digits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};

    CHECK_EQUAL(INIT("small"), 0);
    /* Williams, "A painless guide to CRC error detection algorithms", 1993: CHECK of CRC-32. */
    CHECK_EQUAL(crc_by_table(0, digits, sizeof digits), 0xcbf43926);
    CHECK_EQUAL(crc_by_bits(0, digits, sizeof digits), 0xcbf43926);
    CHECK_EQUAL(crc_by_table(crc_by_table(0, digits, 4), digits + 4, 5), 0xcbf43926);
    check_jobs_succeed(0);
}

static void changed_bit_of_the_message_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    crc32.message[500] ^= 1;
    CHECK(job_fails());
    free(crc32.message);
}

static void wrong_entry_of_the_table_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    crc32.table[77] ^= 0x100;
    CHECK(job_fails());
    free(crc32.message);
}

int main(void)
{
    RUN(published_check_value_comes_out_of_both_calculations);
    RUN(changed_bit_of_the_message_fails_the_job);
    RUN(wrong_entry_of_the_table_fails_the_job);
    run_sized_tests("crc32", &crc32.outcome, 0x64f76bea);
    return test_exit_code();
}
