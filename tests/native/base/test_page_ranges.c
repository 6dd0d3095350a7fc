/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/page_ranges.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ROOM = 64,
    UNITS = 48,
    STEPS = 20000
};

static struct laxity_range items[ROOM];

static struct laxity_ranges empty_set(void)
{
    return (struct laxity_ranges){.items = items, .room = ROOM};
}

static size_t add(struct laxity_ranges *ranges, uintptr_t begin, uintptr_t end)
{
    return laxity_ranges_add(ranges, (struct laxity_range){begin, end});
}

static size_t remove_part(struct laxity_ranges *ranges, uintptr_t begin, uintptr_t end)
{
    return laxity_ranges_remove(ranges, (struct laxity_range){begin, end});
}

static void ranges_that_touch_become_one(void)
{
    struct laxity_ranges ranges = empty_set();
    CHECK_EQUAL(add(&ranges, 10, 20), 10);
    CHECK_EQUAL(add(&ranges, 30, 40), 10);
    CHECK_EQUAL(ranges.n, 2);
    CHECK_EQUAL(add(&ranges, 20, 30), 10);
    CHECK_EQUAL(ranges.n, 1);
    CHECK_EQUAL(ranges.items[0].begin, 10);
    CHECK_EQUAL(ranges.items[0].end, 40);
}

static void what_was_there_before_does_not_count_twice(void)
{
    struct laxity_ranges ranges = empty_set();
    (void)add(&ranges, 10, 20);
    CHECK_EQUAL(add(&ranges, 15, 25), 5);
    CHECK_EQUAL(add(&ranges, 5, 30), 10); /* 5 at each end */
}

static void hole_in_the_middle_leaves_both_ends(void)
{
    struct laxity_ranges ranges = empty_set();
    (void)add(&ranges, 10, 40);
    CHECK_EQUAL(remove_part(&ranges, 20, 30), 10);
    CHECK_EQUAL(ranges.n, 2);
    CHECK_EQUAL(remove_part(&ranges, 15, 35), 10); /* 15-20 and 30-35 */
    CHECK_EQUAL(remove_part(&ranges, 0, 100), 10); /* 10-15 and 35-40 */
    CHECK_EQUAL(ranges.n, 0);
}

static void removing_what_was_never_added_counts_nothing(void)
{
    struct laxity_ranges ranges = empty_set();
    CHECK_EQUAL(remove_part(&ranges, 0, 100), 0);
    (void)add(&ranges, 10, 20);
    CHECK_EQUAL(remove_part(&ranges, 20, 30), 0);
    CHECK_EQUAL(remove_part(&ranges, 0, 10), 0);
    CHECK_EQUAL(ranges.n, 1);
}

/* A small generator of our own: the same sequence on every machine. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

/* The oracle is one flag per unit. */
static void check_step(struct laxity_ranges *ranges, bool *is_in, uint32_t *state)
{
    const uintptr_t begin = next_random(state) % UNITS;
    const uintptr_t end = begin + 1 + next_random(state) % (UNITS - begin);
    const bool is_add = next_random(state) % 2 == 0;
    size_t changed = 0;
    size_t covered = 0;
    for (uintptr_t i = begin; i < end; i++) {
        changed += is_in[i] != is_add;
        covered += is_in[i];
        is_in[i] = is_add;
    }
    CHECK_EQUAL(laxity_ranges_covered(ranges, (struct laxity_range){begin, end}), covered);
    CHECK_EQUAL(is_add ? add(ranges, begin, end) : remove_part(ranges, begin, end), changed);
    for (size_t i = 1; i < ranges->n; i++) {
        CHECK(ranges->items[i - 1].end < ranges->items[i].begin);
    }
}

static void twenty_thousand_random_steps_agree_with_one_flag_per_unit(void)
{
    struct laxity_ranges ranges = empty_set();
    bool is_in[UNITS] = {false};
    uint32_t state = 1;
    for (int step = 0; step < STEPS && test_state.failures_of_this_test == 0; step++) {
        check_step(&ranges, is_in, &state);
    }
}

int main(void)
{
    RUN(ranges_that_touch_become_one);
    RUN(what_was_there_before_does_not_count_twice);
    RUN(hole_in_the_middle_leaves_both_ends);
    RUN(removing_what_was_never_added_counts_nothing);
    RUN(twenty_thousand_random_steps_agree_with_one_flag_per_unit);
    return test_exit_code();
}
