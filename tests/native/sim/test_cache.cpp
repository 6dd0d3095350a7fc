/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The cache of the model against hand calculations and Sebek's figures 5 and 7. */
#include "../test.h"
#include "model/cache.hpp"

#include <cstdint>

namespace {

constexpr std::uint64_t KIB = 1024;
constexpr std::uint32_t LINE_BYTES = 32;

bool is_miss(laxity::Cache &cache, std::uint64_t line)
{
    return cache.use(line).has_value();
}

/* Misses of a pass over so many lines in order, when passes before have settled. */
std::uint64_t misses_of_a_pass(laxity::Cache &cache, std::uint64_t lines)
{
    std::uint64_t misses = 0;
    for (int pass = 0; pass < 3; pass++) {
        misses = 0;
        for (std::uint64_t line = 0; line < lines; line++) {
            misses += is_miss(cache, line) ? 1 : 0;
        }
    }
    return misses;
}

std::uint64_t misses_of_size(std::uint64_t size_bytes, std::uint32_t ways)
{
    laxity::Cache cache{32 * KIB, ways, LINE_BYTES};
    return misses_of_a_pass(cache, size_bytes / LINE_BYTES);
}

void working_set_within_the_cache_misses_never_again(void)
{
    CHECK_EQUAL(misses_of_size(4 * KIB, 8), 0);
    CHECK_EQUAL(misses_of_size(32 * KIB, 8), 0);
}

/*
 * Sebek, figure 5, by the exact count: 33 KiB are 1056 lines, 32 more than the cache has, one in
 * each of 32 sets of 8 ways; those sets hold 9 lines in turn and miss all: 32 * 9 = 288 of 1056
 * (27.3 %). With 2 ways 38 KiB are 192 lines more: 192 * 3 = 576 of 1216 (47.4 %).
 */
void lines_in_turn_through_a_set_that_is_too_small_all_miss(void)
{
    CHECK_EQUAL(misses_of_size(33 * KIB, 8), 288);
    CHECK_EQUAL(misses_of_size(38 * KIB, 2), 576);
    CHECK_EQUAL(misses_of_size(36 * KIB, 8), 1152);
}

/* Reload after a preemption that evicts everything: misses of the next pass less those of a settled
 * one. */
std::uint64_t reload_misses(std::uint64_t size_bytes)
{
    laxity::Cache cache{32 * KIB, 8, LINE_BYTES};
    const std::uint64_t lines = size_bytes / LINE_BYTES;
    const std::uint64_t settled = misses_of_a_pass(cache, lines);
    for (std::uint64_t line = 0; line < 32 * KIB / LINE_BYTES; line++) {
        (void)cache.use((std::uint64_t{1} << 32U) + line);
    }
    std::uint64_t misses = 0;
    for (std::uint64_t line = 0; line < lines; line++) {
        misses += is_miss(cache, line) ? 1 : 0;
    }
    return misses - settled;
}

/* Sebek, figure 7: a line of the working set each up to the cache's size, then fewer, and none from
 * 112.5 % on, where a settled pass misses everywhere, too. */
void preemption_costs_as_in_figure_7_of_sebek(void)
{
    CHECK_EQUAL(reload_misses(8 * KIB), 256);
    CHECK_EQUAL(reload_misses(16 * KIB), 512);
    CHECK_EQUAL(reload_misses(24 * KIB), 768);
    CHECK_EQUAL(reload_misses(32 * KIB), 1024);
    CHECK_EQUAL(reload_misses(33 * KIB), 768);
    CHECK_EQUAL(reload_misses(34 * KIB), 512);
    CHECK_EQUAL(reload_misses(35 * KIB), 256);
    CHECK_EQUAL(reload_misses(36 * KIB), 0);
}

/* A set of 2 ways: 0, 8 and 16 share set 0 of 8 sets. */
void least_recently_used_line_is_replaced(void)
{
    laxity::Cache cache{std::uint64_t{8} * 2 * LINE_BYTES, 2, LINE_BYTES};
    CHECK(is_miss(cache, 0));
    CHECK(is_miss(cache, 8));
    CHECK(!is_miss(cache, 0));
    CHECK_EQUAL(cache.use(16).value_or(0), 8); /* in place of 8 */
    CHECK(!is_miss(cache, 0));
    CHECK(is_miss(cache, 8));
    CHECK_EQUAL(cache.line_of(3 * LINE_BYTES + 31), 3);
}

} // namespace

int main()
{
    RUN(working_set_within_the_cache_misses_never_again);
    RUN(lines_in_turn_through_a_set_that_is_too_small_all_miss);
    RUN(preemption_costs_as_in_figure_7_of_sebek);
    RUN(least_recently_used_line_is_replaced);
    return test_exit_code();
}
