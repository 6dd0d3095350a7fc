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

/* Executions of a block of ten instructions, ten ticks each. */
void spin(Words &words, std::uint64_t block, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        words.execute(block);
    }
}

Words a_job_that_spins(unsigned n)
{
    Words words;
    words.define(CODE, {4});
    words.define(CODE + LINE_BYTES, std::vector<std::uint8_t>(10, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    spin(words, 1, n);
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_FINISH);
    return words;
}

/*
 * Task 0 loads four lines on core 0, is driven to core 1 at 50, stores to them there at about 130,
 * is driven back at 300, and loads all of them twice.
 */
Case written_elsewhere(void)
{
    Case asked;
    asked.platform = a_platform(2, 8);
    asked.platform.transfer_ticks = 5;
    asked.tasks = {a_task(3, 1, 0), a_task(1, 2, 50), a_task(2, 2, 300)};
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(5, 4));
    words.define(CODE + LINE_BYTES, std::vector<std::uint8_t>(10, 4));
    words.define(CODE + 2 * LINE_BYTES, std::vector<std::uint8_t>(4, 4));
    words.define(CODE + 3 * LINE_BYTES, std::vector<std::uint8_t>(9, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    for (unsigned i = 0; i < 4; i++) {
        words.access(i + 1, 0x8000 + i * LINE_BYTES, WORD, false);
    }
    spin(words, 1, 10);
    words.execute(2);
    for (unsigned i = 0; i < 4; i++) {
        words.access(i, 0x8000 + i * LINE_BYTES, WORD, true);
    }
    spin(words, 1, 20);
    words.execute(3);
    for (unsigned i = 0; i < 8; i++) {
        words.access(i, 0x8000 + i % 4 * LINE_BYTES, WORD, false);
    }
    words.mark(8, LAXITY_MARK_JOB_FINISH);
    asked.programs = {words, a_job_that_spins(6), a_job_that_spins(6)};
    return asked;
}

/*
 * A line from memory takes 2 ticks, one from the other core 5. Moved: 2 for the line of the code
 * that it is at when it moves, 4 * 2 for lines that it stores to, and that core 0 has clean; and
 * 4 * 5 when it is back, for lines that core 1 has written.
 *
 * It moves the last time at 300. On core 0 it takes 2 + 4 * 3 ticks to the loop, whose line takes
 * 2, so that at 50 it has done 34 of the 100 ticks of its loop. On core 1: 2 for the line, 66
 * ticks, 2 for the line of the stores, 4 * 3 for these, so that its second loop begins at 132: at
 * 300 it has done 168 ticks, 16 executions of ten instructions and 8 more.
 */
void check_written_elsewhere(const Told &told)
{
    for (const Call &call : told.calls) {
        if (call.what == Call::What::Finish && call.job.task == 0) {
            CHECK_EQUAL(call.job.migrations, 2);
            CHECK_EQUAL(call.job.counts.loads, 12);
            CHECK_EQUAL(call.job.counts.load_misses, 4 + 4);
            CHECK_EQUAL(call.job.counts.store_misses, 4);
            CHECK_EQUAL(call.job.counts.transfers, 4);
            CHECK_EQUAL(call.job.counts.moved_fetches, 1);
            CHECK_EQUAL(call.job.counts.moved_stores, 4);
            CHECK_EQUAL(call.job.counts.moved_loads, 4);
            CHECK_EQUAL(call.job.migrated_at, CODE + LINE_BYTES + std::uint64_t{8} * 4);
            CHECK_EQUAL(call.job.stall_moved_ns, 2 + 4 * 2 + 4 * 5);
            return;
        }
    }
    CHECK(false);
}

void a_line_that_was_written_on_another_core_is_missed_once_on_the_return(void)
{
    check_written_elsewhere(run_naive(written_elsewhere()));
    check_written_elsewhere(run_engine(written_elsewhere()));
}

/*
 * Eight stores write all of a line: the first one misses, the others join it. Then nothing is read
 * for the line, and it is there: two more stores hit. All their instructions lie in one line.
 */
void stores_to_a_line_that_merging_has_filled_hit(void)
{
    constexpr unsigned LONG_WORD = 3; /* eight bytes */
    constexpr unsigned WORDS = LINE_BYTES / 8;
    Case asked;
    asked.platform = a_platform(1, 4);
    asked.platform.fill_buffers = 2;
    asked.platform.store_entries = 2;
    asked.platform.merges_stores = true;
    asked.platform.memory.line_ticks = 1000;
    asked.tasks = {a_task(1, 1, 0)};
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(WORDS + 4, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    for (unsigned i = 0; i < WORDS + 2; i++) {
        words.access(i + 1, 0x8000 + std::uint64_t{i} % WORDS * 8, LONG_WORD, true);
    }
    words.mark(WORDS + 3, LAXITY_MARK_JOB_FINISH);
    asked.programs = {words};
    for (const Told &told : {run_naive(asked), run_engine(asked)}) {
        const laxity_sim_counts &counts = told.totals.cores[0];
        CHECK_EQUAL(counts.stores, WORDS + 2);
        CHECK_EQUAL(counts.store_misses, WORDS);
        CHECK_EQUAL(counts.joins, WORDS - 1);
        CHECK_EQUAL(counts.merged, 1);
    }
}

} // namespace

int main()
{
    RUN(a_core_loses_what_another_one_evicts_from_an_inclusive_level);
    RUN(a_line_that_was_written_on_another_core_is_missed_once_on_the_return);
    RUN(stores_to_a_line_that_merging_has_filled_hit);
    return test_exit_code();
}
