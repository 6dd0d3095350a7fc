/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../../../workloads/common/digest.h"
#include "../test.h"

#include <stdint.h>

/* RFC 9923, appendix C: FNV-1a of 32 bits of "", "a" and "foobar". */
static void digest_of_bytes_is_fnv(void)
{
    CHECK_EQUAL(workload_fold_bytes(WORKLOAD_DIGEST_START, (const uint8_t *)"", 0), 0x811c9dc5);
    CHECK_EQUAL(workload_fold_bytes(WORKLOAD_DIGEST_START, (const uint8_t *)"a", 1), 0xe40c292c);
    CHECK_EQUAL(
        workload_fold_bytes(WORKLOAD_DIGEST_START, (const uint8_t *)"foobar", 6), 0xbf9cf968
    );
}

static void word_is_its_four_bytes_lowest_first(void)
{
    const uint8_t bytes[] = {0x44, 0x33, 0x22, 0x11};

    CHECK_EQUAL(
        workload_fold_word(WORKLOAD_DIGEST_START, 0x11223344),
        workload_fold_bytes(WORKLOAD_DIGEST_START, bytes, 4)
    );
}

/* (offset ^ 1) * prime of 64 bits, by hand: 0xcbf29ce484222324 * 0x100000001b3, modulo 2^64, is
 * 0xaf63bc4c8601b62c; both halves' exclusive or is 0x29620a60. */
static void digest_is_fnv_over_words(void)
{
    CHECK(workload_digest_add(workload_digest_start(), 1) == UINT64_C(0xaf63bc4c8601b62c));
    CHECK_EQUAL(workload_digest_end(UINT64_C(0xaf63bc4c8601b62c)), 0x29620a60);
}

static void digest_of_bytes_counts_each_byte_and_its_place(void)
{
    uint8_t bytes[7] = {1, 2, 3, 4, 5, 6, 7};
    const uint32_t digest = workload_digest_bytes(bytes, 7);

    CHECK_EQUAL(workload_digest_bytes(bytes, 7), digest);
    for (int i = 0; i < 7; i++) {
        bytes[i] ^= 0x80;
        CHECK(workload_digest_bytes(bytes, 7) != digest);
        bytes[i] ^= 0x80;
    }
    CHECK(workload_digest_bytes(bytes, 6) != digest);
    CHECK(workload_digest_bytes((const uint8_t[]){2, 1, 3, 4, 5, 6, 7}, 7) != digest);
}

int main(void)
{
    RUN(digest_of_bytes_is_fnv);
    RUN(word_is_its_four_bytes_lowest_first);
    RUN(digest_is_fnv_over_words);
    RUN(digest_of_bytes_counts_each_byte_and_its_place);
    return test_exit_code();
}
