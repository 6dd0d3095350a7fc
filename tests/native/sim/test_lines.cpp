/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Lines and pages that jobs touch, of streams made by hand: lines of 32 bytes. */
#include "../test.h"
#include "harness/mark_table.h"
#include "interface/records.h"
#include "interface/storage.h"
#include "small_executable.hpp"
#include "streams/lines.hpp"
#include "streams/stored.hpp"
#include "streams/writer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::uint32_t LINE_BYTES = 32;
constexpr std::uint64_t BRK = 45; /* <asm/unistd.h> of 32-bit Arm */
constexpr const char *IDENTITY = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

constexpr std::uint64_t word(std::uint64_t kind, std::uint64_t rest)
{
    return kind << LAXITY_RECORD_KIND_SHIFT | rest;
}

constexpr std::uint64_t EXECUTION = word(LAXITY_SIM_EXECUTION, 0);
constexpr std::uint64_t CALL = word(LAXITY_SIM_CALL, BRK);
constexpr std::uint64_t RETURN = CALL | LAXITY_RECORD_RETURN;
constexpr std::uint64_t STORE = std::uint64_t{1} << LAXITY_RECORD_STORE_SHIFT;
constexpr std::uint64_t EIGHT_BYTES = std::uint64_t{3} << LAXITY_RECORD_SIZE_SHIFT;
constexpr std::uint64_t AT_1 = std::uint64_t{1} << LAXITY_RECORD_INDEX_SHIFT;
constexpr std::uint64_t MARK = STORE | LAXITY_SIM_MARKS_ADDRESS;
constexpr std::uint64_t START = MARK + LAXITY_MARK_JOB_START;
constexpr std::uint64_t FINISH = MARK + LAXITY_MARK_JOB_FINISH;

/* Empty, or why there are none. */
std::string count(const Words &words, laxity::Lines &out_lines)
{
    const int fd = memfd_create("stored", 0);
    laxity::StoredWriter writer{fd, IDENTITY, "a label", nullptr};
    CHECK(writer.write(words));
    CHECK(writer.finish(""));
    laxity::Stored stored;
    CHECK(stored.open(("/proc/self/fd/" + std::to_string(fd)).c_str()));
    laxity_sim_storage *const storage = open_storage();
    const std::string why = laxity::count_lines(stored, storage, LINE_BYTES, out_lines);
    laxity_sim_storage_close(storage);
    (void)close(fd);
    return why;
}

void check(const laxity::Touched &got, const laxity::Touched &want)
{
    CHECK_EQUAL(got.read, want.read);
    CHECK_EQUAL(got.written, want.written);
    CHECK_EQUAL(got.lines, want.lines);
    CHECK_EQUAL(got.pages, want.pages);
}

/* Blocks of instructions of 4 bytes: four from 0x10018, of which the second marks the start of a
 * job; two from 0x10040; three from 0x1007c, of which the first marks its finish. The heap is from
 * 0x21000 to 0x23000. */
const Words before{
    word(LAXITY_SIM_BLOCK, 0),
    0x10018,
    4,
    0x04040404,
    0,
    0,
    word(LAXITY_SIM_BLOCK, 1),
    0x10040,
    2,
    0x0404,
    0,
    word(LAXITY_SIM_BLOCK, 2),
    0x1007c,
    3,
    0x040404,
    0,
    0,
    CALL,
    0,
    0,
    0,
    0,
    0,
    0,
    RETURN,
    0x21000,
    CALL,
    0x23000,
    0,
    0,
    0,
    0,
    0,
    RETURN,
    0x23000,
};
/* Data: a word that lies in two lines, and a store to the first of them. Of one line the constants'
 * end is read, and what lies behind it is written. Heap: one line; stack: two. */
const Words first{
    EXECUTION,
    0x20040,
    START | AT_1,
    EXECUTION | 1,
    EIGHT_BYTES | 0x2001c,
    STORE | 0x20000,
    0x11230,
    STORE | 0x11238,
    MARK + 1,
    0x21000,
    STORE | 0xff000,
    STORE | 0xff020,
    EXECUTION | 2,
    FINISH,
    STORE | 0x20060,
};
/* Two lines of the heap, each on a page; a third one of the stack. */
const Words second{
    EXECUTION,
    START | AT_1,
    EXECUTION | 1,
    0x21000,
    0x22000,
    EXECUTION | 1,
    0x22004,
    STORE | 0xff040,
    EXECUTION | 2,
    FINISH,
};

void lines_and_pages_of_jobs_are_counted_once_by_class()
{
    Words words = before;
    words.insert(words.end(), first.begin(), first.end());
    words.insert(words.end(), second.begin(), second.end());
    laxity::Lines lines{};
    CHECK(count(words, lines).empty());
    CHECK_EQUAL(lines.jobs, 2);
    /* Behind the start 0x10020 and 0x10024, in one line; 0x10040; 0x1007c, which ends the job: of
     * the lines at 0x10000 and 0x10080 nothing is executed within one. */
    for (const auto &counts : {lines.largest, lines.all}) {
        check(counts[LAXITY_SIM_CODE], {.read = 3, .written = 0, .lines = 3, .pages = 1});
        check(counts[LAXITY_SIM_CONSTANTS], {.read = 1, .written = 0, .lines = 1, .pages = 1});
        check(counts[LAXITY_SIM_DATA], {.read = 2, .written = 1, .lines = 2, .pages = 1});
        check(counts[LAXITY_SIM_BSS], {.read = 0, .written = 0, .lines = 0, .pages = 0});
        check(counts[LAXITY_SIM_HEAP], {.read = 2, .written = 0, .lines = 2, .pages = 2});
    }
    /* The line behind the constants, 0xff000 and 0xff020; in the other job 0xff040 alone. */
    check(lines.largest[LAXITY_SIM_STACK], {.read = 0, .written = 3, .lines = 3, .pages = 2});
    check(lines.all[LAXITY_SIM_STACK], {.read = 0, .written = 4, .lines = 4, .pages = 2});
    /* The first job: read 3 of code, 1 of constants, 2 of data, 1 of the heap; written 1 of data
     * and 3 of the stack. Of these 7 + 4 two are read and written. The second one: 3 + 2 and 1. */
    check(lines.largest.back(), {.read = 7, .written = 4, .lines = 9, .pages = 5});
    /* Another line and page of the heap, another line of the stack. */
    check(lines.all.back(), {.read = 8, .written = 5, .lines = 11, .pages = 6});
}

void stream_that_executes_what_it_has_not_defined_is_refused()
{
    laxity::Lines lines{};
    const std::string why = count({EXECUTION | 7}, lines);
    CHECK(why.find("a block that it has not defined") != std::string::npos);
}

} // namespace

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (std::string_view{argv[i]} == "armhf") {
            RUN(lines_and_pages_of_jobs_are_counted_once_by_class);
            RUN(stream_that_executes_what_it_has_not_defined_is_refused);
        }
    }
    return test_exit_code();
}
