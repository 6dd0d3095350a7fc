/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What of a stream is understood, and what is refused. */
#include "../test.h"
#include "engine/reader.hpp"
#include "harness/mark_table.h"
#include "interface/records.h"

#include <cstddef>
#include <cstdint>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::uint64_t word(std::uint64_t kind, std::uint64_t rest)
{
    return kind << LAXITY_RECORD_KIND_SHIFT | rest;
}

constexpr std::uint64_t BLOCK = word(LAXITY_SIM_BLOCK, 0);
constexpr std::uint64_t EXECUTION = word(LAXITY_SIM_EXECUTION, 0);
constexpr std::uint64_t SIZES = 0x0204;    /* of two instructions: 4 and 2 bytes */
constexpr std::uint64_t CODE = 0x60000000; /* which looks like a mark, in 4 + 2 bytes: one word */
constexpr std::uint64_t STORE = std::uint64_t{1} << LAXITY_RECORD_STORE_SHIFT;
constexpr std::uint64_t START = LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_START;
constexpr std::uint64_t FINISH = LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_FINISH;

/* A reader of words that were written into a pipe, its last bytes cut off. */
laxity::Reader reader_of(const std::vector<std::uint64_t> &words, std::size_t cut_bytes = 0)
{
    int ends[2] = {-1, -1};
    const std::size_t bytes = words.size() * sizeof(std::uint64_t) - cut_bytes;
    CHECK_EQUAL(pipe(ends), 0);
    CHECK_EQUAL(write(ends[1], words.data(), bytes), bytes);
    (void)close(ends[1]);
    return laxity::Reader{ends[0]};
}

bool is_refused(const std::vector<std::uint64_t> &words, std::size_t cut_bytes = 0)
{
    laxity::Reader reader = reader_of(words, cut_bytes);
    auto event = reader.next();
    while (event && *event != laxity::Event::End) {
        event = reader.next();
    }
    return !event && !reader.problem().empty();
}

/* Two instructions, executed in a job; one of them stores four bytes. */
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
        0x2004 | STORE | std::uint64_t{2} << LAXITY_RECORD_SIZE_SHIFT,
        FINISH,
    };
}

void what_a_program_did_comes_in_its_order(void)
{
    laxity::Reader reader = reader_of(a_job());
    for (const auto event :
         {laxity::Event::JobStart,
          laxity::Event::Block,
          laxity::Event::Access,
          laxity::Event::JobFinish,
          laxity::Event::End}) {
        CHECK(reader.next() == event);
    }
    CHECK(reader.problem().empty());
}

void blocks_and_accesses_are_whole(void)
{
    laxity::Reader reader = reader_of(a_job());
    (void)reader.next();
    (void)reader.next();
    CHECK_EQUAL(reader.block().address, 0x1000);
    CHECK_EQUAL(reader.block().sizes.size(), 2);
    CHECK_EQUAL(reader.block().sizes[0], 4);
    CHECK_EQUAL(reader.block().sizes[1], 2);
    (void)reader.next();
    CHECK_EQUAL(reader.access().address, 0x2004);
    CHECK_EQUAL(reader.access().bytes, 4);
    CHECK(reader.access().is_store);
}

void marks_of_a_phase_are_no_accesses(void)
{
    laxity::Reader reader = reader_of({LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_PHASES + 7});
    CHECK(reader.next() == laxity::Event::End);
}

void system_calls_are_passed_over(void)
{
    /* Arguments and values may look like records. */
    laxity::Reader reader = reader_of(
        {word(LAXITY_SIM_CALL, 45),
         START,
         EXECUTION,
         BLOCK,
         0,
         0,
         0,
         word(LAXITY_SIM_CALL, LAXITY_RECORD_RETURN | 45),
         START,
         FINISH}
    );
    CHECK(reader.next() == laxity::Event::JobFinish);
    CHECK(reader.next() == laxity::Event::End);
}

void foreign_streams_are_refused(void)
{
    CHECK(is_refused({EXECUTION}));                   /* of a block that was not defined */
    CHECK(is_refused({BLOCK, 0x1000, 0}));            /* without instructions */
    CHECK(is_refused({BLOCK, 0x1000, 513, SIZES}));   /* with too many */
    CHECK(is_refused({BLOCK | 1, 0x1000, 2, SIZES})); /* out of turn */
}

void cut_streams_are_refused(void)
{
    CHECK(is_refused({BLOCK, 0x1000, 2, SIZES}, 9));               /* ends within the block */
    CHECK(is_refused({BLOCK, 0x1000, 2, SIZES}));                  /* without its code */
    CHECK(is_refused({0x1000, 0x2000}, 3));                        /* ends within a word */
    CHECK(is_refused({word(LAXITY_SIM_CALL, 45), 1, 2, 3, 4, 5})); /* within a call */
}

} // namespace

int main()
{
    RUN(what_a_program_did_comes_in_its_order);
    RUN(blocks_and_accesses_are_whole);
    RUN(marks_of_a_phase_are_no_accesses);
    RUN(system_calls_are_passed_over);
    RUN(foreign_streams_are_refused);
    RUN(cut_streams_are_refused);
    return test_exit_code();
}
