/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/aes/aes.c"

#include <stdint.h>
#include <stdlib.h>

static void tables_and_key_schedule_are_those_of_the_standard(void)
{
    /* FIPS 197, appendix A.1: the key and the last column of its schedule, w43. */
    static const struct block key = {
        {0x2b,
         0x7e,
         0x15,
         0x16,
         0x28,
         0xae,
         0xd2,
         0xa6,
         0xab,
         0xf7,
         0x15,
         0x88,
         0x09,
         0xcf,
         0x4f,
         0x3c}
    };
    struct block round_keys[ROUND_COUNT + 1];

    CHECK_EQUAL(INIT("small"), 0);
    /* FIPS 197, 4.2: 57 * 83 = c1; 5.1.1: 53 becomes ed. */
    CHECK_EQUAL(multiply(0x57, 0x83), 0xc1);
    CHECK_EQUAL(aes.substitutes[0x53], 0xed);
    CHECK_EQUAL(aes.originals[0xed], 0x53);
    expand_key(&key, round_keys);
    CHECK_EQUAL(round_keys[10].bytes[12], 0xb6);
    CHECK_EQUAL(round_keys[10].bytes[13], 0x63);
    CHECK_EQUAL(round_keys[10].bytes[14], 0x0c);
    CHECK_EQUAL(round_keys[10].bytes[15], 0xa6);
    check_jobs_succeed(0);
}

static void unmixing_undoes_mixing(void)
{
    /* FIPS 197, appendix B, round 1: the first column before and after MixColumns. */
    struct block state = {{0xd4, 0xbf, 0x5d, 0x30}};

    mix_columns(&state);
    CHECK_EQUAL(state.bytes[0], 0x04);
    CHECK_EQUAL(state.bytes[1], 0x66);
    CHECK_EQUAL(state.bytes[2], 0x81);
    CHECK_EQUAL(state.bytes[3], 0xe5);
    unmix_columns(&state);
    CHECK_EQUAL(state.bytes[0], 0xd4);
    CHECK_EQUAL(state.bytes[3], 0x30);
}

static void wrong_entry_of_a_table_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    aes.originals[9] ^= 1;
    CHECK(job_fails());
    CHECK_TEXT(driver.reason, "aes: the decrypted bytes are not those that were encrypted");
    aes.originals[9] ^= 1;
    aes.substitutes[0] ^= 1; /* the example's first round looks it up */
    CHECK(job_fails());
    CHECK_TEXT(driver.reason, "aes: the example of FIPS 197, appendix C.1, comes out wrong");
    free(aes.plain);
}

static void changed_byte_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    aes.plain[60].bytes[3] ^= 1;
    CHECK(job_fails());
    free(aes.plain);
}

int main(void)
{
    RUN(tables_and_key_schedule_are_those_of_the_standard);
    RUN(unmixing_undoes_mixing);
    RUN(wrong_entry_of_a_table_fails_the_job);
    RUN(changed_byte_fails_the_next_job);
    run_sized_tests("aes", &aes.outcome, 0xf8a19748);
    return test_exit_code();
}
