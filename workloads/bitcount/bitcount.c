/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * bitcount small|large: counts the ones in random words, by five methods that must agree.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/random.h"

#include <laxity/hooks.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    SMALL_COUNT = 1000,
    LARGE_COUNT = 50000,
    WORD_BITS = 32,
    NIBBLE_BITS = 4,
    NIBBLE_VALUES = 1 << NIBBLE_BITS,
    BYTE_BITS = 8,
    BYTE_VALUES = 1 << BYTE_BITS
};

struct method {
    const char *name;
    uint32_t (*count_ones)(uint32_t word);
};

static const struct workload_sizes sizes = {"bitcount", SMALL_COUNT, LARGE_COUNT};

static struct {
    struct workload_outcome outcome;
    uint32_t *words;
    size_t count;
    uint8_t ones_of_nibble[NIBBLE_VALUES];
    uint8_t ones_of_byte[BYTE_VALUES];
} bitcount;

static uint32_t count_bit_by_bit(uint32_t word)
{
    uint32_t ones = 0;

    for (int bit = 0; bit < WORD_BITS; bit++) {
        ones += word & 1;
        word >>= 1;
    }
    return ones;
}

/* Wegner, "A technique for counting ones in a binary computer", CACM 3 (1960): one turn per one. */
static uint32_t count_by_clearing(uint32_t word)
{
    uint32_t ones = 0;

    while (word != 0) {
        word &= word - 1;
        ones++;
    }
    return ones;
}

static uint32_t count_by_nibbles(uint32_t word)
{
    uint32_t ones = 0;

    while (word != 0) {
        ones += bitcount.ones_of_nibble[word % NIBBLE_VALUES];
        word >>= NIBBLE_BITS;
    }
    return ones;
}

static uint32_t count_by_bytes(const uint32_t word)
{
    const uint8_t *const ones = bitcount.ones_of_byte;

    return (uint32_t)ones[word >> 24] + ones[word >> 16 & 0xff] + ones[word >> 8 & 0xff] +
           ones[word & 0xff];
}

/* Warren, "Hacker's Delight", 2nd edition, Figure 5-2: sums of 2, 4, 8 bits side by side. */
static uint32_t count_in_parallel(uint32_t word)
{
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f;
    return word * 0x01010101 >> 24;
}

static const struct method methods[] = {
    {"bit by bit", count_bit_by_bit},
    {"by clearing", count_by_clearing},
    {"by nibbles", count_by_nibbles},
    {"by bytes", count_by_bytes},
    {"in parallel", count_in_parallel},
};

enum {
    METHOD_COUNT = sizeof methods / sizeof *methods
};

/* Each word's ones times its place, so that no two errors outweigh each other unseen. */
static uint64_t sum_by(const struct method *const method)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < bitcount.count; i++) {
        sum += (i + 1) * (uint64_t)method->count_ones(bitcount.words[i]);
    }
    return sum;
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t state;

    if (workload_begin(&sizes, argc, argv, &bitcount.outcome, &bitcount.count, &state) != 0) {
        return -1;
    }
    bitcount.words = workload_allocate("bitcount", bitcount.count * sizeof *bitcount.words);
    if (bitcount.words == NULL) {
        return -1;
    }
    for (size_t i = 0; i < bitcount.count; i++) {
        bitcount.words[i] = (uint32_t)workload_next_random(&state);
    }
    for (uint32_t value = 0; value < BYTE_VALUES; value++) {
        bitcount.ones_of_byte[value] = (uint8_t)count_bit_by_bit(value);
        bitcount.ones_of_nibble[value % NIBBLE_VALUES] =
            (uint8_t)count_bit_by_bit(value % NIBBLE_VALUES);
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    const uint64_t first_sum = sum_by(&methods[0]);
    uint32_t digest = workload_fold_word(WORKLOAD_DIGEST_START, (uint32_t)first_sum);

    (void)argc;
    (void)argv;
    for (int i = 1; i < METHOD_COUNT; i++) {
        const uint64_t sum = sum_by(&methods[i]);

        if (sum != first_sum) {
            workload_fail_job(
                "bitcount",
                "the sum is %" PRIu64 " %s, %" PRIu64 " %s",
                sum,
                methods[i].name,
                first_sum,
                methods[0].name
            );
        }
    }
    digest = workload_fold_word(digest, (uint32_t)(first_sum >> WORD_BITS));
    workload_check_digest(&bitcount.outcome, digest);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&bitcount.outcome);
    free(bitcount.words);
    bitcount.words = NULL;
}
