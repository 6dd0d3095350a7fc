/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* As test_engine_hand.cpp: cores that owe a channel room. */
#include "../test.h"
#include "case.hpp"
#include "hand.hpp"
#include "harness/mark_table.h"
#include "interface/engine.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

constexpr std::uint64_t STORED = 0x8040; /* line 513: of channel 1, if there are two */

/*
 * Stores to one line go through to an exclusive level; all that the memory takes is 20 ticks for a
 * line, and it has room for one write. Fetched at 22: 1 for the level and 1 for the way. The first
 * store is read from 24 to 44 and written into the level; one tick: 45. Each further store finds
 * the line dirty there at + 1, and as the line goes from the level, and l1d has none, it is written
 * to the memory; then the store is, into the level. Sent at 45, arrived at 46, decided then, until
 * 66; sent at 47, decided at 66, until 86; sent at 49, when that one is undecided, too: room is
 * owed from now on. The fourth store has ended at 51.
 */
Case stores(std::size_t n, std::uint32_t channels)
{
    Case asked;
    asked.platform = a_platform(1, 1);
    asked.platform.writes_through = true;
    asked.platform.n_levels = 1;
    laxity_sim_level &level = asked.platform.levels[0];
    level.cache = {8 * LINE_BYTES, 2, LAXITY_SIM_LRU};
    level.cores = 1;
    level.hit_ticks = 1;
    level.inclusion = LAXITY_SIM_EXCLUSIVE;
    asked.platform.memory.channels = channels;
    asked.platform.memory.write_queue = 1;
    asked.platform.memory.line_ticks = 20;
    asked.tasks = {a_task(1, 1, 0)};
    asked.programs = {a_job_that_accesses(std::vector<Accessed>(n, {STORED, true}))};
    return asked;
}

/* Waited: 22 + 22, and 1 for each further store. */
void a_core_that_owes_room_goes_on_until_its_next_access(void)
{
    check(stores(4, 1), {{0, 0, 51, 4, 47, 0, 0, 0}});
    check_counts(stores(4, 1), &laxity_sim_counts::writes, 3);
}

/* The fifth store waits, though the level has its line: at 66 the third write is left undecided, at
 * 86 it is decided. Done at 87, one tick: 88. Waited 35 more, and 1. */
void who_owes_room_for_writes_waits_with_a_line_that_a_level_holds(void)
{
    check(stores(5, 1), {{0, 0, 88, 5, 83, 0, 0, 0}});
}

/*
 * As above, with two channels: the code, line 64, is the other one's. The next task begins at 51;
 * its fetch waits until 86 for a channel that it does not ask, then it is read at 88 until 108; one
 * tick: 109.
 */
void what_a_task_owes_is_paid_by_the_next_one_on_its_core(void)
{
    Case asked = stores(4, 2);
    asked.tasks.push_back(a_task(1, 0, 0));
    asked.programs.push_back(a_job(1, {}));
    check(asked, {{0, 0, 51, 4, 47, 0, 0, 0}, {1, 51, 109, 1, 57, 0, 0, 0}});
}

/*
 * Another core's code arrives at 2, too, behind that of core 0: from 22 to 42, held up for 20. Nine
 * instructions: 51. The tenth loads line 512, of that channel, while core 0 owes the other one
 * room: read from 53 to 73; one tick: 74.
 */
void what_a_core_owes_is_paid_by_no_other_core(void)
{
    constexpr unsigned INSTRUCTIONS = 10;
    Case asked = stores(4, 2);
    asked.platform.cores = 2;
    asked.tasks.push_back(a_task(2, 1, 0));
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(INSTRUCTIONS + 2, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    words.access(INSTRUCTIONS, 0x8000, WORD, false);
    words.mark(INSTRUCTIONS + 1, LAXITY_MARK_JOB_FINISH);
    asked.programs.push_back(words);
    check(asked, {{0, 0, 51, 4, 47, 0, 0, 0}, {1, 0, 74, 10, 44, 0, 20, 0}});
}

/*
 * Stores merge, and loads that nobody waits for send them; there is room for one read. Fetched at
 * 21. Stores at 21, 23 and 25, loads behind them at 22, 24 and 26. The reads are decided at 23, 43
 * and 63; when the third is sent the second is undecided, too: room is owed. At 27 the fourth store
 * needs none for itself, but waits until 63; one tick: 64.
 */
void who_owes_room_for_reads_waits_with_a_store_that_merges(void)
{
    Case asked;
    asked.platform = a_platform(1, 4);
    asked.platform.fill_buffers = 4;
    asked.platform.store_entries = 4;
    asked.platform.merges_stores = true;
    asked.platform.memory.read_queue = 1;
    asked.platform.memory.line_ticks = 20;
    asked.tasks = {a_task(1, 1, 0)};
    std::vector<Accessed> accesses;
    for (const std::uint64_t address : {0x8000, 0x8040, 0x8080}) {
        accesses.push_back({address, true});
        accesses.push_back({address, false});
    }
    asked.programs = {a_job_that_accesses(accesses)};
    check(asked, {{0, 0, 27, 6, 21, 0, 0, 0}});
    accesses.push_back({0x80c0, true});
    asked.programs = {a_job_that_accesses(accesses)};
    check(asked, {{0, 0, 64, 7, 57, 0, 0, 0}});
}

} // namespace

int main()
{
    RUN(a_core_that_owes_room_goes_on_until_its_next_access);
    RUN(who_owes_room_for_writes_waits_with_a_line_that_a_level_holds);
    RUN(what_a_task_owes_is_paid_by_the_next_one_on_its_core);
    RUN(what_a_core_owes_is_paid_by_no_other_core);
    RUN(who_owes_room_for_reads_waits_with_a_store_that_merges);
    return test_exit_code();
}
