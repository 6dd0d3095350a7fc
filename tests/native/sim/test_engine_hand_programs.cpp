/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* As test_engine_hand.cpp: what tasks of one program share. */
#include "../test.h"
#include "case.hpp"
#include "hand.hpp"
#include "harness/mark_table.h"
#include "interface/engine.h"

#include <cstdint>
#include <vector>

namespace {

constexpr std::uint64_t PAGE = 4096;

/* Any line is there two ticks behind its miss. Task 1 preempts task 0; the code is shared. */
Case preempted()
{
    Case asked;
    asked.platform = a_platform(1, 1);
    asked.platform.instruction_ticks = 10;
    asked.platform.switch_ticks = 5;
    asked.tasks = {a_task(1, 1, 0), a_task(1, 2, 30)};
    asked.programs = {a_job(9, {}), a_job(1, {})};
    asked.shared[0] = {{CODE, CODE + PAGE}};
    return asked;
}

/*
 * Task 0: switch to 5, fetch to 7, instructions to 17, 27, 37. Task 1: switch to 42; its line is
 * there, its instruction to 52. Task 0: switch to 57, and nothing has evicted its line: six
 * instructions: 117.
 */
void tasks_of_one_program_share_its_lines(void)
{
    check(preempted(), {{1, 42, 52, 10, 0, 0, 0, 0}, {0, 5, 117, 90, 2, 0, 0, 1}});
}

/* The same addresses, and lines 64 of both have one place: fetched to 44, to 54; switch to 59,
 * fetched again to 61, six instructions: 121. */
void tasks_of_other_programs_share_nothing(void)
{
    Case asked = preempted();
    asked.tasks[1].program = 1;
    asked.shared[1] = asked.shared[0];
    check(asked, {{1, 42, 54, 10, 2, 0, 0, 0}, {0, 5, 121, 90, 2, 2, 0, 1}});
}

/* Each has its own page table: walks of 3 ticks before the lines. Task 0: fetched at 10, to 20, 30,
 * when task 1 is there: switch to 35, walked at 38, to 48. Task 0: switch to 53, seven
 * instructions: 123. */
void tasks_of_one_program_walk_for_pages_of_their_own(void)
{
    Case asked = preempted();
    asked.platform.itlb = {2 * PAGE, 2, LAXITY_SIM_LRU};
    asked.platform.walk_ticks = 3;
    check(asked, {{1, 35, 48, 10, 3, 0, 0, 0}, {0, 5, 123, 90, 5, 0, 0, 1}});
    check_counts(asked, &laxity_sim_counts::fetch_walks, 2);
}

/*
 * Tasks 0 and 2 are of one program. Task 0 fetches at 0, to 3; task 1 at 10, to 13, in place of
 * the line of the others' program; task 2 at 20, to 23: reload, as a task of its program had run
 * there.
 */
void what_a_program_has_lost_is_reloaded_by_any_of_its_tasks(void)
{
    Case asked;
    asked.platform = a_platform(1, 1);
    asked.tasks = {a_task(1, 1, 0), a_task(1, 1, 10), a_task(1, 1, 20)};
    asked.programs = {a_job(1, {}), a_job(1, {}), a_job(1, {})};
    asked.shared[0] = {{CODE, CODE + PAGE}};
    asked.tasks[1].program = 1;
    check(
        asked, {{0, 0, 3, 1, 2, 0, 0, 0}, {1, 10, 13, 1, 2, 0, 0, 0}, {2, 20, 23, 1, 0, 2, 0, 0}}
    );
}

/*
 * Sequential frames, two in a row; 3 ticks for a row that is not open, and any line takes 2
 * besides. Code and data of the task have its frames 0, 1 and 2: read at 5; in the open row, at 7;
 * in the next, at 13. The two pages of constants have frames 0 and 1 of the program, which are one
 * row: at 19, and at 22; one tick behind each load: 23.
 */
void frames_are_counted_for_the_program(void)
{
    constexpr std::uint64_t CONSTANTS = 0x9000;
    Case asked;
    asked.platform = a_platform(1, 1);
    asked.platform.placement = LAXITY_SIM_SEQUENTIAL;
    asked.platform.memory.row_lines = 128;
    asked.platform.memory.empty_ticks = 3;
    asked.platform.memory.conflict_ticks = 3;
    asked.tasks = {a_task(1, 1, 0)};
    asked.programs = {a_job(4, {0x20000, 0x30000, CONSTANTS, CONSTANTS + PAGE})};
    asked.shared[0] = {{CONSTANTS, CONSTANTS + 2 * PAGE}};
    check(asked, {{0, 0, 23, 4, 19, 0, 0, 0}});
}

/* A load, then instructions of nothing, then a store of four bytes. */
Case stored_at(std::uint64_t address, bool is_behind_load)
{
    Case asked;
    asked.platform = a_platform(1, 2);
    asked.shared[0] = {{0x9000, 0x9000 + PAGE}};
    asked.tasks = {a_task(1, 1, 0)};
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(6, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    words.access(1, 0x20000, WORD, false);
    words.access(is_behind_load ? 1 : 3, address, WORD, true);
    words.access(4, 0x20040, WORD, false);
    words.mark(5, LAXITY_MARK_JOB_FINISH);
    asked.programs = {words};
    return asked;
}

void check_failure(const Case &asked, std::int64_t want_ns)
{
    for (const Told &told : {run_naive(asked), run_engine(asked)}) {
        CHECK_EQUAL(told.calls.back().what, Call::What::End);
        CHECK_EQUAL(told.calls.back().end, LAXITY_SIM_END_FAILED);
        CHECK_EQUAL(told.calls.back().end_ns, want_ns);
        CHECK_EQUAL(told.totals.cores[0].stores, 0);
        CHECK_EQUAL(told.totals.cores[0].loads, 1);
        CHECK_EQUAL(told.totals.cores[0].instructions, 1);
    }
}

/* Fetched at 2, loaded at 4, one tick: 5. The program ends behind the load, not before the store.
 * A store that touches the range with its last byte alone does so, too. */
void a_store_into_a_shared_range_ends_the_program_behind_the_access_before(void)
{
    check_failure(stored_at(0x9000, false), 5);
    check_failure(stored_at(0x9000 + PAGE - 4, false), 5);
    check_failure(stored_at(0x9000 - 3, false), 5);
    check_failure(stored_at(0x9000, true), 5);
}

/* Loaded at 4; ticks to 5, 6; stored at 8, 9; loaded at 11, 12. */
void a_store_beside_a_shared_range_is_one(void)
{
    check(stored_at(0x9000 - 4, false), {{0, 0, 12, 4, 8, 0, 0, 0}});
    check(stored_at(0x9000 + PAGE, false), {{0, 0, 12, 4, 8, 0, 0, 0}});
}

/* The range begins within a line. Of three stores to the line the second hits, the third touches
 * the range. */
void a_store_into_a_shared_range_ends_the_program_behind_stores_to_its_line(void)
{
    Case asked = stored_at(0x9000 + PAGE, false);
    asked.shared[0] = {{0x9010, 0x9000 + PAGE}};
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(6, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    words.access(1, 0x9000, WORD, true);
    words.access(2, 0x9004, WORD, true);
    words.access(3, 0x9010, WORD, true);
    words.mark(5, LAXITY_MARK_JOB_FINISH);
    asked.programs = {words};
    for (const Told &told : {run_naive(asked), run_engine(asked)}) {
        CHECK_EQUAL(told.calls.back().end, LAXITY_SIM_END_FAILED);
        CHECK_EQUAL(told.totals.cores[0].stores, 2);
    }
}

/* Two tasks; the program of the second one fails at once. */
Case one_that_fails_at_once(bool is_corunner)
{
    Case asked;
    asked.platform = a_platform(2, 1);
    asked.tasks = {a_task(1, 1, 0), a_task(2, 1, 0)};
    asked.tasks[1].program = 1;
    asked.tasks[1].is_corunner = is_corunner;
    Words words;
    words.define(CODE, {4});
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    asked.programs = {a_job(9, {}), words};
    return asked;
}

void check_failed_at(const Told &told, std::int64_t end_ns)
{
    for (const Call &call : told.calls) {
        if (call.what == Call::What::End && call.job.task == 1) {
            CHECK_EQUAL(call.end, LAXITY_SIM_END_FAILED);
            CHECK_EQUAL(call.end_ns, end_ns);
        }
    }
}

/* Its program has ended behind the mark of its start: of a task that is told its end lies behind
 * its start, of a co-runner, whose start nobody is told, where it is. */
void a_corunner_that_fails_at_once_ends_at_its_start(void)
{
    for (const bool is_corunner : {true, false}) {
        const Case asked = one_that_fails_at_once(is_corunner);
        check_failed_at(run_naive(asked), is_corunner ? 0 : 1);
        check_failed_at(run_engine(asked), is_corunner ? 0 : 1);
    }
}

/* A job whose second access comes before its first one, then executes for long what it has executed
 * before; a co-runner on another core. */
Case one_out_of_order(void)
{
    constexpr unsigned LONG = 50;
    Case asked;
    asked.platform = a_platform(2, 4);
    asked.tasks = {a_task(1, 1, 0), a_task(2, 1, 0)};
    asked.tasks[1].program = 1;
    asked.tasks[1].is_corunner = true;
    std::vector<Words> programs(2);
    for (Words &words : programs) {
        words.define(CODE, {4});
        words.define(CODE + LINE_BYTES, std::vector<std::uint8_t>(10, 4));
        words.define(CODE + 2 * LINE_BYTES, std::vector<std::uint8_t>(10, 4));
        words.execute(0);
        words.mark(0, LAXITY_MARK_JOB_START);
        words.execute(1);
        if (&words == programs.data()) {
            words.execute(2);
            words.access(5, 0x8000, WORD, false);
            words.access(3, 0x8004, WORD, false);
        }
        for (unsigned i = 0; i < LONG; i++) {
            words.execute(1);
        }
        words.execute(0);
        words.mark(1, LAXITY_MARK_JOB_FINISH);
    }
    asked.programs = programs;
    return asked;
}

/*
 * The job: its first line is there at 2, the second at 3 + 2, the third at 15 + 2; at 17 + 5 it
 * loads a line that is there at 24. Then it fails after 1 + 10 + 5 instructions, and all ends. The
 * co-runner: lines at 3 and 4 + 2, so that it has executed 1 + (24 - 6) instructions.
 */
void a_corunner_goes_no_further_than_a_job_that_fails_by_an_access_out_of_order(void)
{
    const Case asked = one_out_of_order();
    for (const Told &told : {run_naive(asked), run_engine(asked)}) {
        CHECK_EQUAL(told.totals.cores[0].instructions, 16);
        CHECK_EQUAL(told.totals.cores[1].instructions, 19);
    }
}

} // namespace

int main()
{
    RUN(tasks_of_one_program_share_its_lines);
    RUN(tasks_of_other_programs_share_nothing);
    RUN(tasks_of_one_program_walk_for_pages_of_their_own);
    RUN(what_a_program_has_lost_is_reloaded_by_any_of_its_tasks);
    RUN(frames_are_counted_for_the_program);
    RUN(a_store_into_a_shared_range_ends_the_program_behind_the_access_before);
    RUN(a_store_into_a_shared_range_ends_the_program_behind_stores_to_its_line);
    RUN(a_store_beside_a_shared_range_is_one);
    RUN(a_corunner_that_fails_at_once_ends_at_its_start);
    RUN(a_corunner_goes_no_further_than_a_job_that_fails_by_an_access_out_of_order);
    return test_exit_code();
}
