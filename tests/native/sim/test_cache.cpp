/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A cache of the model against hand calculations, Sebek's figures 5 and 7, and itself. */
#include "../test.h"
#include "model/cache.hpp"
#include "random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

constexpr std::uint64_t KIB = 1024;
constexpr std::uint32_t LINE_BYTES = 32;
constexpr std::uint64_t ANY_WAY = 0;
/* Lines of somebody else: in the same sets, never the same. */
constexpr std::uint64_t OTHERS = std::uint64_t{1} << 32U;
constexpr std::uint64_t EARLIER = std::uint64_t{2} << 32U;
constexpr laxity_sim_replacement ALL_REPLACEMENTS[] = {
    LAXITY_SIM_LRU, LAXITY_SIM_PLRU, LAXITY_SIM_FIFO, LAXITY_SIM_RANDOM
};

laxity::Cache cache_of(
    std::uint64_t size_bytes,
    std::uint32_t ways,
    laxity_sim_replacement how,
    bool keeps_places = false
)
{
    return laxity::Cache{{size_bytes, ways, how}, LINE_BYTES, keeps_places};
}

/* One set, its ways filled with the lines from 0 on. */
laxity::Cache full_set(std::uint32_t ways, laxity_sim_replacement how)
{
    laxity::Cache cache = cache_of(std::uint64_t{ways} * LINE_BYTES, ways, how);
    for (std::uint64_t line = 0; line < ways; line++) {
        (void)cache.allocate(line, ANY_WAY);
    }
    return cache;
}

bool is_miss(laxity::Cache &cache, std::uint64_t line)
{
    if (cache.use(line) != nullptr) {
        return false;
    }
    (void)cache.allocate(line, ANY_WAY);
    return true;
}

std::uint64_t misses_of_a_pass(laxity::Cache &cache, std::uint64_t n_lines)
{
    std::uint64_t misses = 0;
    for (std::uint64_t line = 0; line < n_lines; line++) {
        misses += is_miss(cache, line) ? 1 : 0;
    }
    return misses;
}

/* When passes before have settled. */
std::uint64_t settled_misses(laxity::Cache &cache, std::uint64_t n_lines)
{
    (void)misses_of_a_pass(cache, n_lines);
    (void)misses_of_a_pass(cache, n_lines);
    return misses_of_a_pass(cache, n_lines);
}

/*
 * Of 32 KiB, and full of what was there before, as caches are. A tree of bits that has seen nothing
 * but the filling of empty places, from the lowest on, does not replace in the order of use: 9
 * lines in turn through 8 ways keep some then.
 */
laxity::Cache sebeks_cache(std::uint32_t ways, laxity_sim_replacement how)
{
    laxity::Cache cache = cache_of(32 * KIB, ways, how);
    for (std::uint64_t line = 0; line < 32 * KIB / LINE_BYTES; line++) {
        (void)cache.allocate(EARLIER + line, ANY_WAY);
    }
    return cache;
}

std::uint64_t
misses_of_size(std::uint64_t size_bytes, std::uint32_t ways, laxity_sim_replacement how)
{
    laxity::Cache cache = sebeks_cache(ways, how);
    return settled_misses(cache, size_bytes / LINE_BYTES);
}

/*
 * Sebek, figure 5: lines in turn through sets that are one line too small all miss, so that of each
 * access (size - C) * (W + 1) / size miss. 33 KiB, 8 ways: 32 of the sets hold 9 lines, 288 of 1056
 * (27.3 %). 38 KiB, 2 ways: 192 sets hold 3 lines, 576 of 1216 (47.4 %); the formula as it is
 * printed, (size - C) / C * W, has 37.5 % there.
 */
void lines_in_turn_through_sets_that_are_too_small_miss_as_in_figure_5_of_sebek(void)
{
    for (const laxity_sim_replacement how : {LAXITY_SIM_LRU, LAXITY_SIM_PLRU}) {
        CHECK_EQUAL(misses_of_size(32 * KIB, 8, how), 0);
        CHECK_EQUAL(misses_of_size(33 * KIB, 8, how), 288);
        CHECK_EQUAL(misses_of_size(36 * KIB, 8, how), 1152); /* all */
        CHECK_EQUAL(misses_of_size(38 * KIB, 2, how), 576);
    }
}

/* Of the pass after somebody has filled the cache, beyond those of a settled one. */
std::uint64_t reload_misses(std::uint64_t size_bytes, laxity_sim_replacement how)
{
    laxity::Cache cache = sebeks_cache(8, how);
    const std::uint64_t n_lines = size_bytes / LINE_BYTES;
    const std::uint64_t settled = settled_misses(cache, n_lines);
    for (std::uint64_t line = 0; line < 32 * KIB / LINE_BYTES; line++) {
        (void)is_miss(cache, OTHERS + line);
    }
    return misses_of_a_pass(cache, n_lines) - settled;
}

/*
 * Sebek, figure 7: a miss for each line of the working set up to the cache's size. Beyond it a
 * settled pass misses, too: at 33 KiB all in 32 of 128 sets, which leaves 96 sets of 8 lines, 768.
 * At 36 KiB there is nothing left to lose.
 */
void preemption_costs_as_in_figure_7_of_sebek(void)
{
    for (const laxity_sim_replacement how : {LAXITY_SIM_LRU, LAXITY_SIM_PLRU}) {
        CHECK_EQUAL(reload_misses(8 * KIB, how), 256);
        CHECK_EQUAL(reload_misses(16 * KIB, how), 512);
        CHECK_EQUAL(reload_misses(24 * KIB, how), 768);
        CHECK_EQUAL(reload_misses(32 * KIB, how), 1024);
        CHECK_EQUAL(reload_misses(33 * KIB, how), 768);
        CHECK_EQUAL(reload_misses(34 * KIB, how), 512);
        CHECK_EQUAL(reload_misses(35 * KIB, how), 256);
        CHECK_EQUAL(reload_misses(36 * KIB, how), 0);
    }
}

/* Whether each cache hits that is behind one that does. */
bool hits_are_nested(std::vector<laxity::Cache> &caches, std::uint64_t line)
{
    bool is_nested = true;
    bool was_miss = true;
    for (laxity::Cache &cache : caches) {
        const bool is_one = is_miss(cache, line);
        is_nested &= was_miss || !is_one;
        was_miss = is_one;
    }
    return is_nested;
}

/* Mattson's property: what hits in so many ways hits in twice as many with the same sets. */
void least_recently_used_lines_of_a_cache_are_all_in_one_of_more_ways(void)
{
    Random random{1};
    std::vector<laxity::Cache> caches;
    for (std::uint32_t ways = 1; ways <= 16; ways *= 2) {
        caches.push_back(cache_of(std::uint64_t{8} * ways * LINE_BYTES, ways, LAXITY_SIM_LRU));
    }
    std::uint64_t n_hits = 0;
    for (int i = 0; i < 50000; i++) {
        const std::uint64_t line = random.below(random.is(1, 2) ? 40 : 400);
        n_hits += caches.back().find(line) != nullptr ? 1 : 0;
        CHECK(hits_are_nested(caches, line));
    }
    CHECK(n_hits > 10000 && n_hits < 40000); /* of both there are enough */
}

/* A set as plain as can be: its lines, the one that comes last is replaced. */
struct PlainSet {
    std::size_t ways;
    bool is_fifo;
    std::vector<std::uint64_t> lines;

    bool use(std::uint64_t line)
    {
        const auto found = std::ranges::find(lines, line);
        const bool is_there = found != lines.end();
        if (is_there && !is_fifo) {
            std::rotate(lines.begin(), found, found + 1);
        }
        return is_there;
    }
    /* Returns what it has taken the place of. */
    std::uint64_t allocate(std::uint64_t line)
    {
        lines.insert(lines.begin(), line);
        const std::uint64_t victim = lines.size() > ways ? lines.back() : laxity::Place::EMPTY;
        lines.resize(std::min(lines.size(), ways));
        return victim;
    }
};

void check_as_plain_set(std::uint32_t ways, laxity_sim_replacement how, bool keeps_places)
{
    Random random{ways};
    laxity::Cache cache = cache_of(std::uint64_t{ways} * LINE_BYTES, ways, how, keeps_places);
    PlainSet plain{.ways = ways, .is_fifo = how == LAXITY_SIM_FIFO, .lines = {}};
    for (int i = 0; i < 20000; i++) {
        const std::uint64_t line = random.below(std::uint64_t{2} * ways);
        if (random.is(1, 10)) {
            cache.remove(line, line);
            std::erase(plain.lines, line);
            continue;
        }
        const bool is_there = cache.use(line) != nullptr;
        CHECK_EQUAL(is_there, plain.use(line));
        if (!is_there) {
            CHECK_EQUAL(cache.allocate(line, ANY_WAY).line(), plain.allocate(line));
        }
    }
}

/* Whether places are ordered, ways are, or uses are counted. */
void lines_are_replaced_as_those_of_a_plain_set_of_any_number_of_ways(void)
{
    for (std::uint32_t ways = 1; ways <= 64; ways++) {
        check_as_plain_set(ways, LAXITY_SIM_LRU, false);
        check_as_plain_set(ways, LAXITY_SIM_LRU, true);
        check_as_plain_set(ways, LAXITY_SIM_FIFO, false);
    }
}

void least_recently_used_line_is_replaced(void)
{
    laxity::Cache cache = full_set(4, LAXITY_SIM_LRU);
    CHECK(cache.use(0) != nullptr);
    CHECK(cache.find(1) != nullptr); /* no use */
    CHECK_EQUAL(cache.allocate(4, ANY_WAY).line(), 1);
    CHECK_EQUAL(cache.allocate(5, ANY_WAY).line(), 2);
    CHECK_EQUAL(cache.allocate(6, ANY_WAY).line(), 3);
    CHECK_EQUAL(cache.allocate(7, ANY_WAY).line(), 0);
}

void line_allocated_first_is_replaced_whatever_its_use(void)
{
    laxity::Cache cache = full_set(4, LAXITY_SIM_FIFO);
    CHECK(cache.use(0) != nullptr);
    CHECK_EQUAL(cache.allocate(4, ANY_WAY).line(), 0);
    CHECK(cache.use(1) != nullptr);
    CHECK_EQUAL(cache.allocate(5, ANY_WAY).line(), 1);
}

/*
 * Four ways, bits (root, lower half, upper half). Filling ways 0 to 3 leaves 0 0 0: each bit points
 * away from the last use below it.
 */
void tree_of_bits_points_away_from_what_was_used(void)
{
    laxity::Cache cache = full_set(4, LAXITY_SIM_PLRU);
    CHECK(cache.use(0) != nullptr);                    /* 1 1 0 */
    CHECK_EQUAL(cache.allocate(4, ANY_WAY).line(), 2); /* upper half, its lower way: 0 1 1 */
    CHECK_EQUAL(cache.allocate(5, ANY_WAY).line(), 1); /* lower half, its upper way: 1 0 1 */
    CHECK(cache.use(3) != nullptr);                    /* 0 0 0 */
    CHECK_EQUAL(cache.allocate(6, ANY_WAY).line(), 0); /* 1 1 0 */
}

/* The bits want way 2 (above); what is not permitted is passed by. */
void tree_of_bits_passes_by_halves_that_are_not_permitted(void)
{
    const auto victim = [](std::uint64_t way_mask) {
        laxity::Cache cache = full_set(4, LAXITY_SIM_PLRU);
        (void)cache.use(0); /* 1 1 0 */
        return cache.allocate(4, way_mask).line();
    };
    CHECK_EQUAL(victim(0xf), 2);
    CHECK_EQUAL(victim(0x8), 3);
    CHECK_EQUAL(victim(0x3), 1);
    CHECK_EQUAL(victim(0x1), 0);
}

/*
 * xorshift from 88172645463325252: 8748534153485358512, 3040900993826735515, 3453997556048239312,
 * 16431732851926010853, 8204724074003728306; modulo 4 that is 0, 3, 0, 1, 2, and modulo 3 (ways 1
 * to 3) 2, 1, 1, 0, 1. Nothing is drawn while a place is empty.
 */
void random_replacement_draws_the_numbers_of_its_generator(void)
{
    laxity::Cache cache = full_set(4, LAXITY_SIM_RANDOM);
    std::uint64_t next = 4;
    for (const std::uint64_t victim : {0, 3, 4, 1, 2}) {
        CHECK_EQUAL(cache.allocate(next++, ANY_WAY).line(), victim);
    }
    laxity::Cache partly = full_set(4, LAXITY_SIM_RANDOM);
    next = 4;
    for (const std::uint64_t victim : {3, 2, 5, 1, 6}) {
        CHECK_EQUAL(partly.allocate(next++, 0xe).line(), victim);
    }
}

/* 80000 draws of 8 ways: each 10000 times, standard deviation sqrt(80000 * 1/8 * 7/8) = 94. */
void random_replacement_prefers_no_way(void)
{
    laxity::Cache cache = full_set(8, LAXITY_SIM_RANDOM);
    std::vector<std::uint64_t> ways = {0, 1, 2, 3, 4, 5, 6, 7}; /* their lines */
    std::vector<std::uint64_t> drawn(ways.size());
    for (std::uint64_t line = 8; line < 80008; line++) {
        const std::uint64_t victim = cache.allocate(line, ANY_WAY).line();
        for (std::size_t way = 0; way < ways.size(); way++) {
            if (ways[way] == victim) {
                ways[way] = line;
                drawn[way]++;
                break;
            }
        }
    }
    for (const std::uint64_t n : drawn) {
        CHECK(n > 10000 - 5 * 94 && n < 10000 + 5 * 94);
    }
}

std::uint64_t n_held(laxity::Cache &cache, std::uint64_t n_lines)
{
    std::uint64_t n = 0;
    for (std::uint64_t line = 0; line < n_lines; line++) {
        n += cache.find(line) != nullptr ? 1 : 0;
    }
    return n;
}

/* One allocates into ways 0 and 1 of 8 in 4 sets, the other into the rest. */
void check_masks(laxity_sim_replacement how)
{
    laxity::Cache cache = cache_of(std::uint64_t{4} * 8 * LINE_BYTES, 8, how, true);
    Random random{how + 3U};
    std::uint64_t n_evicted = 0;
    std::uint64_t n_foreign = 0;
    for (int i = 0; i < 20000; i++) {
        const bool is_other = random.is(1, 2);
        const std::uint64_t line = (is_other ? OTHERS : 0) + random.below(64);
        if (cache.use(line) != nullptr) {
            continue;
        }
        const laxity::Place victim = cache.allocate(line, is_other ? 0xfcU : 0x03U);
        n_evicted += victim.is_empty() ? 0 : 1;
        n_foreign += !victim.is_empty() && (victim.line() >= OTHERS) != is_other ? 1 : 0;
    }
    CHECK(n_evicted > 1000);
    CHECK_EQUAL(n_foreign, 0);
    CHECK_EQUAL(n_held(cache, 64), 2 * 4); /* its ways of each set, and no more */
}

void core_never_evicts_outside_its_ways(void)
{
    for (const laxity_sim_replacement how : ALL_REPLACEMENTS) {
        check_masks(how);
    }
}

void line_is_found_in_ways_that_the_core_may_not_allocate_into(void)
{
    laxity::Cache cache = full_set(4, LAXITY_SIM_PLRU);
    CHECK_EQUAL(cache.allocate(4, 0x8).line(), 3);
    CHECK(cache.use(0) != nullptr);
    CHECK(cache.use(4) != nullptr);
}

void empty_places_are_taken_first(void)
{
    for (const laxity_sim_replacement how : ALL_REPLACEMENTS) {
        laxity::Cache cache = full_set(4, how);
        cache.remove(3, 3);
        cache.remove(1, 1);
        cache.remove(1, 1); /* what is not there stays so */
        CHECK_EQUAL(n_held(cache, 4), 2);
        CHECK(cache.allocate(4, ANY_WAY).is_empty());
        CHECK(cache.allocate(5, ANY_WAY).is_empty());
        CHECK(!cache.allocate(6, ANY_WAY).is_empty());
    }
}

/* Lines 4 and 5 come into ways 1 and 3. */
void empty_place_of_the_lowest_number_is_taken_first(void)
{
    laxity::Cache cache = full_set(4, LAXITY_SIM_FIFO);
    cache.remove(3, 3);
    cache.remove(1, 1);
    (void)cache.allocate(4, ANY_WAY);
    (void)cache.allocate(5, ANY_WAY);
    CHECK_EQUAL(cache.allocate(6, 0x2).line(), 4);
    CHECK_EQUAL(cache.allocate(7, 0x8).line(), 5);
}

void check_flags(laxity::Cache &cache, std::uint64_t line, bool is_dirty, bool is_shared)
{
    const laxity::Place *const place = cache.find(line);
    CHECK_EQUAL(place->is_dirty(), is_dirty);
    CHECK_EQUAL(place->is_shared(), is_shared);
    CHECK_EQUAL(place->line(), line);
}

void flags_stay_with_their_line(void)
{
    for (const laxity_sim_replacement how : {LAXITY_SIM_LRU, LAXITY_SIM_FIFO}) {
        laxity::Cache cache = full_set(2, how);
        check_flags(cache, 0, false, false);
        cache.find(0)->set_dirty();
        cache.find(1)->set_shared();
        (void)cache.use(0);
        (void)cache.use(1);
        check_flags(cache, 0, true, false);
        check_flags(cache, 1, false, true);
        cache.find(1)->set_dirty();
        cache.find(1)->set_unshared();
        check_flags(cache, 1, true, false);
        CHECK(cache.allocate(2, ANY_WAY).is_dirty()); /* line 0 */
        check_flags(cache, 2, false, false);
        cache.find(1)->set_clean();
        CHECK(!cache.allocate(3, ANY_WAY).is_dirty());
    }
}

void cache_that_is_off_holds_nothing(void)
{
    laxity::Cache cache = cache_of(0, 4, LAXITY_SIM_LRU);
    CHECK(!cache.exists());
    CHECK(cache.use(1) == nullptr);
    CHECK(cache.find(1) == nullptr);
    cache.remove(1, 1);
}

} // namespace

int main()
{
    RUN(lines_in_turn_through_sets_that_are_too_small_miss_as_in_figure_5_of_sebek);
    RUN(preemption_costs_as_in_figure_7_of_sebek);
    RUN(least_recently_used_lines_of_a_cache_are_all_in_one_of_more_ways);
    RUN(lines_are_replaced_as_those_of_a_plain_set_of_any_number_of_ways);
    RUN(least_recently_used_line_is_replaced);
    RUN(line_allocated_first_is_replaced_whatever_its_use);
    RUN(tree_of_bits_points_away_from_what_was_used);
    RUN(tree_of_bits_passes_by_halves_that_are_not_permitted);
    RUN(random_replacement_draws_the_numbers_of_its_generator);
    RUN(random_replacement_prefers_no_way);
    RUN(core_never_evicts_outside_its_ways);
    RUN(line_is_found_in_ways_that_the_core_may_not_allocate_into);
    RUN(empty_places_are_taken_first);
    RUN(empty_place_of_the_lowest_number_is_taken_first);
    RUN(flags_stay_with_their_line);
    RUN(cache_that_is_off_holds_nothing);
    return test_exit_code();
}
