/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * words SIZE: reads each word of 4 bytes of an array of SIZE once, in random order.
 *
 * The indices are known beforehand and lie elsewhere (in bss; the array in the heap), so that what
 * a job takes beyond the same with the array in other memory is what that memory takes. Source:
 * Raffeck et al., "Migration overheads", section III.A and figure 2 (sizes there: 1KiB, 8KiB,
 * 16KiB, 32KiB). The order follows from the environment's LAXITY_SEED (default 1).
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/random.h"

#include <laxity/hooks.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_WORDS = 1 << 14,
};

static uint16_t order[MOST_WORDS];

static struct {
    uint32_t *array;
    size_t n;
    uint32_t sum; /* of all words */
} words;

/*
 * The measured loop. Do not add anything: the index and the word are its only accesses. Volatile,
 * so that the compiler keeps each of them, and reads one word at a time.
 */
__attribute__((noinline)) static uint32_t
read_in_order(const volatile uint32_t *const array, const size_t n)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += array[order[i]];
    }
    return sum;
}

/* Fisher and Yates: each order is equally likely. */
static void shuffle(const size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        order[i] = (uint16_t)i;
    }
    for (size_t i = n - 1; i > 0; i--) {
        const size_t other = (size_t)workload_random_below(&seed, i + 1);
        const uint16_t swapped = order[i];

        order[i] = order[other];
        order[other] = swapped;
    }
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_size rule = {"words", sizeof(uint32_t), sizeof(uint32_t)};
    size_t size_bytes;
    uint64_t seed;

    if (workload_check_word_count("words", "SIZE", argc, argv, (const int[2]){1, 1}) != 0 ||
        workload_parse_size(&rule, argv[0], &size_bytes) != 0 ||
        workload_read_seed("words", &seed) != 0) {
        return -1;
    }
    if (size_bytes > MOST_WORDS * sizeof(uint32_t)) {
        (void
        )fprintf(stderr, "words: SIZE \"%s\": is more than 64KiB; ask for less\n", (char *)argv[0]);
        return -1;
    }
    words.n = size_bytes / sizeof(uint32_t);
    words.array = workload_allocate("words", size_bytes);
    if (words.array == NULL) {
        return -1;
    }
    words.sum = 0;
    for (size_t i = 0; i < words.n; i++) {
        words.array[i] = (uint32_t)workload_next_random(&seed);
        words.sum += words.array[i];
    }
    shuffle(words.n, seed);
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    const uint32_t sum = read_in_order(words.array, words.n);

    (void)argc;
    (void)argv;
    if (sum != words.sum) {
        workload_fail_job(
            "words", "the sum of all words is %" PRIu32 ", expected %" PRIu32, sum, words.sum
        );
    }
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    free(words.array);
    words.array = NULL;
}
