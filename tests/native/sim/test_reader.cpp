/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What of a program's words is understood, and what is refused. */
#include "../test.h"
#include "engine/reader.hpp"
#include "harness/mark_table.h"
#include "interface/engine.h"
#include "interface/records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

using laxity::Event;

constexpr std::uint64_t word(std::uint64_t kind, std::uint64_t rest)
{
    return kind << LAXITY_RECORD_KIND_SHIFT | rest;
}

constexpr std::uint64_t BLOCK = word(LAXITY_SIM_BLOCK, 0);
constexpr std::uint64_t EXECUTION = word(LAXITY_SIM_EXECUTION, 0);
constexpr std::uint64_t CALL = word(LAXITY_SIM_CALL, 0);
constexpr std::uint64_t SIZES = 0x0204; /* of two instructions: 4 and 2 bytes */
constexpr std::uint64_t CODE = 0x665544332211;
constexpr std::uint64_t STORE = std::uint64_t{1} << LAXITY_RECORD_STORE_SHIFT;
constexpr std::uint64_t FOUR_BYTES = std::uint64_t{2} << LAXITY_RECORD_SIZE_SHIFT;
constexpr std::uint64_t SECOND = std::uint64_t{1} << LAXITY_RECORD_INDEX_SHIFT;
constexpr std::uint64_t START = STORE | (LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_START);
constexpr std::uint64_t FINISH = STORE | (LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_FINISH);
constexpr std::uint64_t FORBIDDEN = 13;
constexpr std::uint64_t FIRST_LINE = 1000;
constexpr std::uint64_t CLOCK_ADDRESS = 0x2000; /* of a block that reads one */

/* A program, and what it was asked. */
struct Given {
    std::vector<std::uint64_t> words;
    std::size_t at = 0;
    std::size_t at_once = SIZE_MAX; /* words that a read gives at most */
    std::uint64_t n_calls = 0;
    bool was_in_job = false;
    std::string clock = {};         /* told last */
    std::vector<std::uint8_t> code; /* of the block decoded last */
};

std::size_t read(void *context, std::uint64_t *words, std::size_t n)
{
    auto *const given = static_cast<Given *>(context);
    n = std::min({n, given->words.size() - given->at, given->at_once});
    std::copy_n(given->words.begin() + static_cast<std::ptrdiff_t>(given->at), n, words);
    given->at += n;
    return n;
}

const char *why_ended(void *context)
{
    (void)context;
    return "it has exited";
}

void decode(
    void *context,
    std::uint64_t address,
    const std::uint8_t *code,
    laxity_sim_instruction *instructions,
    std::uint32_t n_instructions
)
{
    auto *const given = static_cast<Given *>(context);
    std::size_t n_bytes = 0;
    for (std::uint32_t i = 0; i < n_instructions; i++) {
        n_bytes += instructions[i].bytes;
    }
    given->code.assign(code, code + n_bytes);
    instructions[0].ticks = static_cast<std::uint16_t>(address == 0x1000 ? 7 : 1);
    instructions[0].writes[0] = 1;
    instructions[0].clock = address == CLOCK_ADDRESS ? "mftb" : nullptr;
}

bool may_call(void *context, std::uint64_t number, bool is_in_job)
{
    auto *const given = static_cast<Given *>(context);
    given->n_calls++;
    given->was_in_job = is_in_job;
    return number != FORBIDDEN;
}

void on_clock(void *context, const char *clock)
{
    static_cast<Given *>(context)->clock = clock;
}

const char *why_not(void *context)
{
    (void)context;
    return "it asks for the time";
}

laxity::Reader reader_of(Given &given, std::uint32_t instruction_ticks = 3)
{
    laxity_sim_task task{};
    task.source = {.context = &given, .read = read, .why = why_ended};
    task.decoder = {.context = &given, .decode = decode};
    task.judge = {.context = &given, .may_call = may_call, .on_clock = on_clock, .why = why_not};
    laxity_sim_platform platform{};
    platform.line_bytes = 32;
    platform.instruction_ticks = instruction_ticks;
    return laxity::Reader{task, FIRST_LINE, platform};
}

/* Why a program of these words has ended. */
std::string end_of(const std::vector<std::uint64_t> &words)
{
    Given given{.words = words, .code = {}};
    laxity::Reader reader = reader_of(given);
    while (reader.peek() != Event::End) {
        reader.take();
    }
    CHECK(reader.peek() == Event::End); /* for good */
    return reader.why();
}

/* Two instructions, executed in a job; the second stores four bytes. */
std::vector<std::uint64_t> a_job()
{
    return {
        BLOCK,
        0x1000,
        2,
        SIZES,
        CODE,
        START,
        EXECUTION,
        0x2004 | STORE | FOUR_BYTES | SECOND,
        FINISH
    };
}

/* Whether these events come and then the end, each there until it is taken. */
bool come(laxity::Reader &reader, const std::vector<Event> &events)
{
    bool do_come = true;
    for (const Event event : events) {
        do_come &= reader.peek() == event;
        do_come &= reader.peek() == event;
        reader.take();
    }
    return do_come && reader.peek() == Event::End;
}

void what_a_program_did_comes_in_its_order(void)
{
    for (const std::size_t at_once : {std::size_t{1}, std::size_t{2}, SIZE_MAX}) {
        Given given{.words = a_job(), .at_once = at_once, .code = {}};
        laxity::Reader reader = reader_of(given);
        CHECK(come(reader, {Event::JobStart, Event::Block, Event::Access, Event::JobFinish}));
        CHECK_TEXT(reader.why().c_str(), "it has exited");
    }
}

void accesses_are_whole(void)
{
    Given given{.words = a_job(), .code = {}};
    laxity::Reader reader = reader_of(given);
    while (reader.peek() != Event::Access) {
        reader.take();
    }
    CHECK_EQUAL(reader.access().address(), 0x2004);
    CHECK_EQUAL(reader.access().bytes(), 4);
    CHECK_EQUAL(reader.access().index(), 1);
    CHECK(reader.access().is_store());
}

const laxity::Block &first_block(laxity::Reader &reader)
{
    while (reader.peek() != Event::Block) {
        reader.take();
    }
    return reader.block_of(reader.block_number());
}

/* 7 of the first, and the platform's: 16 bits would leave 4472 of 70008. */
void instruction_may_take_more_ticks_than_16_bits_hold(void)
{
    Given given{.words = a_job(), .code = {}};
    laxity::Reader reader = reader_of(given, 70001);
    CHECK_EQUAL(first_block(reader).ticks, 70008);
}

/* The decoder says 7 ticks of the first, nothing of the second: the platform's 3. */
void blocks_have_what_the_decoder_knows(void)
{
    Given given{.words = a_job(), .code = {}};
    laxity::Reader reader = reader_of(given);
    const laxity::Block &block = first_block(reader);
    CHECK_EQUAL(block.steps.size(), 2);
    CHECK_EQUAL(block.steps[0].offset, 0);
    CHECK_EQUAL(block.steps[0].writes[0], 1);
    CHECK_EQUAL(block.steps[1].offset, 7);
    CHECK_EQUAL(block.steps[1].writes[0], 0);
    CHECK_EQUAL(block.ticks, 10);
    CHECK(given.code == std::vector<std::uint8_t>({0x11, 0x22, 0x33, 0x44, 0x55, 0x66}));
}

/* 0x101e to 0x1021 are in lines 128 and 129 of 32 bytes, 0x1022 and 0x1023 in 129. */
void lines_of_instructions_are_the_tasks(void)
{
    std::vector<std::uint64_t> words = a_job();
    words[1] = 0x101e;
    Given given{.words = words, .code = {}};
    laxity::Reader reader = reader_of(given);
    const laxity::Block &block = first_block(reader);
    CHECK_EQUAL(block.steps[0].first_line, FIRST_LINE + 128);
    CHECK_EQUAL(block.steps[0].last_line, FIRST_LINE + 129);
    CHECK_EQUAL(block.steps[1].first_line, FIRST_LINE + 129);
    CHECK_EQUAL(block.fetches.size(), 2);
    CHECK_EQUAL(block.fetches[1].line, FIRST_LINE + 129);
    CHECK_EQUAL(block.fetches[1].index, 0);
}

void only_borders_of_jobs_are_told_of_the_marks(void)
{
    Given given{
        .words =
            {STORE | (LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_PHASES + 7),
             STORE | (LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_WIDE_PROBE),
             FINISH},
        .code = {}
    };
    laxity::Reader reader = reader_of(given);
    CHECK(reader.peek() == Event::JobFinish);
    reader.take();
    CHECK(reader.peek() == Event::End);
}

/* Within a job they are noted with their instruction, until that is executed. */
void marks_of_a_job_are_kept_until_they_are_taken(void)
{
    const auto mark = [](std::uint64_t which, std::uint64_t index) {
        return STORE | (LAXITY_SIM_MARKS_ADDRESS + which) | index << LAXITY_RECORD_INDEX_SHIFT;
    };
    Given given{
        .words =
            {mark(LAXITY_MARK_PHASES + 7, 0),
             START,
             mark(LAXITY_MARK_PHASES + 8, 1),
             mark(LAXITY_MARK_WIDE_PHASE, 3),
             FINISH},
        .code = {}
    };
    laxity::Reader reader = reader_of(given);
    CHECK(reader.peek() == Event::JobStart);
    reader.take();
    reader.set_in_job(true);
    CHECK(reader.marks().empty());
    CHECK(reader.peek() == Event::JobFinish);
    CHECK_EQUAL(reader.marks().size(), 2);
    CHECK_EQUAL(reader.marks()[0].which, LAXITY_MARK_PHASES + 8);
    CHECK_EQUAL(reader.marks()[0].index, 1);
    reader.take_marks_before(3);
    CHECK_EQUAL(reader.marks().size(), 1);
    CHECK_EQUAL(reader.marks()[0].which, LAXITY_MARK_WIDE_PHASE);
    reader.set_in_job(false);
    CHECK(reader.marks().empty());
}

/* One byte before the table and behind it, and loads of it. */
void what_stores_no_mark_is_an_access(void)
{
    for (const std::uint64_t access :
         {STORE | (LAXITY_SIM_MARKS_ADDRESS - 1),
          STORE | (LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_TABLE_BYTES),
          START & ~STORE,
          FINISH & ~STORE,
          LAXITY_SIM_MARKS_ADDRESS}) {
        Given given{.words = {access}, .code = {}};
        laxity::Reader reader = reader_of(given);
        CHECK(reader.peek() == Event::Access);
    }
}

/* Six arguments each, which may look like anything; an answer is not judged. */
void calls_are_judged_with_their_place(void)
{
    std::vector<std::uint64_t> words = {CALL | 1};
    words.insert(words.end(), LAXITY_RECORD_ARGUMENTS, BLOCK);
    words.insert(words.end(), {CALL | LAXITY_RECORD_RETURN | FORBIDDEN, BLOCK, START});
    Given given{.words = words, .code = {}};
    laxity::Reader reader = reader_of(given);
    reader.set_in_job(true);
    CHECK(reader.peek() == Event::JobStart);
    CHECK_EQUAL(given.n_calls, 1);
    CHECK(given.was_in_job);
    reader.take();
    CHECK_TEXT(end_of(words).c_str(), "it has exited");
}

/* The first block reads none, the second one does: once before a job, once in it. */
void clocks_are_told_of_jobs_only(void)
{
    constexpr std::uint64_t OTHER = 1; /* block */
    std::vector<std::uint64_t> words = {BLOCK, 0x1000, 1, 4, 0};
    words.insert(
        words.end(), {BLOCK | OTHER, CLOCK_ADDRESS, 1, 4, 0, EXECUTION, EXECUTION | OTHER}
    );
    words.insert(words.end(), {START, EXECUTION, EXECUTION | OTHER});
    Given given{.words = words, .code = {}};
    laxity::Reader reader = reader_of(given);
    for (Event event = reader.peek(); event != Event::JobStart; event = reader.peek()) {
        reader.take();
    }
    CHECK(given.clock.empty());
    reader.set_in_job(true);
    reader.take();
    CHECK(reader.peek() == Event::Block);
    CHECK(given.clock.empty());
    reader.take();
    CHECK(reader.peek() == Event::Block);
    CHECK_TEXT(given.clock.c_str(), "mftb");
}

void program_ends_with_a_call_that_it_must_not_make(void)
{
    std::vector<std::uint64_t> words = {CALL | FORBIDDEN};
    words.insert(words.end(), LAXITY_RECORD_ARGUMENTS, 0);
    words.push_back(START);
    CHECK_TEXT(end_of(words).c_str(), "the program: it asks for the time");
}

void blocks_that_cannot_be_are_refused(void)
{
    const char *const problem = "the program: its stream defines a block that cannot be";
    CHECK_TEXT(end_of({BLOCK | 1, 0x1000, 2, SIZES, CODE}).c_str(), problem); /* out of turn */
    CHECK_TEXT(end_of({BLOCK, 0x1000, 0}).c_str(), problem); /* without instructions */
    CHECK_TEXT(
        end_of({BLOCK, 0x1000, 3, SIZES, CODE}).c_str(), problem
    ); /* the third has 0 bytes */
    std::vector<std::uint64_t> again = a_job();
    again.insert(again.end(), {BLOCK, 0x1000, 2, SIZES, CODE});
    CHECK_TEXT(end_of(again).c_str(), problem);
}

/* Of n instructions of one byte each. */
std::vector<std::uint64_t> block_of(std::uint64_t n)
{
    std::vector<std::uint64_t> words = {BLOCK, 0x1000, n};
    words.insert(words.end(), (n + 7) / 8, 0x0101010101010101);
    words.insert(words.end(), (n + 7) / 8, 0);
    words.push_back(EXECUTION);
    return words;
}

void block_has_up_to_512_instructions(void)
{
    CHECK_TEXT(end_of(block_of(512)).c_str(), "it has exited");
    CHECK_TEXT(
        end_of(block_of(513)).c_str(), "the program: its stream defines a block that cannot be"
    );
}

void records_that_end_too_early_are_refused(void)
{
    const std::vector<std::uint64_t> whole = {BLOCK, 0x1000, 2, SIZES, CODE};
    for (std::size_t n = 1; n < whole.size(); n++) {
        const std::vector<std::uint64_t> cut(
            whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)
        );
        CHECK_TEXT(end_of(cut).c_str(), "the program: its stream defines a block that cannot be");
    }
    for (std::size_t n = 0; n < LAXITY_RECORD_ARGUMENTS; n++) {
        std::vector<std::uint64_t> cut = {CALL | 1};
        cut.insert(cut.end(), n, 0);
        CHECK_TEXT(end_of(cut).c_str(), "the program: its stream ends within a record");
    }
    const std::string end = end_of({CALL | LAXITY_RECORD_RETURN | 1});
    CHECK_TEXT(end.c_str(), "the program: its stream ends within a record");
}

void executions_of_unknown_blocks_are_refused(void)
{
    const char *const problem = "the program: its stream executes a block that it has not defined";
    CHECK_TEXT(end_of({EXECUTION}).c_str(), problem);
    CHECK_TEXT(end_of({BLOCK, 0x1000, 2, SIZES, CODE, EXECUTION | 1}).c_str(), problem);
}

void first_problem_is_the_one_that_is_told(void)
{
    Given given{.words = {EXECUTION}, .code = {}};
    laxity::Reader reader = reader_of(given);
    CHECK(reader.peek() == Event::End);
    reader.fail("something else");
    CHECK_TEXT(
        reader.why().c_str(), "the program: its stream executes a block that it has not defined"
    );
}

} // namespace

int main()
{
    RUN(what_a_program_did_comes_in_its_order);
    RUN(accesses_are_whole);
    RUN(instruction_may_take_more_ticks_than_16_bits_hold);
    RUN(blocks_have_what_the_decoder_knows);
    RUN(lines_of_instructions_are_the_tasks);
    RUN(only_borders_of_jobs_are_told_of_the_marks);
    RUN(marks_of_a_job_are_kept_until_they_are_taken);
    RUN(what_stores_no_mark_is_an_access);
    RUN(calls_are_judged_with_their_place);
    RUN(clocks_are_told_of_jobs_only);
    RUN(program_ends_with_a_call_that_it_must_not_make);
    RUN(blocks_that_cannot_be_are_refused);
    RUN(block_has_up_to_512_instructions);
    RUN(records_that_end_too_early_are_refused);
    RUN(executions_of_unknown_blocks_are_refused);
    RUN(first_problem_is_the_one_that_is_told);
    return test_exit_code();
}
