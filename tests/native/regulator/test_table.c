/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "regulator/table.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* 0, 6, 0, 9 at steps 0 to 3: the line from (0, 0) to (1, 6) and from there to (3, 9). At step 2 it
 * passes 6 + 3 / 2 = 7.5, rounded up. */
static void packed_curve_is_the_hull_rounded_up(void)
{
    uint32_t curve[] = {0, 6, 0, 9};
    laxity_contention_pack(curve, 4);
    CHECK_EQUAL(curve[0], 0);
    CHECK_EQUAL(curve[1], 6);
    CHECK_EQUAL(curve[2], 8);
    CHECK_EQUAL(curve[3], 9);
}

static uint32_t draw(uint32_t *state)
{
    *state = (*state * 1664525U) + 1013904223U;
    return *state >> 8;
}

/* Any mixture of two steps with the mean i: the hull needs no third one (Caratheodory). */
static uint32_t by_all_pairs(const uint32_t *curve, uint32_t n, uint32_t i)
{
    uint64_t largest = curve[i];
    for (uint32_t a = 0; a < i; a++) {
        for (uint32_t b = i + 1; b < n; b++) {
            const uint64_t sum = ((uint64_t)curve[a] * (b - i)) + ((uint64_t)curve[b] * (i - a));
            const uint64_t mixed = (sum + (b - a) - 1) / (b - a);
            largest = mixed > largest ? mixed : largest;
        }
    }
    return (uint32_t)largest;
}

static void packing_equals_the_largest_of_all_mixtures(void)
{
    uint32_t random = 1;
    for (int trial = 0; trial < 2000; trial++) {
        uint32_t curve[24];
        uint32_t packed[24];
        const uint32_t n = 2 + (draw(&random) % 23);
        for (uint32_t i = 0; i < n; i++) {
            curve[i] = draw(&random) % (trial % 2 ? 8 : LAXITY_RATE_ONE);
        }
        memcpy(packed, curve, sizeof packed);
        laxity_contention_pack(packed, n);
        for (uint32_t i = 0; i < n; i++) {
            CHECK_EQUAL(packed[i], by_all_pairs(curve, n, i));
        }
    }
}

static struct laxity_contention_table *two_phases(void)
{
    static struct laxity_contention_table table;
    table = (struct laxity_contention_table){
        .n_phases = 2,
        .n_steps = 3,
        .step_bytes_per_s = 1000000, /* 1 byte in 1000 ns */
        .loss = {{0, 90, 100}, {0, 60, 120}},
        .solo_from_ns = {300, 100, 0},
        .solo_until_ns = {0, 250, 300},
    };
    return &table;
}

/* The second phase begins 200 ns after the first one at the soonest. */
static void largest_rate_counts_phases_that_can_be_reached(void)
{
    struct laxity_contention_table *table = two_phases();
    table->soonest_ns[1] = 200;
    table->soonest_ns[2] = 250;
    CHECK_EQUAL(laxity_contention_check(table), 0);
    CHECK_EQUAL(laxity_contention_worst_within(table, 0, 199), 100);
    CHECK_EQUAL(laxity_contention_worst_within(table, 0, 200), 120);
    CHECK_EQUAL(laxity_contention_worst_within(table, 1, 0), 120);
    CHECK_EQUAL(laxity_contention_worst_within(table, 2, 1000), 0);
    /* A dearer phase that was passed no longer counts. */
    table->loss[0][2] = 130;
    CHECK_EQUAL(laxity_contention_worst_within(table, 0, 1000), 130);
    CHECK_EQUAL(laxity_contention_worst_within(table, 1, 1000), 120);
}

/* Without least times any later phase may begin at once. */
static void largest_rate_without_least_times_counts_all_later_phases(void)
{
    CHECK_EQUAL(laxity_contention_worst_within(two_phases(), 0, 0), 120);
}

/* The maximum of the two curves is 0, 90, 120. It is packed already. */
static void joined_curve_covers_all_phases_between(void)
{
    struct laxity_contention_table *table = two_phases();
    uint32_t joined[LAXITY_TRAFFIC_STEPS_MAX];
    laxity_contention_join(table, 0, 1, joined);
    CHECK_EQUAL(joined[1], 90);
    CHECK_EQUAL(joined[2], 120);
    laxity_contention_join(table, 1, 2, joined); /* checkpoint 2 is the end */
    CHECK_EQUAL(joined[1], 60);
}

/* The maximum of both curves is 20, 30, 60. Half an interval in phase 0 without traffic and half of
 * it in phase 1 at step 2 have the mean step 1 and lose (20 + 60) / 2 = 40. */
static void maximum_of_packed_curves_is_packed_again(void)
{
    struct laxity_contention_table table = {.n_phases = 2, .n_steps = 3, .step_bytes_per_s = 1};
    const uint32_t a[] = {20, 30, 30};
    const uint32_t b[] = {0, 30, 60};
    memcpy(table.loss[0], a, sizeof a);
    memcpy(table.loss[1], b, sizeof b);
    uint32_t joined[LAXITY_TRAFFIC_STEPS_MAX];
    laxity_contention_join(&table, 0, 1, joined);
    CHECK_EQUAL(joined[0], 20);
    CHECK_EQUAL(joined[1], 40);
    CHECK_EQUAL(joined[2], 60);
}

/* 1 byte in 1000 ns is a step: 1 byte in 999 ns is above it. */
static void step_of_traffic_is_rounded_up(void)
{
    struct laxity_contention_table *table = two_phases();
    CHECK_EQUAL(laxity_contention_step(table, 0, 1000), 0);
    CHECK_EQUAL(laxity_contention_step(table, 1, 1000), 1);
    CHECK_EQUAL(laxity_contention_step(table, 1, 999), 2);
    CHECK_EQUAL(laxity_contention_step(table, 2, 1000), 2);
    CHECK(!laxity_contention_is_beyond(table, 2, 1000));
    CHECK_EQUAL(laxity_contention_step(table, 3, 1000), 2);
    CHECK(laxity_contention_is_beyond(table, 3, 1000));
}

/* 2^34 bytes per s and 1 s: 2^34 * 10^9 = 1.72 * 10^19 is below 2^64 = 1.84 * 10^19. */
static void largest_traffic_does_not_overflow(void)
{
    struct laxity_contention_table *table = two_phases();
    table->step_bytes_per_s = LAXITY_TRAFFIC_MAX;
    CHECK_EQUAL(laxity_contention_step(table, LAXITY_TRAFFIC_MAX, 1000000000), 1);
    CHECK_EQUAL(laxity_contention_step(table, LAXITY_TRAFFIC_MAX + 1, 1000000000), 2);
    CHECK_EQUAL(laxity_contention_step(table, 1, 1000000001), 2);
}

static void table_that_cannot_be_true_is_refused(void)
{
    struct laxity_contention_table *table = two_phases();
    CHECK_EQUAL(laxity_contention_check(table), 0);
    table->loss[1][1] = 121; /* falls */
    CHECK_EQUAL(laxity_contention_check(table), -EINVAL);
    table = two_phases();
    table->loss[1][1] = 50; /* below the line from 0 to 120 by more than the rounding */
    CHECK_EQUAL(laxity_contention_check(table), -EINVAL);
    table = two_phases();
    table->loss[0][2] = LAXITY_RATE_ONE + 1;
    CHECK_EQUAL(laxity_contention_check(table), -EINVAL);
    table = two_phases();
    table->solo_until_ns[2] = -1;
    CHECK_EQUAL(laxity_contention_check(table), -EINVAL);
    table = two_phases();
    table->soonest_ns[1] = 1; /* later than the end */
    CHECK_EQUAL(laxity_contention_check(table), -EINVAL);
    table = two_phases();
    table->n_steps = LAXITY_TRAFFIC_STEPS_MAX + 1;
    CHECK_EQUAL(laxity_contention_check(table), -EINVAL);
    table = two_phases();
    table->n_phases = 0;
    CHECK_EQUAL(laxity_contention_check(table), -EINVAL);
}

int main(void)
{
    RUN(packed_curve_is_the_hull_rounded_up);
    RUN(packing_equals_the_largest_of_all_mixtures);
    RUN(largest_rate_counts_phases_that_can_be_reached);
    RUN(largest_rate_without_least_times_counts_all_later_phases);
    RUN(joined_curve_covers_all_phases_between);
    RUN(maximum_of_packed_curves_is_packed_again);
    RUN(step_of_traffic_is_rounded_up);
    RUN(largest_traffic_does_not_overflow);
    RUN(table_that_cannot_be_true_is_refused);
    return test_exit_code();
}
