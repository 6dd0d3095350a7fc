/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/sort/sort.c"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    HIGHEST_COUNT = 40,
    PATTERN_COUNT = 4
};

/* Falling, rising, all equal, and two values in turn: what quicksort fears. */
static uint32_t key_of(const int pattern, const uint32_t place)
{
    const uint32_t keys[PATTERN_COUNT] = {HIGHEST_COUNT - place, place, 5, place % 2};

    return keys[pattern];
}

static bool is_rising(const struct record *const records, const size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (!is_before(&records[i - 1], &records[i])) {
            return false;
        }
    }
    return true;
}

static void check_pattern(const int pattern, const uint32_t count)
{
    struct record quick[HIGHEST_COUNT];
    struct record heap[HIGHEST_COUNT];

    for (uint32_t i = 0; i < count; i++) {
        quick[i] = (struct record){key_of(pattern, i), count - i, 0};
        heap[i] = quick[i];
    }
    sort_quickly(quick, count);
    sort_by_heap(heap, count);
    CHECK(is_rising(quick, count));
    CHECK(is_rising(heap, count));
}

static void both_sorts_order_every_count_and_pattern(void)
{
    for (uint32_t count = 1; count <= HIGHEST_COUNT; count++) {
        for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
            check_pattern(pattern, count);
        }
    }
}

static void changed_record_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    sort.input[3].payload++;
    CHECK(job_fails());
    CHECK_TEXT(driver.reason, "sort: quicksort: the sorted records are not those of the input");
    free(sort.input);
}

static void two_records_in_the_wrong_order_are_noticed(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    swap(&sort.heap[10], &sort.heap[11]);
    driver.reason[0] = '\0';
    if (setjmp(driver.after_failure) == 0) {
        (void)check_order("heapsort", sort.heap);
    }
    CHECK_TEXT(driver.reason, "sort: heapsort: record 11 is not after the one before it");
    free(sort.input);
}

static void record_kept_twice_is_noticed(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    sort.input[3] = sort.input[4];
    CHECK(job_fails());
    free(sort.input);
}

int main(void)
{
    RUN(both_sorts_order_every_count_and_pattern);
    RUN(changed_record_fails_the_job);
    RUN(two_records_in_the_wrong_order_are_noticed);
    RUN(record_kept_twice_is_noticed);
    run_sized_tests("sort", &sort.outcome, 0xe1d3a4c3);
    return test_exit_code();
}
