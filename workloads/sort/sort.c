/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * sort small|large: sorts the same generated records by quicksort and by heapsort.
 *
 * Checked per job: both orders rise strictly (by key, equal keys by serial number), and each holds
 * the records that init made, by a sum over all that does not depend on their order.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/random.h"

#include <laxity/hooks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_COUNT = 1000,
    LARGE_COUNT = 50000,
    /* Below this insertion sort is quicker: Sedgewick, "Implementing quicksort programs", CACM 21
     * (1978), finds 9. */
    INSERTION_COUNT = 9
};

struct record {
    uint32_t key; /* of two records at average */
    uint32_t serial;
    uint64_t payload;
};

static const struct workload_sizes sizes = {"sort", SMALL_COUNT, LARGE_COUNT};

static struct {
    struct workload_outcome outcome;
    struct record *input;
    struct record *quick;
    struct record *heap;
    size_t count;
    uint64_t input_sum;
} sort;

static bool is_before(const struct record *const a, const struct record *const b)
{
    return a->key != b->key ? a->key < b->key : a->serial < b->serial;
}

static void swap(struct record *const a, struct record *const b)
{
    const struct record kept = *a;

    *a = *b;
    *b = kept;
}

static void sort_by_insertion(struct record *const records, const size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct record moved = records[i];
        size_t place = i;

        while (place > 0 && is_before(&moved, &records[place - 1])) {
            records[place] = records[place - 1];
            place--;
        }
        records[place] = moved;
    }
}

static void order(struct record *const a, struct record *const b)
{
    if (is_before(b, a)) {
        swap(a, b);
    }
}

/* Hoare's partition, around the median of first, middle and last, which also stop both scans at the
 * ends. Returns how many records stand before those not below the median; neither part is empty. */
static size_t partition(struct record *const records, const size_t count)
{
    struct record *const last = &records[count - 1];
    struct record *const middle = &records[count / 2];

    order(records, middle);
    order(middle, last);
    order(records, middle);
    const struct record pivot = *middle;
    size_t left = 0;
    size_t right = count - 1;

    for (;;) {
        while (is_before(&records[left], &pivot)) {
            left++;
        }
        while (is_before(&pivot, &records[right])) {
            right--;
        }
        if (left >= right) {
            return left;
        }
        swap(&records[left], &records[right]);
        left++;
        right--;
    }
}

/* Hoare, "Quicksort", The Computer Journal 5 (1962). Calls itself for the smaller part only: not
 * deeper than log2(count). */
static void sort_quickly(struct record *records, size_t count)
{
    while (count > INSERTION_COUNT) {
        const size_t split = partition(records, count);

        if (split <= count / 2) {
            sort_quickly(records, split);
            records += split;
            count -= split;
        } else {
            sort_quickly(records + split, count - split);
            count = split;
        }
    }
    sort_by_insertion(records, count);
}

static void sift_down(struct record *const records, size_t place, const size_t count)
{
    const struct record moved = records[place];

    for (size_t child = 2 * place + 1; child < count; child = 2 * place + 1) {
        if (child + 1 < count && is_before(&records[child], &records[child + 1])) {
            child++;
        }
        if (!is_before(&moved, &records[child])) {
            break;
        }
        records[place] = records[child];
        place = child;
    }
    records[place] = moved;
}

/* Williams, "Algorithm 232", and Floyd, "Algorithm 245", both CACM 7 (1964). */
static void sort_by_heap(struct record *const records, const size_t count)
{
    for (size_t place = count / 2; place > 0; place--) {
        sift_down(records, place - 1, count);
    }
    for (size_t last = count - 1; last > 0; last--) {
        swap(&records[0], &records[last]);
        sift_down(records, 0, last);
    }
}

static uint32_t digest_of(const struct record *const record)
{
    uint32_t digest = workload_fold_word(WORKLOAD_DIGEST_START, record->key);

    digest = workload_fold_word(digest, record->serial);
    return workload_fold_word(digest, (uint32_t)(record->payload >> 32 ^ record->payload));
}

/* Folds the order into a digest; fails the job if `records` are not the input, rising. */
static uint32_t check_order(const char *const method, const struct record *const records)
{
    uint32_t digest = WORKLOAD_DIGEST_START;
    uint64_t sum = 0;

    for (size_t i = 0; i < sort.count; i++) {
        const uint32_t digest_of_record = digest_of(&records[i]);

        if (i > 0 && !is_before(&records[i - 1], &records[i])) {
            workload_fail_job("sort", "%s: record %zu is not after the one before it", method, i);
        }
        sum += digest_of_record;
        digest = workload_fold_word(digest, digest_of_record);
    }
    if (sum != sort.input_sum) {
        workload_fail_job("sort", "%s: the sorted records are not those of the input", method);
    }
    return digest;
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t state;

    if (workload_begin(&sizes, argc, argv, &sort.outcome, &sort.count, &state) != 0) {
        return -1;
    }
    sort.input = workload_allocate("sort", 3 * sort.count * sizeof *sort.input);
    if (sort.input == NULL) {
        return -1;
    }
    sort.quick = sort.input + sort.count;
    sort.heap = sort.quick + sort.count;
    sort.input_sum = 0;
    for (size_t i = 0; i < sort.count; i++) {
        sort.input[i].key = (uint32_t)workload_random_below(&state, sort.count / 2);
        sort.input[i].serial = (uint32_t)i;
        sort.input[i].payload = workload_next_random(&state);
        sort.input_sum += digest_of(&sort.input[i]);
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    memcpy(sort.quick, sort.input, sort.count * sizeof *sort.input);
    sort_quickly(sort.quick, sort.count);
    memcpy(sort.heap, sort.input, sort.count * sizeof *sort.input);
    sort_by_heap(sort.heap, sort.count);
    workload_check_digest(&sort.outcome, check_order("quicksort", sort.quick));
    workload_check_digest(&sort.outcome, check_order("heapsort", sort.heap));
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&sort.outcome);
    free(sort.input);
    sort.input = NULL;
}
