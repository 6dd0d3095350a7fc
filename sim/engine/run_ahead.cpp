/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Whole blocks at once, as long as all that they need is there. Nearly all time goes here. */
#include "engine/core.hpp"
#include "engine/hierarchy.hpp"
#include "engine/reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace laxity {

namespace {

/* A core lets go after so many blocks, so that somebody looks whether the run shall end. */
constexpr unsigned BLOCKS_PER_TURN = 1U << 10U;

} // namespace

/* Whether one of these registers may wait for a load. */
bool Core::needs_operand(const Registers &registers) const
{
    return std::ranges::any_of(operands_, [&registers](const Operand &operand) {
        return operand.is_one_of(registers);
    });
}

/* The core is at an instruction of the block that has begun last. */
bool Core::leave_block(const Block &block, std::size_t index, Stage stage)
{
    const std::uint64_t ticks =
        index < block.steps.size() ? block.steps[index].offset : block.ticks;
    now_ += ticks;
    execution_.spent->busy += ticks;
    hierarchy_.counts(number_).instructions += index;
    execution_.position->index = index;
    loaded_.clear();
    stage_ = stage;
    return false;
}

/* A line that is there, or is in memory of the core's own, as its page is. */
template <bool IS_PLAIN>
[[gnu::always_inline]] inline bool
Core::touch_ahead(Kind kind, std::uint64_t line, std::uint64_t known_as)
{
    return (IS_PLAIN || hierarchy_.use_page(number_, kind, line)) &&
           (hierarchy_.touch_privately(number_, kind, known_as, now_) ||
            (!IS_PLAIN && hierarchy_.touch_own(number_, known_as)));
}

/* True if all of it has been executed; else the core is where it could not go on. */
template <bool IS_PLAIN> bool Core::run_block(const Block &block)
{
    Reader &reader = *execution_.reader;
    const Shared &shared = reader.shared();
    Position &position = *execution_.position;
    const std::uint64_t base = std::uint64_t{execution_.task} << SPACE_SHIFT;
    const Fetch *fetch = block.fetches.data();
    const Fetch *const end_of_fetches = fetch + block.fetches.size();
    const auto fetch_until = [&](std::size_t index) {
        for (; fetch != end_of_fetches && fetch->index <= index; fetch++) {
            if (!touch_ahead<IS_PLAIN>(Kind::Fetch, fetch->line, fetch->known_as)) {
                line_ = fetch->line;
                last_line_ = block.steps[fetch->index].last_line;
                return leave_block(block, fetch->index, Stage::Fetch);
            }
            position.fetched = fetch->line;
        }
        return true;
    };
    std::size_t index = 0; /* instructions before it are done */
    Event event = reader.peek();
    for (; event == Event::Access; event = reader.peek()) {
        const Access access = reader.access();
        if (access.index() + 1 < index || access.index() >= block.steps.size() ||
            reader.is_forbidden(access)) {
            return leave_block(block, index, Stage::Boundary);
        }
        if (!fetch_until(access.index())) {
            return false;
        }
        reader.take();
        const Kind kind = access.is_store() ? Kind::Store : Kind::Load;
        const std::uint64_t begin = base + access.address();
        const std::uint64_t last_line = (begin + access.bytes() - 1) >> line_shift_;
        for (std::uint64_t line = begin >> line_shift_; line <= last_line; line++) {
            if (!touch_ahead<IS_PLAIN>(kind, line, shared.line_of(line))) {
                take_access(access);
                line_ = line;
                return leave_block(block, access.index(), Stage::Lines);
            }
        }
        index = access.index() + 1;
    }
    if (event != Event::Block) {
        return leave_block(block, index, Stage::Boundary);
    }
    return fetch_until(block.steps.size());
}

/*
 * Whole blocks, as long as nothing needs to be waited for and all lines are there. True: something
 * is to be done at the place where the core is now.
 */
template <bool IS_PLAIN> bool Core::run_blocks_of(std::uint64_t horizon)
{
    if (!hierarchy_.has_outstanding(number_, now_)) {
        operands_.clear();
    }
    Reader &reader = *execution_.reader;
    Position &position = *execution_.position;
    std::uint64_t &instructions = hierarchy_.counts(number_).instructions;
    for (unsigned n = 0; reader.peek() == Event::Block; n++) {
        const Block &block = reader.block();
        if (needs_operand(block.registers)) {
            return false;
        }
        if (now_ + block.steps.back().offset >= horizon || n == BLOCKS_PER_TURN) {
            if (n == BLOCKS_PER_TURN) {
                is_paused_ = true;
                set_next(Next::GoOn);
                return true;
            }
            return false;
        }
        reader.take();
        position = {.block = &block, .index = 0, .fetched = NEVER};
        if (!run_block<IS_PLAIN>(block)) {
            return true;
        }
        const std::size_t n_steps = block.steps.size();
        now_ += block.ticks;
        execution_.spent->busy += block.ticks;
        instructions += n_steps;
        position.index = n_steps;
        if constexpr (!IS_PLAIN) {
            judge_branch(block);
        }
    }
    return false;
}

bool Core::run_blocks(std::uint64_t horizon)
{
    return is_plain_ ? run_blocks_of<true>(horizon) : run_blocks_of<false>(horizon);
}

} // namespace laxity
