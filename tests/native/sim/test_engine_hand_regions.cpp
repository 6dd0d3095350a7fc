/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* As test_engine_hand.cpp: regions of memory, domains, and links between them. */
#include "../test.h"
#include "case.hpp"
#include "hand.hpp"
#include "interface/engine.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

constexpr std::uint64_t PAGE = 4096;
constexpr unsigned REGION_SHIFT = 24;
constexpr unsigned INSTANCE_SHIFT = 20;
constexpr std::uint64_t DIGIT = 0xf;
constexpr std::uint64_t DATA = 0x8000;

/* An address that says where it lies; the code lies in the main memory of domain 0. */
constexpr std::uint64_t at(std::uint64_t region, std::uint64_t instance, std::uint64_t offset)
{
    return region << REGION_SHIFT | instance << INSTANCE_SHIFT | offset;
}

laxity_sim_place place_by_address(void *context, std::uint64_t address)
{
    (void)context;
    return {
        static_cast<std::uint32_t>(address >> REGION_SHIFT & DIGIT),
        static_cast<std::uint32_t>(address >> INSTANCE_SHIFT & DIGIT),
    };
}

laxity_sim_place place_on_core_1(void *context, std::uint64_t address)
{
    (void)context;
    (void)address;
    return {1, 1};
}

laxity_sim_task a_placed_task(std::uint64_t cores, std::int32_t priority, std::int64_t release_ns)
{
    laxity_sim_task task = a_task(cores, priority, release_ns);
    task.placer = {nullptr, place_by_address, nullptr};
    return task;
}

/* A domain of cores 0 and 1, and one of core 2. Of the main memory a line is there two ticks behind
 * its miss, if it comes from the same domain: it arrives after 1 and is transferred in 1. */
laxity_sim_platform two_domains()
{
    laxity_sim_platform platform = a_platform(3, 2);
    platform.domain_cores = 2;
    platform.link_ticks[0][1] = 7;
    platform.link_ticks[1][0] = 11;
    platform.link_line_ticks = 5;
    platform.has_memory_each = true;
    return platform;
}

/* Region 1, one for each core: 2 + 4 + 1 + 3 for a word, if the memory is idle. */
laxity_sim_region scratchpads()
{
    laxity_sim_region region{};
    region.memory = a_platform(1, 1).memory;
    region.memory.request_ticks = 2;
    region.memory.response_ticks = 3;
    region.memory.hit_ticks = 4;
    region.memory.empty_ticks = 4;
    region.memory.conflict_ticks = 4;
    region.memory.line_ticks = 6;
    region.memory.word_ticks = 1;
    region.of = LAXITY_SIM_OF_CORE;
    return region;
}

/* A task on core 0, and a scratchpad for each core. */
Case with_scratchpads(const std::vector<Accessed> &accesses)
{
    Case asked;
    asked.platform = two_domains();
    asked.platform.n_regions = 1;
    asked.platform.regions[0] = scratchpads();
    asked.tasks = {a_placed_task(1, 1, 0)};
    asked.programs = {a_job_that_accesses(accesses)};
    return asked;
}

void check_count_of(
    const Case &asked,
    std::uint32_t core,
    std::uint64_t laxity_sim_counts::*which,
    std::uint64_t want
)
{
    CHECK_EQUAL(run_naive(asked).totals.cores[core].*which, want);
    CHECK_EQUAL(run_engine(asked).totals.cores[core].*which, want);
}

/* Fetched at 2, one tick: 3. */
void a_word_of_the_own_scratchpad_takes_what_its_instruction_takes(void)
{
    const Case asked = with_scratchpads({{at(1, 0, 0x40), false}, {at(1, 0, 0x80), true}});
    check(asked, {{0, 0, 4, 2, 2, 0, 0, 0}});
    check_counts(asked, &laxity_sim_counts::uncached, 2);
    check_counts(asked, &laxity_sim_counts::loads, 0);
    check_counts(asked, &laxity_sim_counts::stores, 0);
    check_counts(asked, &laxity_sim_counts::reads, 1); /* of the code */
    check_counts(asked, &laxity_sim_counts::writes, 0);
}

/* Sent at 2, arrives at 2 + 2 = 4, 4 + 4 + 1 = 9, here at 9 + 3 = 12. One tick: 13. */
void a_word_of_a_neighbours_scratchpad_takes_the_way_to_it_and_back(void)
{
    const Case asked = with_scratchpads({{at(1, 1, 0x40), false}});
    check(asked, {{0, 0, 13, 1, 12, 0, 0, 0}});
    check_counts(asked, &laxity_sim_counts::uncached, 1);
    check_counts(asked, &laxity_sim_counts::reads, 1);
    check_counts(asked, &laxity_sim_counts::remote, 0);
}

/* Arrives at 2 + 2 + 7 = 11, 11 + 4 + 1 = 16, 16 + 3 = 19, here at 19 + 11 = 30. One tick: 31. */
void a_word_of_a_scratchpad_across_a_bridge_takes_the_links_besides(void)
{
    const Case asked = with_scratchpads({{at(1, 2, 0x40), false}});
    check(asked, {{0, 0, 31, 1, 30, 0, 0, 0}});
    check_counts(asked, &laxity_sim_counts::uncached, 1);
    check_counts(asked, &laxity_sim_counts::reads, 1);
    check_counts(asked, &laxity_sim_counts::remote, 1);
}

/* The second load is sent at 13: arrives at 15, 15 + 4 + 1 = 20, here at 23. One tick: 24. */
void a_word_is_fetched_again_each_time(void)
{
    check(
        with_scratchpads({{at(1, 1, 0x40), false}, {at(1, 1, 0x40), false}}),
        {{0, 0, 24, 2, 22, 0, 0, 0}}
    );
}

/* Arrives at 2, 2 + 4 + 6 = 12, here at 15: a line, not a word. One tick: 16. */
void code_that_is_not_cached_is_fetched_by_lines(void)
{
    Case asked = with_scratchpads({});
    asked.programs = {a_job(1, {})};
    asked.tasks[0].placer = {nullptr, place_on_core_1, nullptr};
    check(asked, {{0, 0, 16, 1, 15, 0, 0, 0}});
    check_counts(asked, &laxity_sim_counts::uncached, 1);
    check_counts(asked, &laxity_sim_counts::fetches, 0);
    check_counts(asked, &laxity_sim_counts::reads, 0);
}

/* Done when it has left, at 2 + 2, however far it goes. One tick: 5. */
void a_store_that_is_not_cached_is_posted(void)
{
    const Case asked = with_scratchpads({{at(1, 2, 0x40), true}});
    check(asked, {{0, 0, 5, 1, 4, 0, 0, 0}});
    check_counts(asked, &laxity_sim_counts::uncached, 1);
    check_counts(asked, &laxity_sim_counts::writes, 0);
    check_counts(asked, &laxity_sim_counts::remote, 1);
}

/* With an entry for it nobody waits for the first store; the second, at 3, waits until 4. */
void a_store_that_is_not_cached_holds_an_entry_until_it_has_left(void)
{
    Case asked = with_scratchpads({{at(1, 2, 0x40), true}, {at(1, 2, 0x44), true}});
    asked.platform.store_entries = 2;
    check(asked, {{0, 0, 4, 2, 2, 0, 0, 0}});
    asked.platform.store_entries = 1;
    check(asked, {{0, 0, 5, 2, 3, 0, 0, 0}});
}

/*
 * The store arrives at 2 + 2 + 7 = 11, and is there at 11 + 4 + 1 = 16. The load is sent at 3,
 * arrives at 12, is decided at 16 - 4 = 12, and its row is open: 16 + 1 = 17, 20, here at 31.
 */
void a_posted_store_is_in_the_way_of_the_next_load(void)
{
    Case asked = with_scratchpads({{at(1, 2, 0x40), true}, {at(1, 2, 0x44), false}});
    asked.platform.store_entries = 1;
    check(asked, {{0, 0, 32, 2, 30, 0, 0, 0}});
}

/* The first store is undecided until it arrives, at 4; the second, at 3, has room then. */
void a_store_that_is_not_cached_waits_for_room_in_its_own_memory(void)
{
    Case asked = with_scratchpads({{at(1, 1, 0x40), true}, {at(1, 1, 0x44), true}});
    asked.platform.store_entries = 2;
    asked.platform.memory.write_queue = 1;
    asked.platform.regions[0].memory.write_queue = 2;
    check(asked, {{0, 0, 4, 2, 2, 0, 0, 0}});
    asked.platform.regions[0].memory.write_queue = 1;
    check(asked, {{0, 0, 5, 2, 3, 0, 0, 0}});
}

/* Sent at 2, arrives at 2 + 1 + 7 = 10, 11, here at 11 + 11 = 22. One tick: 23. Then it is in l1d.
 */
void a_line_of_another_domain_takes_the_links_once(void)
{
    const Case asked = with_scratchpads({{at(0, 1, DATA), false}, {at(0, 1, DATA + 4), false}});
    check(asked, {{0, 0, 24, 2, 22, 0, 0, 0}});
    check_counts(asked, &laxity_sim_counts::load_misses, 1);
    check_counts(asked, &laxity_sim_counts::reads, 2);
    check_counts(asked, &laxity_sim_counts::remote, 1);
}

/*
 * Task 0 on core 0: fetched at 2; its first access, of its own domain's memory, at 4; ten
 * ticks: 14. Task 1 is there at 5, so that task 0 goes on on core 2 at 14. There it fetches its
 * line, which core 0 holds: arrives at 14 + 1 + 11 = 26, 27, here at 34. Of these 20 ticks 1 was
 * granted to task 1, which was fetched meanwhile, at 16; 19 are moved. The other accesses follow.
 * Task 1: ten ticks: 26.
 */
Case migrates(const std::vector<Accessed> &accesses)
{
    Case asked = with_scratchpads(accesses);
    asked.platform.instruction_ticks = 10;
    asked.tasks = {a_placed_task(5, 1, 0), a_placed_task(1, 2, 5)};
    asked.programs.push_back(a_job(1, {}));
    return asked;
}

/* Sent at 34, arrives at 46, 47, here at 54: the links are 18 of 20. Ten ticks: 64. */
void the_way_to_a_line_where_the_task_has_been_is_moved(void)
{
    check(
        migrates({{DATA, false}, {DATA + LINE_BYTES, false}}),
        {{1, 14, 26, 10, 2, 0, 0, 0}, {0, 0, 64, 20, 6, 0, 1, 1, 37}}
    );
}

/* Sent at 34, arrives at 34 + 2 + 11 = 47, 52, 55, here at 62. Of core 0's scratchpad all 28 are
 * moved; of core 1's, where the task has not been, the 18 of the links. Ten ticks: 72. */
void a_scratchpad_that_a_task_has_left_is_moved(void)
{
    check(
        migrates({{DATA, false}, {at(1, 0, 0x40), false}}),
        {{1, 14, 26, 10, 2, 0, 0, 0}, {0, 0, 72, 20, 4, 0, 1, 1, 47}}
    );
    check(
        migrates({{DATA, false}, {at(1, 1, 0x40), false}}),
        {{1, 14, 26, 10, 2, 0, 0, 0}, {0, 0, 72, 20, 14, 0, 1, 1, 37}}
    );
}

/*
 * Core 2 has its own scratchpad at 34, at once, ten ticks: 44; then what it loaded on core 0, which
 * l1d of core 0 holds: arrives at 56, 57, here at 64: 20 moved. Ten ticks: 74.
 */
void a_scratchpad_follows_no_task(void)
{
    check(
        migrates({{DATA, false}, {at(1, 2, 0x40), false}, {DATA, false}}),
        {{1, 14, 26, 10, 2, 0, 0, 0}, {0, 0, 74, 30, 4, 0, 1, 1, 39}}
    );
}

/*
 * Core 0 loads as above. Core 1 fetches at 3, held up for 1; its load is sent then, arrives at 11,
 * 12; the line of core 0 has left at 11, so that the link is free at 16; here at 16 + 11 = 27. Held
 * up for 1 by the memory and 4 by the link. One tick: 28.
 */
void a_line_waits_for_the_link_behind_another_cores(void)
{
    Case asked = with_scratchpads({{at(0, 1, DATA), false}});
    asked.tasks.push_back(a_placed_task(2, 1, 0));
    asked.programs.push_back(a_job(1, {at(0, 1, DATA)}));
    check(asked, {{0, 0, 23, 1, 22, 0, 0, 0}, {1, 0, 28, 1, 21, 0, 6, 0}});
}

/* Words of two cores: that of core 1 is sent at 3, arrives at 12, and waits for its bank until 16:
 * 16 + 4 + 1 = 21, 24, here at 35; held up for the 16 - 11 = 5 that core 0's was granted. */
void a_word_waits_for_no_link(void)
{
    Case asked = with_scratchpads({{at(1, 2, 0x40), false}});
    asked.platform.link_line_ticks = 50;
    asked.tasks.push_back(a_placed_task(2, 1, 0));
    asked.programs.push_back(a_job(1, {at(1, 2, 0x40)}));
    check(asked, {{0, 0, 31, 1, 30, 0, 0, 0}, {1, 0, 36, 1, 29, 0, 6, 0}});
}

/*
 * A level whose lines take 1. Fetched at 3. The load is sent at 3, arrives at 3 + 1 + 1 + 7 = 12,
 * 13, and leaves at once: here at 24; one tick: 25. The next line is read behind it: 14, leaves at
 * 13 + 5 = 18, there at 29; nobody but the core itself was in its way. One tick: 30.
 */
void a_line_waits_for_the_link_behind_its_own_cores(void)
{
    Case asked = with_scratchpads({{at(0, 1, DATA), false}, {at(0, 1, DATA + LINE_BYTES), false}});
    asked.platform.n_levels = 1;
    laxity_sim_level &level = asked.platform.levels[0];
    level.cache = {8 * LINE_BYTES, 2, LAXITY_SIM_LRU};
    level.cores = 1;
    level.hit_ticks = 1;
    level.prefetch = LAXITY_SIM_PREFETCH_NEXT_LINE;
    check(asked, {{0, 0, 30, 2, 28, 0, 0, 0}});
}

/*
 * Without l1d the line of a store is written and not read: core 0 fetches until 2, its store has
 * left at 3, and takes the link until 8. Core 2 fetches at 3 from domain 0, 1 away: arrives at 5,
 * 6, leaves at 8, here at 15; held up for 2. One tick: 16.
 */
void a_written_line_takes_the_link_as_well(void)
{
    Case asked = with_scratchpads({{at(0, 1, DATA), true}});
    asked.platform.link_ticks[1][0] = 1;
    asked.platform.l1d.size_bytes = 0;
    asked.tasks.push_back(a_placed_task(4, 1, 3));
    asked.programs.push_back(a_job(1, {}));
    check(asked, {{0, 0, 4, 1, 3, 0, 0, 0}, {1, 3, 16, 1, 10, 0, 2, 0}});
    check_counts(asked, &laxity_sim_counts::writes, 1);
    check_counts(asked, &laxity_sim_counts::remote, 1);
}

/* A task on core 2 that places nothing: its code lies in page 1, its data in page 8. */
Case at_home(laxity_sim_home home)
{
    Case asked;
    asked.platform = two_domains();
    asked.platform.home = home;
    asked.tasks = {a_task(4, 1, 0)};
    asked.programs = {a_job(1, {DATA})};
    return asked;
}

/* Both lie in domain 1: fetched at 2, loaded at 4, one tick: 5. */
void a_page_is_at_home_where_it_is_touched_first(void)
{
    check(at_home(LAXITY_SIM_FIRST_TOUCH), {{0, 0, 5, 1, 4, 0, 0, 0}});
}

/* The data lies in domain 8 mod 2 = 0: arrives at 2 + 1 + 11 = 14, 15, here at 22. */
void interleaved_pages_are_at_home_in_one_domain_after_the_other(void)
{
    check(at_home(LAXITY_SIM_INTERLEAVED), {{0, 0, 23, 1, 22, 0, 0, 0}});
}

/* The first access is that of core 0, whose job is over at 3. Core 2's arrives at 100 + 1 + 11 =
 * 112, 113, here at 120. One tick: 121. Its task has never been in domain 0. */
void a_page_stays_where_it_was_touched_first(void)
{
    Case asked = at_home(LAXITY_SIM_FIRST_TOUCH);
    asked.tasks = {a_task(1, 1, 0), a_task(4, 1, 100)};
    asked.programs = {a_job(1, {}), a_job(1, {})};
    asked.shared[0] = {{CODE, CODE + PAGE}};
    check(asked, {{0, 0, 3, 1, 2, 0, 0, 0}, {1, 100, 121, 1, 20, 0, 0, 0}});
}

/* All of the memory lies in domain 0: core 2's fetch arrives at 12, 13, here at 20; its load at 20
 * + 12 = 32, 33, here at 40. */
void a_main_memory_that_no_domain_has_for_itself_lies_in_the_first(void)
{
    Case asked = at_home(LAXITY_SIM_FIRST_TOUCH);
    asked.platform.has_memory_each = false;
    check(asked, {{0, 0, 41, 1, 40, 0, 0, 0}});
    check_count_of(asked, 2, &laxity_sim_counts::remote, 2);
}

/*
 * Each domain has a level, whose lines take 1, and l1d one line for DATA and the third line behind
 * it. Task 0 on core 0: fetched at 3; its store waits until 6, ten ticks: 16; the load that evicts
 * the line into the level, dirty, until 19, ten ticks: 29. Task 1 is there at 20 and is fetched
 * from 29 to 32, ten ticks: 42. Task 0 goes on on core 2 at 29, fetches its line, which core 0
 * holds: arrives at 29 + 1 + 1 + 11 = 42, 43, here at 50. Then it loads the line that the level of
 * domain 0 has: here at 50 + 1 + 11 + 7 = 69. Ten ticks: 79. Of the 21 ticks of the fetch 1 was
 * task 1's; all others are moved, as are 19. The line is written to its memory, as the cores have
 * no level in common, or into the one that they have.
 */
void a_dirty_line_is_found_in_the_level_of_another_domain(void)
{
    Case asked = migrates({{DATA, true}, {DATA + 2 * LINE_BYTES, false}, {DATA, false}});
    asked.tasks[1].releases.first_ns = 20;
    asked.platform.l1d = {2 * LINE_BYTES, 1, LAXITY_SIM_LRU};
    asked.platform.n_levels = 1;
    asked.platform.levels[0].cache = {16 * LINE_BYTES, 4, LAXITY_SIM_LRU};
    asked.platform.levels[0].cores = 2;
    asked.platform.levels[0].hit_ticks = 1;
    check(asked, {{1, 29, 42, 10, 3, 0, 0, 0}, {0, 0, 79, 30, 9, 0, 1, 1, 39}});
    check_count_of(asked, 2, &laxity_sim_counts::transfers, 1);
    check_count_of(asked, 2, &laxity_sim_counts::writes, 1);
    check_count_of(asked, 2, &laxity_sim_counts::remote, 2); /* the fetch, too */
    asked.platform.n_levels = 2;
    asked.platform.levels[1] = asked.platform.levels[0];
    asked.platform.levels[1].cores = 4; /* all */
    check_count_of(asked, 2, &laxity_sim_counts::transfers, 1);
    check_count_of(asked, 2, &laxity_sim_counts::writes, 0);
}

/*
 * The load on core 2 at 34 makes the line shared: arrives at 46, 47, here at 54, ten ticks: 64. The
 * store there takes 1, and 11 + 7 until core 0 has none any more: 83. Ten ticks: 93. Moved: 19 + 20
 * + 19.
 */
void an_upgrade_takes_the_links_to_the_copy_and_back(void)
{
    const Case asked = migrates({{DATA, false}, {DATA, false}, {DATA, true}});
    check(asked, {{1, 14, 26, 10, 2, 0, 0, 0}, {0, 0, 93, 30, 4, 0, 1, 1, 58}});
    check_count_of(asked, 2, &laxity_sim_counts::upgrades, 1);
}

/* On core 1 the fetch arrives at 15 behind task 1's: here at 17, held up for 1; the load is here at
 * 19, ten ticks: 29, the store takes 1: 30. Ten ticks: 40. */
void an_upgrade_within_a_domain_takes_no_link(void)
{
    Case asked = migrates({{DATA, false}, {DATA, false}, {DATA, true}});
    asked.tasks[0].cores = 3;
    check(asked, {{1, 14, 26, 10, 2, 0, 0, 0}, {0, 0, 40, 30, 4, 0, 1, 1, 5}});
}

/*
 * Core 0 loads a word of region 1: fetched at 2, arrives at 4, 7. Core 1 loads a line of region 2:
 * fetched at 3, held up for 1; arrives at 5, 25. If region 2 is another way to region 1 it is held
 * up for the 7 - 4 of the word, and here at 27.
 */
Case two_ways(bool is_alias)
{
    Case asked;
    asked.platform = a_platform(2, 2);
    asked.platform.n_regions = 2;
    laxity_sim_region &word = asked.platform.regions[0];
    word.memory = asked.platform.memory;
    word.memory.request_ticks = 2;
    word.memory.word_ticks = 3;
    word.memory.line_ticks = 20;
    laxity_sim_region &line = asked.platform.regions[1];
    line = word;
    line.is_cached = true;
    if (is_alias) {
        line.memory = {};
        line.is_alias = true;
        line.alias = 1;
    }
    asked.tasks = {a_placed_task(1, 1, 0), a_placed_task(2, 1, 0)};
    asked.programs = {a_job(1, {at(1, 0, 0x40)}), a_job(1, {at(2, 0, 0x40)})};
    return asked;
}

void two_ways_to_one_memory_share_its_channel(void)
{
    check(two_ways(false), {{0, 0, 8, 1, 7, 0, 0, 0}, {1, 0, 26, 1, 24, 0, 1, 0}});
    check(two_ways(true), {{0, 0, 8, 1, 7, 0, 0, 0}, {1, 0, 28, 1, 23, 0, 4, 0}});
    check_counts(two_ways(true), &laxity_sim_counts::uncached, 1);
    check_count_of(two_ways(true), 1, &laxity_sim_counts::loads, 1);
}

/* The word of the main memory that an alias leads to is no line of l1d: 2 and 2, twice. */
void an_alias_of_the_main_memory_passes_the_caches(void)
{
    Case asked;
    asked.platform = a_platform(1, 2);
    asked.platform.memory.word_ticks = 1;
    asked.platform.n_regions = 1;
    asked.platform.regions[0].is_alias = true;
    asked.tasks = {a_placed_task(1, 1, 0)};
    asked.programs = {a_job(2, {at(1, 0, DATA), at(1, 0, DATA)})};
    check(asked, {{0, 0, 8, 2, 6, 0, 0, 0}});
    asked.platform.regions[0].is_cached = true;
    check(asked, {{0, 0, 6, 2, 4, 0, 0, 0}});
}

/*
 * A line takes 20. Core 1 fetches at 5: arrives at 6, 26; one tick: 27. Core 2 has sent its read at
 * 0, which arrives at 12; core 0 sends one at 8, which arrives at 9: it is next, at 26: 46; one
 * tick:
 * 47. That of core 2 follows: 66, here at 73; held up for 20 + 20. One tick: 74.
 */
void a_read_that_arrives_earlier_overtakes(void)
{
    Case asked;
    asked.platform = two_domains();
    asked.platform.has_memory_each = false;
    asked.platform.memory.line_ticks = 20;
    asked.platform.memory.reorder = 1;
    asked.tasks = {a_task(1, 1, 8), a_task(2, 1, 5), a_task(4, 1, 0)};
    asked.programs = {a_job(1, {}), a_job(1, {}), a_job(1, {})};
    check(
        asked, {{1, 5, 27, 1, 21, 0, 0, 0}, {0, 8, 47, 1, 38, 0, 0, 0}, {2, 0, 74, 1, 33, 0, 40, 0}}
    );
}

} // namespace

int main()
{
    RUN(a_word_of_the_own_scratchpad_takes_what_its_instruction_takes);
    RUN(a_word_of_a_neighbours_scratchpad_takes_the_way_to_it_and_back);
    RUN(a_word_of_a_scratchpad_across_a_bridge_takes_the_links_besides);
    RUN(a_word_is_fetched_again_each_time);
    RUN(code_that_is_not_cached_is_fetched_by_lines);
    RUN(a_store_that_is_not_cached_is_posted);
    RUN(a_store_that_is_not_cached_holds_an_entry_until_it_has_left);
    RUN(a_posted_store_is_in_the_way_of_the_next_load);
    RUN(a_store_that_is_not_cached_waits_for_room_in_its_own_memory);
    RUN(a_line_of_another_domain_takes_the_links_once);
    RUN(the_way_to_a_line_where_the_task_has_been_is_moved);
    RUN(a_scratchpad_that_a_task_has_left_is_moved);
    RUN(a_scratchpad_follows_no_task);
    RUN(a_line_waits_for_the_link_behind_another_cores);
    RUN(a_word_waits_for_no_link);
    RUN(a_line_waits_for_the_link_behind_its_own_cores);
    RUN(a_written_line_takes_the_link_as_well);
    RUN(a_page_is_at_home_where_it_is_touched_first);
    RUN(interleaved_pages_are_at_home_in_one_domain_after_the_other);
    RUN(a_page_stays_where_it_was_touched_first);
    RUN(a_main_memory_that_no_domain_has_for_itself_lies_in_the_first);
    RUN(a_dirty_line_is_found_in_the_level_of_another_domain);
    RUN(an_upgrade_takes_the_links_to_the_copy_and_back);
    RUN(an_upgrade_within_a_domain_takes_no_link);
    RUN(two_ways_to_one_memory_share_its_channel);
    RUN(an_alias_of_the_main_memory_passes_the_caches);
    RUN(a_read_that_arrives_earlier_overtakes);
    return test_exit_code();
}
