/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* As test_engine_hand.cpp: caches that several cores share. */
#include "../test.h"
#include "case.hpp"
#include "hand.hpp"
#include "harness/mark_table.h"
#include "interface/engine.h"

#include <cstdint>
#include <vector>

namespace {

/*
 * An inclusive level of four lines, for both cores; a line is there 3 behind its miss if nobody
 * else asks. Both fetch at 0: there at 3 and at 4. Core 0 loads five lines, at 3, 7, 11, 15 and 19,
 * each there 3 later, and one tick: 23. Core 1 loads one, D, at 4, there at 7, one tick: 8. For the
 * second to fifth line of core 0 both lines of code, its own first one, and at 19 D go from the
 * level, and D from the first level of core 1. That loads nothing until it wants D again with its
 * 14th instruction, at 7 + 13 = 20: there at 23, one tick: 24. Held up for the other core
 * it was for 1 each time; what it lost is the other core's, too: 1 + 1 + 3 of its waits.
 */
void a_core_loses_what_another_one_evicts_from_an_inclusive_level(void)
{
    constexpr std::uint64_t D = 0x9000;
    constexpr unsigned INSTRUCTIONS = 14;
    Case asked;
    asked.platform = a_platform(2, 2);
    asked.platform.n_levels = 1;
    laxity_sim_level &level = asked.platform.levels[0];
    level.cache = {4 * LINE_BYTES, 4, LAXITY_SIM_LRU};
    level.cores = 2;
    level.hit_ticks = 1;
    level.inclusion = LAXITY_SIM_INCLUSIVE;
    asked.tasks = {a_task(1, 1, 0), a_task(2, 1, 0)};
    Words again;
    again.define(CODE, std::vector<std::uint8_t>(INSTRUCTIONS + 2, 4));
    again.execute(0);
    again.mark(0, LAXITY_MARK_JOB_START);
    again.access(1, D, WORD, false);
    again.access(INSTRUCTIONS, D, WORD, false);
    again.mark(INSTRUCTIONS + 1, LAXITY_MARK_JOB_FINISH);
    asked.programs = {a_job(5, {0x8000, 0x8040, 0x8080, 0x80c0, 0x8100}), again};
    check(asked, {{0, 0, 23, 5, 18, 0, 0, 0}, {1, 0, 24, 14, 5, 0, 5, 0}});
}

} // namespace

int main()
{
    RUN(a_core_loses_what_another_one_evicts_from_an_inclusive_level);
    return test_exit_code();
}
