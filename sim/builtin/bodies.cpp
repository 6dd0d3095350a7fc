/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "builtin/bodies.hpp"

#include "interface/builtin.h"
#include "interface/engine.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace laxity {

namespace {

enum Register : std::uint8_t {
    COUNT,
    LINK,
    /* From here on one per element of a block. */
    DATA = 16,
    VECTOR = 48, /* four per element */
};
constexpr unsigned VECTORS = 4;
constexpr unsigned BYTE = 0;
constexpr unsigned WORD = 2;
constexpr unsigned QUAD = 4;

constexpr Coded load(std::uint8_t to, std::uint8_t at = NO_REGISTER)
{
    return {.reads = at, .writes = to};
}
constexpr Coded store(std::uint8_t from)
{
    return {.reads = from};
}
constexpr Coded ADVANCE{.reads = COUNT, .writes = COUNT};
constexpr Coded BRANCH{.reads = COUNT};

constexpr std::array WALK{load(DATA), store(DATA), ADVANCE, BRANCH};
constexpr std::array<Touch, 2> WALK_TOUCHES{{{0, BYTE, false}, {1, BYTE, true, 1}}};
/* visits++; line = line->next; until it is the first one. */
constexpr std::array CHASE{
    load(DATA, LINK),
    Coded{.reads = DATA, .writes = DATA},
    store(DATA),
    load(LINK, LINK),
    Coded{.reads = LINK},
    BRANCH
};
constexpr std::array<Touch, 3> CHASE_TOUCHES{
    {{0, WORD, false, 4}, {2, WORD, true, 4}, {3, WORD, false}}
};
constexpr std::array TOUCH{load(DATA), ADVANCE, BRANCH};
constexpr std::array<Touch, 1> TOUCH_TOUCHES{{{0, BYTE, false}}};
constexpr std::array UPDATE{
    load(DATA), Coded{.reads = DATA, .writes = DATA}, store(DATA), ADVANCE, BRANCH
};
constexpr std::array<Touch, 2> UPDATE_TOUCHES{{{0, BYTE, false}, {2, BYTE, true}}};
constexpr std::array FOLLOW{load(LINK, LINK)};
constexpr std::array<Touch, 1> FOLLOW_TOUCHES{{{0, WORD, false}}};
constexpr std::array LOOP_END{ADVANCE, BRANCH};
/* The indices were written just before: reading them takes an instruction, and no line from others.
 */
constexpr std::array READ_INDEX{Coded{}, load(DATA), ADVANCE, BRANCH};
constexpr std::array<Touch, 1> READ_INDEX_TOUCHES{{{1, WORD, false}}};
constexpr std::array WRITE_INDEX{Coded{}, Coded{}, ADVANCE, BRANCH};
constexpr std::array<Touch, 1> WRITE_INDEX_TOUCHES{{{1, WORD, true}}};
constexpr std::array STREAM_READ{
    load(VECTOR), load(VECTOR + 1), load(VECTOR + 2), load(VECTOR + 3), ADVANCE, BRANCH
};
constexpr std::array<Touch, 4> STREAM_READ_TOUCHES{
    {{0, QUAD, false}, {1, QUAD, false, 16}, {2, QUAD, false, 32}, {3, QUAD, false, 48}}
};
constexpr std::array STREAM_WRITE{Coded{}, Coded{}, Coded{}, Coded{}, ADVANCE, BRANCH};
constexpr std::array<Touch, 4> STREAM_WRITE_TOUCHES{
    {{0, QUAD, true}, {1, QUAD, true, 16}, {2, QUAD, true, 32}, {3, QUAD, true, 48}}
};
constexpr std::array STREAM_COPY{
    load(VECTOR),
    store(VECTOR),
    load(VECTOR + 1),
    store(VECTOR + 1),
    load(VECTOR + 2),
    store(VECTOR + 2),
    load(VECTOR + 3),
    store(VECTOR + 3),
    ADVANCE,
    BRANCH
};
constexpr std::array<Touch, 8> STREAM_COPY_TOUCHES{{
    {0, QUAD, false, 0, true},
    {1, QUAD, true},
    {2, QUAD, false, 16, true},
    {3, QUAD, true, 16},
    {4, QUAD, false, 32, true},
    {5, QUAD, true, 32},
    {6, QUAD, false, 48, true},
    {7, QUAD, true, 48},
}};
/* Whether it is done, the clock, a comparison, the count, the branch. */
constexpr std::array STAMP{Coded{}, Coded{}, Coded{}, ADVANCE, BRANCH};

/* More than any core has loads under way. */
constexpr unsigned APART = 16;

const std::array<Body, LAXITY_SIM_BODIES> bodies{{
    {.instructions = WALK, .touches = WALK_TOUCHES, .tail = {}},
    {.instructions = CHASE, .touches = CHASE_TOUCHES, .tail = {}},
    {.instructions = TOUCH, .touches = TOUCH_TOUCHES, .unrolled = APART, .tail = {}},
    {.instructions = UPDATE, .touches = UPDATE_TOUCHES, .tail = {}},
    /* As many as laxity_memory_chase goes per turn. */
    {.instructions = FOLLOW, .touches = FOLLOW_TOUCHES, .unrolled = 8, .tail = LOOP_END},
    {.instructions = READ_INDEX, .touches = READ_INDEX_TOUCHES, .unrolled = APART, .tail = {}},
    {.instructions = WRITE_INDEX, .touches = WRITE_INDEX_TOUCHES, .unrolled = APART, .tail = {}},
    {.instructions = STREAM_READ, .touches = STREAM_READ_TOUCHES, .unrolled = 4, .tail = {}},
    {.instructions = STREAM_WRITE, .touches = STREAM_WRITE_TOUCHES, .tail = {}},
    {.instructions = STREAM_COPY,
     .touches = STREAM_COPY_TOUCHES,
     .unrolled = 4,
     .tail = {},
     .second_step = 64},
    {.instructions = STAMP, .touches = {}, .tail = {}},
    {},
    {},
}};

/* Of element k. */
std::uint8_t rotated(std::uint8_t number, unsigned k)
{
    if (number < DATA || number >= ALL_REGISTERS) {
        return number;
    }
    return static_cast<std::uint8_t>(number + k * (number < VECTOR ? 1 : VECTORS));
}

void add(std::uint64_t (&set)[LAXITY_SIM_REGISTERS / 64], std::uint8_t number)
{
    if (number == ALL_REGISTERS) {
        std::ranges::fill(set, UINT64_MAX);
    } else if (number != NO_REGISTER) {
        set[number / 64] |= std::uint64_t{1} << number % 64;
    }
}

} // namespace

std::vector<Coded> Body::code(unsigned n) const
{
    std::vector<Coded> code;
    for (unsigned k = 0; k < n; k++) {
        for (const Coded &one : instructions) {
            code.push_back(
                {.reads = rotated(one.reads, k), .writes = rotated(one.writes, k), .ticks = 0}
            );
        }
    }
    code.insert(code.end(), tail.begin(), tail.end());
    return code;
}

const Body &body_of(laxity_sim_body body)
{
    return bodies[body];
}

void decode(const Coded &one, laxity_sim_instruction &instruction)
{
    add(instruction.reads, one.reads);
    add(instruction.writes, one.writes);
    if (one.ticks != 0) {
        instruction.ticks = one.ticks;
    }
}

} // namespace laxity
