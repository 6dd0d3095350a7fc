/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/sha/sha.c"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* First and last word of the published hashes of FIPS 180-4's examples: none, one and two blocks.
 */
static void published_hashes_come_out(void)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    const struct hash of_nothing = hash_in_pieces((const uint8_t *)"", 0, 1);
    const struct hash of_abc = hash_in_pieces((const uint8_t *)"abc", 3, 1);
    const struct hash of_two =
        hash_in_pieces((const uint8_t *)two_blocks, sizeof two_blocks - 1, 13);

    CHECK_EQUAL(of_nothing.words[0], 0xe3b0c442);
    CHECK_EQUAL(of_nothing.words[7], 0x7852b855);
    CHECK_EQUAL(of_abc.words[0], 0xba7816bf);
    CHECK_EQUAL(of_abc.words[7], 0xf20015ad);
    CHECK_EQUAL(of_two.words[0], 0x248d6a61);
    CHECK_EQUAL(of_two.words[7], 0x19db06c1);
}

static bool are_unequal(const struct hash *const a, const struct hash *const b)
{
    if (setjmp(driver.after_failure) != 0) {
        return true;
    }
    check_equal(a, b);
    return false;
}

static void hashes_that_differ_by_a_bit_are_noticed(void)
{
    struct hash spoilt = initial_hash;

    CHECK(!are_unequal(&initial_hash, &spoilt));
    spoilt.words[7] ^= 1;
    CHECK(are_unequal(&initial_hash, &spoilt));
}

static void changed_byte_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    sha.message[4095] ^= 1;
    CHECK(job_fails());
    free(sha.message);
}

int main(void)
{
    RUN(published_hashes_come_out);
    RUN(hashes_that_differ_by_a_bit_are_noticed);
    RUN(changed_byte_fails_the_next_job);
    run_sized_tests("sha", &sha.outcome, 0x7539bfa2);
    return test_exit_code();
}
