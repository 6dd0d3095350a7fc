/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "codegen/shape.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

static const uint32_t percent = LAXITY_RATIO_ONE / 100;

static void check_uses(const struct laxity_shape *shape, const uint32_t expected[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        CHECK_EQUAL(laxity_shape_line_uses(shape, i), expected[i]);
    }
}

/* Sebek, section 3.3: first word 100 %, second 50 %, third 33 %; 66 % alternates first and second.
 */
static void uses_of_a_line_are_those_of_the_paper(void)
{
    const struct laxity_shape whole = {640, 64, 100 * percent};
    const struct laxity_shape half = {640, 64, 50 * percent};
    const struct laxity_shape third = {640, 64, 333333};
    const struct laxity_shape two_thirds = {640, 64, 666667};
    check_uses(&whole, (const uint32_t[]){1, 1, 1, 1}, 4);
    check_uses(&half, (const uint32_t[]){2, 2, 2, 2}, 4);
    check_uses(&third, (const uint32_t[]){3, 3, 3, 3}, 4);
    /* 1 / 0.666667 = 1.4999993: before lines 1...4 there are 1.50 -> 1, 3.00 -> 3, 4.50 -> 4 and
     * 6.00 -> 6 uses. */
    check_uses(&two_thirds, (const uint32_t[]){1, 2, 1, 2}, 4);
    /* 10 lines of 1, 2, 3 and 3/2 uses. */
    CHECK_EQUAL(laxity_shape_uses(&whole), 10);
    CHECK_EQUAL(laxity_shape_uses(&half), 20);
    CHECK_EQUAL(laxity_shape_uses(&third), 30);
    CHECK_EQUAL(laxity_shape_uses(&two_thirds), 15);
}

static void lowest_ratio_uses_every_word_of_every_line(void)
{
    for (uint32_t line = LAXITY_SHORTEST_LINE_BYTES; line <= LAXITY_LONGEST_LINE_BYTES; line *= 2) {
        const struct laxity_shape shape = {
            UINT64_C(1000) * line, line, laxity_shape_lowest_ratio(line)
        };
        CHECK_EQUAL(laxity_shape_uses(&shape), UINT64_C(1000) * line / 4);
        for (uint64_t i = 0; i < 1000; i++) {
            CHECK_EQUAL(laxity_shape_line_uses(&shape, i), line / 4);
        }
    }
}

/* Also where the ratio is no quotient: every line is entered, and none is asked for too much. */
static void every_ratio_uses_each_line_at_least_once_and_at_most_whole(void)
{
    enum {
        LINES = 997,
        STEP = 997 /* parts per million */
    };
    for (uint32_t ratio = laxity_shape_lowest_ratio(64); ratio <= LAXITY_RATIO_ONE; ratio += STEP) {
        const struct laxity_shape shape = {UINT64_C(64) * LINES, 64, ratio};
        uint64_t uses = 0;
        for (uint64_t i = 0; i < LINES; i++) {
            const uint32_t one = laxity_shape_line_uses(&shape, i);
            uses += one;
            if (one < 1 || one > 16) {
                test_fail(__FILE__, __LINE__, "ratio %" PRIu32 ": %" PRIu32 " uses", ratio, one);
            }
        }
        CHECK_EQUAL(uses, laxity_shape_uses(&shape));
        /* uses = lines / ratio, to the nearest: at most half a use away. */
        const uint64_t scaled = uses * ratio;
        const uint64_t asked = UINT64_C(1000000) * LINES;
        CHECK(2 * (scaled > asked ? scaled - asked : asked - scaled) <= ratio);
    }
}

static void largest_shape_does_not_wrap_round(void)
{
    const struct laxity_shape shape = {LAXITY_SHAPE_BYTES_MAX, 16, laxity_shape_lowest_ratio(16)};
    /* 2^40 bytes in words of 4. */
    CHECK_EQUAL(laxity_shape_uses(&shape), INT64_C(1) << 38);
}

int main(void)
{
    RUN(uses_of_a_line_are_those_of_the_paper);
    RUN(lowest_ratio_uses_every_word_of_every_line);
    RUN(every_ratio_uses_each_line_at_least_once_and_at_most_whole);
    RUN(largest_shape_does_not_wrap_round);
    return test_exit_code();
}
