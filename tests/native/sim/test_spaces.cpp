/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What tasks of a program share, and by which lines. */
#include "../test.h"
#include "interface/engine.h"
#include "model/spaces.hpp"

#include <array>
#include <cstdint>

namespace {

constexpr std::uint32_t LINE_BYTES = 64;
/* Of task 2 and of program 3: 2^48 / 64 = 2^42 lines each. */
constexpr std::uint64_t TASK = std::uint64_t{2} << 42U;
constexpr std::uint64_t PROGRAM = std::uint64_t{32768 + 3} << 42U;

laxity::Shared two_ranges()
{
    static constexpr std::array<laxity_sim_range, 2> RANGES{{{0x1000, 0x3000}, {0x4000, 0x5000}}};
    laxity_sim_task task{};
    task.program = 3;
    task.n_shared = RANGES.size();
    task.shared = RANGES.data();
    return {task, TASK, LINE_BYTES};
}

/* 0x1000 / 64 = 64, 0x3000 / 64 = 192, 0x4000 / 64 = 256, 0x5000 / 64 = 320. */
void lines_in_a_range_are_the_programs(void)
{
    const laxity::Shared shared = two_ranges();
    for (const std::uint64_t line : {64, 191, 256, 319}) {
        CHECK_EQUAL(shared.line_of(TASK + line), PROGRAM + line);
    }
    for (const std::uint64_t line : {0, 63, 192, 255, 320}) {
        CHECK_EQUAL(shared.line_of(TASK + line), TASK + line);
    }
}

void an_access_touches_a_range_with_its_first_or_last_byte(void)
{
    const laxity::Shared shared = two_ranges();
    CHECK(!shared.has(0xff8, 8));
    CHECK(shared.has(0xff9, 8));
    CHECK(shared.has(0x2fff, 1));
    CHECK(!shared.has(0x3000, 8));
    CHECK(!shared.has(0x3ffe, 2));
    CHECK(shared.has(0x3ffe, 4));
}

void a_task_without_ranges_shares_nothing(void)
{
    const laxity::Shared shared{{}, TASK, LINE_BYTES};
    CHECK_EQUAL(shared.line_of(TASK), TASK);
    CHECK(!shared.has(0, 8));
}

} // namespace

int main()
{
    RUN(lines_in_a_range_are_the_programs);
    RUN(an_access_touches_a_range_with_its_first_or_last_byte);
    RUN(a_task_without_ranges_shares_nothing);
    return test_exit_code();
}
