/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Cases so small that a hand calculates them; both engines must tell the same figures. */
#include "../test.h"
#include "case.hpp"
#include "hand.hpp"
#include "harness/mark_table.h"
#include "interface/engine.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

/* A fetch and a load, through one level, to one bank. */
Case two_misses()
{
    Case asked;
    asked.platform = a_platform(1, 1);
    asked.platform.n_levels = 1;
    asked.platform.levels[0].cache = {8 * LINE_BYTES, 2, LAXITY_SIM_LRU};
    asked.platform.levels[0].cores = 1;
    asked.platform.levels[0].hit_ticks = 10;
    laxity_sim_memory &memory = asked.platform.memory;
    memory.request_ticks = 3;
    memory.response_ticks = 4;
    memory.hit_ticks = 5;
    memory.empty_ticks = 11;
    memory.conflict_ticks = 17;
    memory.line_ticks = 6;
    asked.tasks = {a_task(1, 1, 0)};
    asked.programs = {a_job(1, {0x8000})};
    return asked;
}

/*
 * Fetch: sent at 0, arrives at 0 + 10 + 3 = 13, decided then; no row is open: 13 + 11 + 6 = 30,
 * here at 30 + 4 = 34. Load: arrives at 34 + 13 = 47. Lines 0x1000 / 64 = 64 and 0x8000 / 64 = 512
 * are in rows 16 and 128: 47 + 17 + 6 = 70, here at 74. One tick: 75.
 */
void a_miss_takes_the_way_to_memory_and_back(void)
{
    check(two_misses(), {{0, 0, 75, 1, 74, 0, 0, 0}});
}

/* Line 65 is in the row of line 64: 47 + 5 + 6 = 58, here at 62. */
void an_open_row_is_faster(void)
{
    Case asked = two_misses();
    asked.programs = {a_job(1, {CODE + LINE_BYTES})};
    check(asked, {{0, 0, 63, 1, 62, 0, 0, 0}});
}

/* Nothing of the job needs what is loaded: fetched at 34, one tick. */
void a_job_ends_before_its_last_load(void)
{
    Case asked = two_misses();
    asked.platform.fill_buffers = 1;
    check(asked, {{0, 0, 35, 1, 34, 0, 0, 0}});
}

/* As above, but the second load finds the only buffer taken until 74; it is sent then, and its row
 * is open: 74 + 13 + 5 + 6 = 98, which nobody waits for. The ticks of both: 34 + 1, 74 + 1. */
void a_load_waits_for_a_fill_buffer(void)
{
    Case asked = two_misses();
    asked.platform.fill_buffers = 1;
    asked.programs = {a_job(2, {0x8000, 0x8040})};
    /* Waited: 0 to 34, and 35 to 74. */
    check(asked, {{0, 0, 75, 2, 73, 0, 0, 0}});
}

/* Eight loads, one an instruction, that nobody waits for; the way to memory takes 20. */
Case eight_loads(std::uint32_t fill_buffers, std::uint32_t read_queue)
{
    Case asked;
    asked.platform = a_platform(1, 8);
    asked.platform.fill_buffers = fill_buffers;
    asked.platform.memory.request_ticks = 20;
    asked.platform.memory.read_queue = read_queue;
    asked.tasks = {a_task(1, 1, 0)};
    std::vector<std::uint64_t> loads(8);
    for (std::size_t i = 0; i < loads.size(); i++) {
        loads[i] = 0x8000 + i * LINE_BYTES;
    }
    asked.programs = {a_job(8, loads)};
    return asked;
}

/*
 * A read is decided 20 ticks after it is sent, and there after 21. Fetched at 21. One buffer: each
 * load is sent when the one before it is there, the last at 21 * 8 = 168; one tick. Two: at 21 and
 * 22, 42 and 43, 63 and 64, 84 and 85. Four: at 21 to 24, and 42 to 45. Eight: the queue has room
 * for four, and for a fifth when the first is decided, at 41, so that the last is sent at 44; if it
 * has room for all, at 28.
 */
void independent_loads_overlap_as_far_as_buffers_and_queue_reach(void)
{
    check(eight_loads(1, 4), {{0, 0, 169, 8, 161, 0, 0, 0}});
    check(eight_loads(2, 4), {{0, 0, 86, 8, 78, 0, 0, 0}});
    check(eight_loads(4, 4), {{0, 0, 46, 8, 38, 0, 0, 0}});
    check(eight_loads(8, 4), {{0, 0, 45, 8, 37, 0, 0, 0}});
    check(eight_loads(16, 4), {{0, 0, 45, 8, 37, 0, 0, 0}});
    check(eight_loads(8, 8), {{0, 0, 29, 8, 21, 0, 0, 0}});
}

/* Fetched at 34; the first load is here at 74. Line 517 is in row 129 and in the set of
 * line 513: arrives at 75 + 13 = 88, 88 + 17 + 6 = 111, here at 115. */
Case three_loads(laxity_sim_inclusion inclusion, std::uint64_t level_lines, std::uint64_t second)
{
    Case asked = two_misses();
    asked.platform.levels[0].cache = {level_lines * LINE_BYTES, 1, LAXITY_SIM_LRU};
    asked.platform.levels[0].inclusion = inclusion;
    asked.programs = {a_job(3, {0x8040, second, 0x8040})};
    return asked;
}

/* The third load finds line 513 in l1d, which has two ways, unless the level has taken it out: at
 * 116 + 13 = 129 its row 128 is not open: 129 + 17 + 6 = 152, here at 156. */
void an_inclusive_level_takes_what_it_evicts_out_of_the_first(void)
{
    for (const bool is_inclusive : {false, true}) {
        Case asked =
            three_loads(is_inclusive ? LAXITY_SIM_INCLUSIVE : LAXITY_SIM_NEITHER, 4, 0x8140);
        asked.platform.l1d = {4 * LINE_BYTES, 2, LAXITY_SIM_LRU};
        check(asked, {{0, 0, is_inclusive ? 157 : 117, 3, is_inclusive ? 154 : 114, 0, 0, 0}});
    }
}

/*
 * Lines 513 and 515 have one place in l1d, and are in one row: the second load arrives at 88,
 * 88 + 5 + 6 = 99, here at 103. The level is one line: that of the second load, so that the third
 * arrives at 104 + 13 = 117, 117 + 5 + 6 = 128, here at 132; or, if it is exclusive, the line that
 * l1d has evicted: 104 + 10 = 114.
 */
void an_exclusive_level_holds_what_the_first_has_evicted(void)
{
    check(three_loads(LAXITY_SIM_NEITHER, 1, 0x80c0), {{0, 0, 133, 3, 130, 0, 0, 0}});
    check(three_loads(LAXITY_SIM_EXCLUSIVE, 1, 0x80c0), {{0, 0, 115, 3, 112, 0, 0, 0}});
}

/*
 * Line 513 is stored to, evicted by 515, moves up again and is evicted by 517: it is dirty in the
 * level all the same, so that it is written when the level takes 517 in its place.
 */
void a_dirty_line_stays_so_when_it_moves_up(void)
{
    Case asked = three_loads(LAXITY_SIM_EXCLUSIVE, 1, 0x80c0);
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(7, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    words.access(1, 0x8040, WORD, true);
    words.access(2, 0x80c0, WORD, false);
    words.access(3, 0x8040, WORD, false);
    words.access(4, 0x8140, WORD, false);
    words.access(5, 0x81c0, WORD, false);
    words.mark(6, LAXITY_MARK_JOB_FINISH);
    asked.programs = {words};
    check_counts(asked, &laxity_sim_counts::writes, 1);
}

/* The load is here at 74; the store waits for the level, which holds the line: 75 + 10 = 85. */
void a_store_that_is_written_through_waits_for_the_level(void)
{
    Case asked = two_misses();
    asked.platform.writes_through = true;
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(4, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    words.access(1, 0x8000, WORD, false);
    words.access(2, 0x8000, WORD, true);
    words.mark(3, LAXITY_MARK_JOB_FINISH);
    asked.programs = {words};
    check(asked, {{0, 0, 86, 2, 84, 0, 0, 0}});
    check_counts(asked, &laxity_sim_counts::stores, 1);
    check_counts(asked, &laxity_sim_counts::store_misses, 0); /* l1d holds it */
}

/* The instruction at CODE + 4 four times, each time two lines further. */
Case strided_loads()
{
    Case asked = two_misses();
    asked.platform.levels[0].prefetch = LAXITY_SIM_PREFETCH_STRIDE;
    Words words;
    words.define(CODE, {4});
    words.define(CODE + 4, {4});
    words.define(CODE + 8, {4});
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    for (std::uint64_t i = 0; i < 4; i++) {
        words.execute(1);
        words.access(0, 0x8000 + 2 * i * LINE_BYTES, WORD, false);
    }
    words.execute(2);
    words.mark(0, LAXITY_MARK_JOB_FINISH);
    asked.programs = {words};
    return asked;
}

/*
 * Lines 512, 514, 516, 518: here at 74, then 88 + 5 + 6 = 99 and 4: 103, then in the next row
 * 117 + 17 + 6 = 140 and 4: 144. The third is the second time that the stride is 2, so that 518 is
 * read behind it: decided at 140 - 5 = 135, its row is open: 140 + 6 = 146, here at 150. The fourth
 * load finds it in the level: 145 + 10 = 155.
 */
void a_stride_seen_twice_is_prefetched(void)
{
    const Case asked = strided_loads();
    check(asked, {{0, 0, 156, 4, 152, 0, 0, 0}});
    for (const Told &told : {run_naive(asked), run_engine(asked)}) {
        CHECK_EQUAL(told.totals.cores[0].levels[0].prefetches, 1);
    }
}

/*
 * Rows of 128 lines. The page of the code comes first and has frame 0, that of the data frame 1:
 * its first line is number 64, in row 0, which is open: 47 + 5 + 6 = 58, here at 62. By its own
 * number it is 512, in row 4: 74, as above.
 */
void sequential_frames_are_given_in_the_order_of_first_use(void)
{
    Case asked = two_misses();
    asked.platform.memory.row_lines = 128;
    check(asked, {{0, 0, 75, 1, 74, 0, 0, 0}});
    asked.platform.placement = LAXITY_SIM_SEQUENTIAL;
    check(asked, {{0, 0, 63, 1, 62, 0, 0, 0}});
}

/* Any line arrives two ticks behind its miss: at t + 1 it is decided, and transferred in one tick.
 */
Case preempted(std::uint32_t ways)
{
    Case asked;
    asked.platform = a_platform(1, ways);
    asked.platform.instruction_ticks = 10;
    asked.platform.switch_ticks = 5;
    asked.tasks = {a_task(1, 1, 0), a_task(1, 2, 30)};
    asked.programs = {a_job(9, {}), a_job(1, {})};
    return asked;
}

/*
 * Task 0: switch to 5, fetch to 7, instructions to 17, 27, 37. Task 1, released at 30, waits until
 * 37: switch to 42, fetch to 44, its instruction to 54. Task 0: switch to 59, six instructions:
 * 119.
 */
void a_preemption_happens_between_instructions(void)
{
    check(preempted(2), {{1, 42, 54, 10, 2, 0, 0, 0}, {0, 5, 119, 90, 2, 0, 0, 1}});
}

/* As above: core 0 is handed from one to the other at 37 and at 54, each a switch of 5 before it.
 */
void turns_of_two_tasks_on_one_core_are_told(void)
{
    check_turns(
        preempted(2),
        {{0, 0, LAXITY_SIM_TURN_SWITCH, 0},
         {0, 0, LAXITY_SIM_TURN_ON, 5},
         {0, 0, LAXITY_SIM_TURN_PREEMPTED, 37},
         {0, 1, LAXITY_SIM_TURN_SWITCH, 37},
         {0, 1, LAXITY_SIM_TURN_ON, 42},
         {0, 1, LAXITY_SIM_TURN_OFF, 54},
         {0, 0, LAXITY_SIM_TURN_SWITCH, 54},
         {0, 0, LAXITY_SIM_TURN_ON, 59},
         {0, 0, LAXITY_SIM_TURN_OFF, 119}}
    );
}

/*
 * All fit into the caches of their cores, a line is there 2 behind its miss, plus 1 behind that of
 * another core that asks at the same tick. Task 0 on core 0: on from 5, fetch to 7, one instruction
 * to 17. Task 1 on core 1 at the same time: fetch to 8, nine instructions of 10: 98. Task 2, of the
 * least priority, may run on both: core 0 is idle at 17; switch to 22, fetch to 24, one instruction
 * to 34.
 */
void turns_of_three_tasks_on_two_cores_are_told(void)
{
    Case asked = preempted(2);
    asked.platform.cores = 2;
    asked.tasks = {a_task(1, 2, 0), a_task(2, 2, 0), a_task(3, 1, 0)};
    asked.programs = {a_job(1, {}), a_job(9, {}), a_job(1, {})};
    check_turns(
        asked,
        {{0, 0, LAXITY_SIM_TURN_SWITCH, 0},
         {1, 1, LAXITY_SIM_TURN_SWITCH, 0},
         {0, 0, LAXITY_SIM_TURN_ON, 5},
         {1, 1, LAXITY_SIM_TURN_ON, 5},
         {0, 0, LAXITY_SIM_TURN_OFF, 17},
         {0, 2, LAXITY_SIM_TURN_SWITCH, 17},
         {0, 2, LAXITY_SIM_TURN_ON, 22},
         {0, 2, LAXITY_SIM_TURN_OFF, 34},
         {1, 1, LAXITY_SIM_TURN_OFF, 98}}
    );
}

/* Lines 64 of both tasks have one place: task 0 fetches its own again, from 59 to 61. */
void what_a_preemption_has_evicted_is_reloaded(void)
{
    check(preempted(1), {{1, 42, 54, 10, 2, 0, 0, 0}, {0, 5, 121, 90, 2, 2, 0, 1}});
}

/*
 * Both cores fetch at 0, arriving at 1. Core 0 is first: 1 + 8 + 2 = 11, here at 12; granted 10.
 * The bus is free at 11, so the other is decided at 11 - 4 = 7; its bank is ready at 11 and has the
 * row of core 0 open: 11 + 12 + 2 = 25, here at 26. Of these 26 it was held up for 10 + (12 - 4)
 * = 18.
 */
void a_row_of_another_core_holds_up(void)
{
    Case asked;
    asked.platform = a_platform(2, 1);
    laxity_sim_memory &memory = asked.platform.memory;
    memory.response_ticks = 1;
    memory.hit_ticks = 4;
    memory.empty_ticks = 8;
    memory.conflict_ticks = 12;
    memory.line_ticks = 2;
    asked.tasks = {a_task(1, 1, 0), a_task(2, 1, 0)};
    asked.programs = {a_job(1, {}), a_job(1, {})};
    check(asked, {{0, 0, 13, 1, 12, 0, 0, 0}, {1, 0, 27, 1, 8, 0, 18, 0}});
}

/*
 * Rows that are opened at once, and an open one that takes 10. The code is fetched at 0: arrives
 * and is decided at 1, here at 2. Both loads of the first instruction are sent at 2 and arrive at
 * 3, lines 512 and 513, of one row. The one is decided at 3: 3 + 0 + 1 = 4; the other, though the
 * bus would be free in time, at 4: 4 + 10 + 1 = 15. The second instruction's loads wait for a fill
 * buffer each: from 3 to 4, and to 15.
 */
void a_channel_decides_once_at_a_tick(void)
{
    Case asked;
    asked.platform = a_platform(1, 2);
    asked.platform.fill_buffers = 2;
    asked.platform.memory.hit_ticks = 10;
    asked.tasks = {a_task(1, 1, 0)};
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(4, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    words.access(1, 0x8000, WORD, false);
    words.access(1, 0x8040, WORD, false);
    words.access(2, 0x8080, WORD, false);
    words.access(2, 0x80c0, WORD, false);
    words.mark(3, LAXITY_MARK_JOB_FINISH);
    asked.programs = {words};
    check(asked, {{0, 0, 16, 2, 14, 0, 0, 0}});
}

/*
 * The line of the block is there at 2, what the first instruction loads at 4, and it takes 1: the
 * second one begins at 5, and needs nothing. The first mark has no instruction before it, the
 * second one. The instruction with the finish mark is none of the job, nor is its mark.
 */
void marks_are_made_when_all_is_there_that_their_instructions_need(void)
{
    Case asked;
    asked.platform = a_platform(1, 2);
    asked.tasks = {a_task(1, 1, 0)};
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(4, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    words.access(1, 0x8000, WORD, false);
    words.mark(1, LAXITY_MARK_PHASES + 8);
    words.mark(2, LAXITY_MARK_WIDE_PROBE);
    words.mark(3, LAXITY_MARK_PHASES + 9);
    words.mark(3, LAXITY_MARK_JOB_FINISH);
    asked.programs = {words};
    const Told told = run_engine(asked);
    CHECK_EQUAL(told.marks[0].size(), 2);
    CHECK_EQUAL(told.marks[0][0].which, LAXITY_MARK_PHASES + 8);
    CHECK_EQUAL(told.marks[0][0].time_ns, 4);
    CHECK_EQUAL(told.marks[0][0].instructions, 0);
    CHECK_EQUAL(told.marks[0][1].which, LAXITY_MARK_WIDE_PROBE);
    CHECK_EQUAL(told.marks[0][1].time_ns, 5);
    CHECK_EQUAL(told.marks[0][1].instructions, 1);
    check(asked, {{0, 0, 6, 2, 4, 0, 0, 0}});
}

/*
 * Three executions of a block that branches to itself, between one before it and the one with the
 * finish mark. Its only line is there at 2; all seven instructions take one tick each.
 */
Case branches(std::uint32_t n_entries)
{
    Case asked;
    asked.platform = a_platform(1, 2);
    asked.platform.predictor_entries = n_entries;
    asked.platform.mispredict_ticks = 7;
    asked.tasks = {a_task(1, 1, 0)};
    Words words;
    words.define(CODE, {4, 4});
    words.define(CODE + 8, {4, 4});
    words.define(CODE + 16, {4});
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    words.execute(1);
    words.execute(1);
    words.execute(1);
    words.execute(2);
    words.mark(0, LAXITY_MARK_JOB_FINISH);
    asked.programs = {words};
    return asked;
}

/*
 * The branches are at 0x1004 and 0x100c: counters 0x802 mod 8 = 2 and 0x806 mod 8 = 6, both 1. The
 * first one is not taken, as predicted. The other one is taken (1, wrong), taken (2), not taken (3,
 * wrong): 7 instructions and twice 7 ticks, 2 + 7 + 14 = 23.
 */
void a_branch_is_predicted_by_what_it_did_before(void)
{
    check(branches(8), {{0, 0, 23, 21, 2, 0, 0, 0}});
    check_counts(branches(8), &laxity_sim_counts::mispredictions, 2);
}

/* With four they are one counter, 0x802 mod 4 = 0x806 mod 4 = 2: not taken (1), taken (0, wrong),
 * taken (1, wrong), not taken (2, wrong): 2 + 7 + 21 = 30. */
void branches_may_share_a_counter(void)
{
    check(branches(4), {{0, 0, 30, 28, 2, 0, 0, 0}});
    check_counts(branches(4), &laxity_sim_counts::mispredictions, 3);
}

/* Every 20 ticks, of 5, with a line of code and one of data; instructions take 10. */
Case interrupted(std::uint32_t ways)
{
    Case asked = preempted(ways);
    asked.platform.switch_ticks = 0;
    asked.platform.timer_interval = 20;
    asked.platform.timer_ticks = 5;
    asked.platform.timer_code_lines = 1;
    asked.platform.timer_data_lines = 1;
    asked.tasks.pop_back();
    asked.programs.pop_back();
    return asked;
}

/*
 * Fetched at 2, instructions to 12, 22. The interrupt of 20: lines to 24 and 26, then to 31. To 41;
 * those of 40, 60, 80 and 100 find their lines: 46, instructions to 56, 66; 71, to 81; 86, to 96,
 * 106; 111, the ninth to 121, where the job ends before the interrupt of 120.
 */
void a_timer_interrupts_between_instructions(void)
{
    check(interrupted(2), {{0, 0, 121, 90, 2, 0, 0, 0}});
    /* Its own line is looked up at first and behind each of five interrupts, each with a fetch. */
    check_counts(interrupted(2), &laxity_sim_counts::fetches, 1 + 5 + 5);
    check_counts(interrupted(2), &laxity_sim_counts::loads, 5);
}

/* Line 64 and the kernel's 2^33 have one place: fetched again from 31 to 33, the third instruction
 * to 43. */
void what_an_interrupt_has_evicted_is_reloaded(void)
{
    Case asked = interrupted(1);
    asked.programs = {a_job(3, {})};
    check(asked, {{0, 0, 43, 30, 2, 2, 0, 0}});
    check_counts(asked, &laxity_sim_counts::lost_fetches, 1);
}

/*
 * Task 0: switch to 5, fetch to 7, instructions to 17, 27; interrupt to 29, 31, 36. Task 1,
 * released at 30, goes first from 36 on: switch to 41, fetch to 43 in place of line 64 of task 0,
 * which was used the longest ago; to 53. Task 0: switch to 58, fetch to 60, its third instruction
 * to 70.
 */
void a_stop_in_an_interrupt_happens_behind_it(void)
{
    Case asked = interrupted(2);
    asked.platform.switch_ticks = 5;
    asked.tasks = {a_task(1, 1, 0), a_task(1, 2, 30)};
    asked.programs = {a_job(3, {}), a_job(1, {})};
    check(asked, {{1, 41, 53, 10, 2, 0, 0, 0}, {0, 5, 70, 30, 2, 2, 0, 1}});
}

/*
 * A TLB of one page, walks of two loads and 3 ticks. Fetched at 2. Page 8: its entries are at 2^47
 * + 2^40, there at 4, and at 2^47 + 64, there at 6; walked at 9, loaded at 11, one tick: 12. Page
 * 9: its entries are in the same two lines; walked at 15, loaded at 17, one tick: 18.
 */
void a_page_that_is_missed_is_walked_for(void)
{
    Case asked;
    asked.platform = a_platform(1, 2);
    asked.platform.dtlb = {4096, 1, LAXITY_SIM_LRU};
    asked.platform.walk_loads = 2;
    asked.platform.walk_ticks = 3;
    asked.tasks = {a_task(1, 1, 0)};
    asked.programs = {a_job(2, {0x8000, 0x9000})};
    check(asked, {{0, 0, 18, 2, 16, 0, 0, 0}});
    check_counts(asked, &laxity_sim_counts::data_walks, 2);
    check_counts(asked, &laxity_sim_counts::fetch_walks, 0);
    check_counts(asked, &laxity_sim_counts::loads, 2 + 2 * 2);
}

/*
 * As what_a_preemption_has_evicted_is_reloaded, with walks of 3 ticks and no load. Task 0: switch
 * to 5, walked at 8, fetched at 10, instructions to 20, 30. Task 1: switch to 35, walked at 38,
 * fetched at 40, to 50. Task 0: switch to 55, its page was replaced: walked at 58, its line is
 * there: to 68.
 */
void a_page_that_another_task_has_replaced_is_reloaded(void)
{
    Case asked = preempted(2);
    asked.platform.itlb = {4096, 1, LAXITY_SIM_LRU};
    asked.platform.walk_ticks = 3;
    asked.tasks = {a_task(1, 1, 0), a_task(1, 2, 25)};
    asked.programs = {a_job(3, {}), a_job(1, {})};
    check(asked, {{1, 35, 50, 10, 5, 0, 0, 0}, {0, 5, 68, 30, 5, 3, 0, 1}});
    check_counts(asked, &laxity_sim_counts::fetch_walks, 3);
}

/*
 * A line is there 22 behind its miss. Fetched at 22; the entry of page 8, at 2^47 + 64, is there at
 * 44, where the load is sent, which has the only buffer until 66; one tick: 45. The entry of page
 * 16, at 2^47 + 128, is asked for at 45 all the same, and is there at 67. The load finds a buffer;
 * one tick: 68.
 */
void a_walk_needs_no_fill_buffer(void)
{
    Case asked;
    asked.platform = a_platform(1, 2);
    asked.platform.fill_buffers = 1;
    asked.platform.memory.response_ticks = 20;
    asked.platform.dtlb = {std::uint64_t{2} * 4096, 2, LAXITY_SIM_LRU};
    asked.platform.walk_loads = 1;
    asked.tasks = {a_task(1, 1, 0)};
    asked.programs = {a_job(2, {0x8000, 0x10000})};
    check(asked, {{0, 0, 68, 2, 66, 0, 0, 0}});
}

} // namespace

int main()
{
    RUN(a_miss_takes_the_way_to_memory_and_back);
    RUN(an_open_row_is_faster);
    RUN(a_job_ends_before_its_last_load);
    RUN(a_load_waits_for_a_fill_buffer);
    RUN(independent_loads_overlap_as_far_as_buffers_and_queue_reach);
    RUN(an_inclusive_level_takes_what_it_evicts_out_of_the_first);
    RUN(an_exclusive_level_holds_what_the_first_has_evicted);
    RUN(a_dirty_line_stays_so_when_it_moves_up);
    RUN(a_store_that_is_written_through_waits_for_the_level);
    RUN(a_stride_seen_twice_is_prefetched);
    RUN(sequential_frames_are_given_in_the_order_of_first_use);
    RUN(a_preemption_happens_between_instructions);
    RUN(turns_of_two_tasks_on_one_core_are_told);
    RUN(turns_of_three_tasks_on_two_cores_are_told);
    RUN(what_a_preemption_has_evicted_is_reloaded);
    RUN(a_row_of_another_core_holds_up);
    RUN(a_channel_decides_once_at_a_tick);
    RUN(marks_are_made_when_all_is_there_that_their_instructions_need);
    RUN(a_branch_is_predicted_by_what_it_did_before);
    RUN(branches_may_share_a_counter);
    RUN(a_timer_interrupts_between_instructions);
    RUN(what_an_interrupt_has_evicted_is_reloaded);
    RUN(a_stop_in_an_interrupt_happens_behind_it);
    RUN(a_page_that_is_missed_is_walked_for);
    RUN(a_page_that_another_task_has_replaced_is_reloaded);
    RUN(a_walk_needs_no_fill_buffer);
    return test_exit_code();
}
