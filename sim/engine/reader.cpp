/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "engine/reader.hpp"

#include "harness/mark_table.h"
#include "interface/engine.h"
#include "interface/records.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace laxity {

namespace {

constexpr std::size_t READ_WORDS = 16384;

/* Nothing: a mark of a phase, or of a probe. */
std::optional<Event> event_of(const Access &access)
{
    if (!access.is_mark()) {
        return Event::Access;
    }
    switch (access.address() - LAXITY_SIM_MARKS_ADDRESS) {
    case LAXITY_MARK_JOB_START:
        return Event::JobStart;
    case LAXITY_MARK_JOB_FINISH:
        return Event::JobFinish;
    default:
        return std::nullopt;
    }
}

} // namespace

Reader::Reader(
    const laxity_sim_task &task, std::uint64_t first_line, const laxity_sim_platform &platform
)
    : source_(task.source), decoder_(task.decoder), judge_(task.judge), placer_(task.placer),
      first_line_(first_line),
      line_shift_(static_cast<unsigned>(std::countr_zero(platform.line_bytes))),
      shared_(task, first_line, platform.line_bytes), instruction_ticks_(platform.instruction_ticks)
{
}

bool Reader::fill()
{
    words_.resize(READ_WORDS);
    const std::size_t n =
        problem_.empty() ? source_.read(source_.context, words_.data(), words_.size()) : 0;
    next_ = words_.data();
    end_ = next_ + n;
    certain_until_ = nullptr;
    return n > 0;
}

bool Reader::take_word(std::uint64_t &word)
{
    if (next_ == end_ && !fill()) {
        return false;
    }
    word = *next_++;
    return true;
}

/* They fill whole words. */
bool Reader::take_bytes(std::vector<std::uint8_t> &bytes, std::size_t n)
{
    bytes.resize((n + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t) * sizeof(std::uint64_t));
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        if (!take_word(word)) {
            return false;
        }
        std::memcpy(&bytes[i], &word, sizeof word);
    }
    bytes.resize(n);
    return true;
}

/* An instruction at an address behind what a block has already. */
void Reader::append(Block &block, const laxity_sim_instruction &instruction, std::uint64_t address)
    const
{
    Step step{
        .address = (first_line_ << line_shift_) + address,
        .first_line = first_line_ + (address >> line_shift_),
        .last_line = first_line_ + ((address + instruction.bytes - 1) >> line_shift_),
        .offset = block.ticks,
        .needs = {},
        .writes = {},
    };
    for (std::size_t i = LAXITY_SIM_REGISTERS / 64; i-- > 0;) {
        step.needs = step.needs << 64 | Registers{instruction.reads[i]};
        step.writes = step.writes << 64 | Registers{instruction.writes[i]};
    }
    step.needs |= step.writes;
    block.registers |= step.needs;
    block.n_fetches_before.push_back(static_cast<std::uint32_t>(block.fetches.size()));
    for (std::uint64_t line = step.first_line; line <= step.last_line; line++) {
        if (block.fetches.empty() || block.fetches.back().line != line) {
            block.fetches.push_back(
                {.index = block.steps.size(), .line = line, .known_as = shared_.line_of(line)}
            );
        }
    }
    block.steps.push_back(step);
    block.clock = instruction.clock != nullptr ? instruction.clock : block.clock;
    block.ticks += instruction.ticks;
    block.last_address = address;
}

/* Blocks are numbered in the order of their definition. */
bool Reader::define(std::uint64_t id)
{
    std::uint64_t n = 0;
    Definition definition;
    if (id != definitions_.size() || !take_word(definition.address) || !take_word(n) || n == 0 ||
        n > LAXITY_RECORD_INSTRUCTIONS_MAX || !take_bytes(definition.sizes, n)) {
        return false;
    }
    std::size_t n_bytes = 0;
    for (const std::uint8_t size : definition.sizes) {
        n_bytes += size;
        if (size == 0) {
            return false;
        }
    }
    if (!take_bytes(definition.code, n_bytes)) {
        return false;
    }
    definitions_.push_back(std::move(definition));
    blocks_.emplace_back();
    is_plain_.push_back(0);
    return true;
}

/* What start-up executes is never decoded: it is most of a program's blocks. */
const Block &Reader::block_of(std::uint64_t number)
{
    if (blocks_[number] != nullptr) {
        return *blocks_[number];
    }
    const Definition &definition = definitions_[number];
    std::vector<laxity_sim_instruction> instructions;
    instructions.reserve(definition.sizes.size());
    for (const std::uint8_t size : definition.sizes) {
        instructions.push_back(
            {.bytes = size, .ticks = instruction_ticks_, .reads = {}, .writes = {}, .clock = nullptr
            }
        );
    }
    if (decoder_.decode != nullptr) {
        decoder_.decode(
            decoder_.context,
            definition.address,
            definition.code.data(),
            instructions.data(),
            static_cast<std::uint32_t>(instructions.size())
        );
    }
    std::uint64_t address = definition.address & LAXITY_RECORD_ADDRESS_MASK;
    Block block{};
    block.address = address;
    for (const laxity_sim_instruction &instruction : instructions) {
        append(block, instruction, address);
        address += instruction.bytes;
    }
    block.n_fetches_before.push_back(static_cast<std::uint32_t>(block.fetches.size()));
    block.end_address = address;
    block.n_steps = block.steps.size();
    is_plain_[number] = block.clock == nullptr ? 1 : 0;
    blocks_[number] = std::make_unique<const Block>(std::move(block));
    return *blocks_[number];
}

/* The job does not end before the block of a record that is neither a block, nor an access in
 * order, nor a mark of a phase or probe: within that block it may. */
void Reader::look_for_end(const Block *at, std::size_t least)
{
    certain_.clear();
    std::size_t last = 0; /* block: its ticks are not certain */
    const std::uint64_t *word = next_;
    for (; word != end_; word++) {
        std::uint64_t ticks = 0;
        if (*word >> LAXITY_RECORD_KIND_SHIFT == LAXITY_SIM_EXECUTION) {
            if (!is_plain(*word & ID_MASK)) {
                break;
            }
            at = blocks_[*word & ID_MASK].get();
            least = 0;
            ticks = at->ticks;
            last = certain_.size();
        } else if (Access::is_one(*word)) {
            const Access access{*word};
            if (at == nullptr || access.index() < least || access.index() >= at->steps.size() ||
                is_forbidden(access)) {
                break;
            }
            least = access.index();
        } else if (*word >> LAXITY_RECORD_KIND_SHIFT != LAXITY_SIM_ACCESS ||
                   event_of(Access{*word})) {
            break;
        }
        certain_.push_back(ticks);
    }
    certain_from_ = next_;
    certain_until_ = word;
    certain_.push_back(0);
    certain_[last] = 0;
    for (std::size_t i = certain_.size() - 1; i-- > 0;) {
        certain_[i] += certain_[i + 1];
    }
}

void Reader::tell_placer(std::uint64_t word)
{
    if (placer_.on_word != nullptr) {
        placer_.on_word(placer_.context, word);
    }
}

/* A system call, or its answer. */
void Reader::judge(std::uint64_t word)
{
    const bool is_answer = (word & LAXITY_RECORD_RETURN) != 0;
    tell_placer(word);
    std::uint64_t next = 0;
    for (unsigned i = 0; i < (is_answer ? 1 : LAXITY_RECORD_ARGUMENTS); i++) {
        if (!take_word(next)) {
            fail("its stream ends within a record");
            return;
        }
        tell_placer(next);
    }
    if (!is_answer && judge_.may_call != nullptr &&
        !judge_.may_call(judge_.context, word & ID_MASK, is_in_job_)) {
        fail(judge_.why(judge_.context));
    }
}

/* It costs nothing, and is noted until its instruction is executed. */
void Reader::pass_mark(const Access &access)
{
    next_++;
    if (is_in_job_) {
        const std::uint64_t which = access.address() - LAXITY_SIM_MARKS_ADDRESS;
        marks_.push_back({.which = static_cast<std::uint32_t>(which), .index = access.index()});
    }
}

/* The event of the next word; nothing if there is none in it, and then it is taken. */
std::optional<Event> Reader::examine(std::uint64_t word)
{
    switch (word >> LAXITY_RECORD_KIND_SHIFT) {
    case LAXITY_SIM_EXECUTION:
        if ((word & ID_MASK) < blocks_.size()) {
            const char *const clock = is_in_job_ ? block_of(word & ID_MASK).clock : nullptr;
            if (clock != nullptr && judge_.on_clock != nullptr) {
                judge_.on_clock(judge_.context, clock);
            }
            return Event::Block;
        }
        fail("its stream executes a block that it has not defined");
        return std::nullopt;
    case LAXITY_SIM_ACCESS: {
        const std::optional<Event> event = event_of(Access{word});
        if (!event) {
            pass_mark(Access{word});
        }
        return event;
    }
    case LAXITY_SIM_BLOCK:
        next_++;
        if (!define(word & ID_MASK)) {
            fail("its stream defines a block that cannot be");
        }
        return std::nullopt;
    default:
        next_++;
        judge(word);
        return std::nullopt;
    }
}

Event Reader::peek_slowly()
{
    while (next_ != end_ || fill()) {
        const std::optional<Event> event = examine(*next_);
        if (event) {
            return *event;
        }
    }
    return Event::End;
}

std::string Reader::why() const
{
    return problem_.empty() ? source_.why(source_.context) : problem_;
}

} // namespace laxity
