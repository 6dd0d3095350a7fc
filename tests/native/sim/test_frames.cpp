/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Where pages lie in memory. */
#include "../test.h"
#include "interface/engine.h"
#include "model/frames.hpp"

#include <cstdint>

namespace {

constexpr std::uint32_t LINE_BYTES = 64;
constexpr unsigned TASK_SHIFT = 48;
/* Of tasks; lines of a task begin behind its number. */
constexpr std::uint64_t TASK_LINES = (std::uint64_t{1} << TASK_SHIFT) / LINE_BYTES;

laxity_sim_platform a_platform()
{
    laxity_sim_platform platform{};
    platform.line_bytes = LINE_BYTES;
    platform.colours = 1;
    return platform;
}

constexpr std::uint64_t PAGE_LINES = 64; /* of 64 bytes */
constexpr std::uint64_t LINE_IN_PAGE_1 = PAGE_LINES + 3;

void pages_in_order_of_their_first_use_have_frames_in_order(void)
{
    laxity_sim_platform platform = a_platform();
    platform.placement = LAXITY_SIM_SEQUENTIAL;
    laxity::Frames frames{platform};
    CHECK_EQUAL(frames.physical(LINE_IN_PAGE_1), 3);
    CHECK_EQUAL(frames.physical(0), PAGE_LINES);
    CHECK_EQUAL(frames.physical(5 * PAGE_LINES), 2 * PAGE_LINES);
    CHECK_EQUAL(frames.physical(LINE_IN_PAGE_1 + 1), 4);
    /* Those of another task begin at its own memory, 2^36 frames behind. */
    CHECK_EQUAL(frames.physical(TASK_LINES + LINE_IN_PAGE_1), TASK_LINES + 3);
}

/*
 * mix(0) is 0xe220a8397b1dcdaf, the first output of SplitMix64 begun at 0. Of the seed 0 and
 * this page 0xe220a8397b1dcdaf, mix(mix(0) xor page) is mix(0) again, of which 36 bits are taken.
 */
void frames_at_random_are_those_of_the_generator(void)
{
    laxity_sim_platform platform = a_platform();
    platform.line_bytes = 4096; /* a line is a page */
    platform.placement = LAXITY_SIM_RANDOM_FRAMES;
    laxity::Frames frames{platform};
    CHECK_EQUAL(frames.physical(0xe220a8397b1dcdaf), 0x97b1dcdaf);
}

/* The lowest four bits of a frame are those of its page, the others are drawn. */
void a_coloured_page_keeps_its_colour(void)
{
    laxity_sim_platform platform = a_platform();
    platform.line_bytes = 4096;
    platform.placement = LAXITY_SIM_COLOURED;
    platform.colours = 16;
    laxity::Frames frames{platform};
    laxity_sim_platform other = platform;
    other.placement = LAXITY_SIM_RANDOM_FRAMES;
    laxity::Frames anywhere{other};
    for (std::uint64_t page = 0; page < 100; page++) {
        CHECK_EQUAL(frames.physical(page) % 16, page % 16);
        CHECK_EQUAL(frames.physical(page) / 16, anywhere.physical(page) / 16);
    }
}

} // namespace

int main()
{
    RUN(pages_in_order_of_their_first_use_have_frames_in_order);
    RUN(frames_at_random_are_those_of_the_generator);
    RUN(a_coloured_page_keeps_its_colour);
    return test_exit_code();
}
