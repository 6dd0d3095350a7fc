/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "program.hpp"

#include "harness/mark_table.h"
#include "interface/engine.h"
#include "interface/records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace naive {

namespace {

constexpr std::uint64_t ID_MASK = 0xffffffff;
constexpr std::uint64_t SIZE_MASK = 0xf;
constexpr std::uint64_t INDEX_MASK = 0x1ff;
constexpr std::size_t WORD_BYTES = sizeof(std::uint64_t);

std::size_t words_of(std::size_t bytes)
{
    return (bytes + WORD_BYTES - 1) / WORD_BYTES;
}

} // namespace

bool Program::take_word(std::uint64_t &word)
{
    if (has_put_back_) {
        has_put_back_ = false;
        word = put_back_;
        return true;
    }
    if (has_ended_ || source_.read(source_.context, &word, 1) == 0) {
        has_ended_ = true;
        return false;
    }
    return true;
}

bool Program::define(std::uint64_t id)
{
    std::uint64_t address = 0;
    std::uint64_t n = 0;
    if (id != blocks_.size() || !take_word(address) || !take_word(n) || n == 0 ||
        n > LAXITY_RECORD_INSTRUCTIONS_MAX) {
        return false;
    }
    std::vector<std::uint64_t> sizes(words_of(n));
    for (std::uint64_t &word : sizes) {
        if (!take_word(word)) {
            return false;
        }
    }
    Block block{address, std::vector<laxity_sim_instruction>(n)};
    std::size_t code_bytes = 0;
    for (std::size_t i = 0; i < n; i++) {
        laxity_sim_instruction &instruction = block.instructions[i];
        std::memcpy(&instruction.bytes, reinterpret_cast<const char *>(sizes.data()) + i, 1);
        instruction.ticks = instruction_ticks_;
        code_bytes += instruction.bytes;
    }
    std::vector<std::uint64_t> code(words_of(code_bytes));
    for (std::uint64_t &word : code) {
        if (!take_word(word)) {
            return false;
        }
    }
    if (decoder_.decode != nullptr) {
        decoder_.decode(
            decoder_.context,
            address,
            reinterpret_cast<const std::uint8_t *>(code.data()),
            block.instructions.data(),
            static_cast<std::uint32_t>(n)
        );
    }
    blocks_.push_back(std::move(block));
    return true;
}

/* What a program asks the kernel is nothing to the model. */
bool Program::skip_call(std::uint64_t word)
{
    unsigned n = (word & LAXITY_RECORD_RETURN) != 0 ? 1 : LAXITY_RECORD_ARGUMENTS;
    while (n > 0 && take_word(word)) {
        n--;
    }
    return n == 0;
}

bool Program::execute(std::uint64_t id)
{
    if (id >= blocks_.size()) {
        return false;
    }
    std::uint64_t address = blocks_[id].address;
    for (const laxity_sim_instruction &needs : blocks_[id].instructions) {
        instructions_.push_back({n_executions_, address, needs, {}, {}, {}, false, false, false});
        address += needs.bytes;
    }
    instructions_.back().is_last = true;
    n_executions_++;
    return true;
}

/* To an instruction of the execution that is being read. */
void Program::add_access(std::uint64_t word)
{
    const std::uint64_t index = word >> LAXITY_RECORD_INDEX_SHIFT & INDEX_MASK;
    if (index >= instructions_.size() || index + 1 < behind_access_) {
        end_ = end_.value_or(behind_access_);
        return;
    }
    Instruction &instruction = instructions_[index];
    const std::uint64_t address = word & LAXITY_RECORD_ADDRESS_MASK;
    const bool is_store = (word >> LAXITY_RECORD_STORE_SHIFT & 1) != 0;
    if (is_store && address >= LAXITY_SIM_MARKS_ADDRESS &&
        address < LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_TABLE_BYTES) {
        if (address == LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_START) {
            instruction.marks.push_back(Mark::Start);
        } else if (address == LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_FINISH) {
            instruction.marks.push_back(Mark::Finish);
        } else {
            const std::uint64_t which = address - LAXITY_SIM_MARKS_ADDRESS;
            instruction.others.push_back(static_cast<std::uint32_t>(which));
        }
        return;
    }
    behind_access_ = index + 1;
    const std::uint64_t bytes = std::uint64_t{1} << (word >> LAXITY_RECORD_SIZE_SHIFT & SIZE_MASK);
    Access access{address, bytes, is_store};
    access.is_forbidden = is_store && touches_shared(access);
    instruction.accesses.push_back(access);
}

bool Program::touches_shared(const Access &access) const
{
    return std::ranges::any_of(shared_, [&](const laxity_sim_range &range) {
        return access.address < range.end && access.address + access.bytes > range.begin;
    });
}

/* Within a job: the next access of the execution is a store that cannot be. */
bool Program::is_forbidden_next() const
{
    for (const Instruction &instruction : instructions_) {
        const bool has_finish =
            std::ranges::find(instruction.marks, Mark::Finish) != instruction.marks.end();
        if (instruction.is_end || has_finish) {
            return false;
        }
        if (!instruction.accesses.empty()) {
            return instruction.accesses.front().is_forbidden;
        }
    }
    return false;
}

/* What is executed of an instruction whose first access is none that cannot be; the program ends
 * behind it if a later one is. */
void Program::cut_forbidden(Instruction &instruction)
{
    std::vector<Access> &accesses = instruction.accesses;
    const auto first = std::ranges::find_if(accesses, &Access::is_forbidden);
    if (first == accesses.end()) {
        return;
    }
    accesses.erase(first, accesses.end());
    has_stored_into_shared_ = true;
    instructions_.push_front(
        {instruction.execution, instruction.address, {}, {}, {}, {}, false, false, true}
    );
}

/* Reads one execution of a block with all its accesses; false if none is left. */
bool Program::read_execution()
{
    bool has_execution = false;
    bool is_good = true;
    std::uint64_t word = 0;
    while (is_good && take_word(word)) {
        const std::uint64_t kind = word >> LAXITY_RECORD_KIND_SHIFT;
        if (kind == LAXITY_SIM_CALL) {
            is_good = skip_call(word);
            continue;
        }
        if (kind != LAXITY_SIM_ACCESS && has_execution) {
            put_back_ = word;
            has_put_back_ = true;
            return true;
        }
        if (kind == LAXITY_SIM_BLOCK) {
            is_good = define(word & ID_MASK);
        } else if (kind == LAXITY_SIM_EXECUTION) {
            is_good = execute(word & ID_MASK);
            has_execution = true;
        } else {
            is_good = kind == LAXITY_SIM_ACCESS && has_execution;
            if (is_good) {
                add_access(word);
            }
        }
    }
    has_ended_ = true;
    return has_execution && !instructions_.empty();
}

bool Program::has_instruction()
{
    if (!instructions_.empty()) {
        return true;
    }
    behind_access_ = 0;
    end_.reset();
    const bool has_some = read_execution();
    if (end_) {
        const auto place = instructions_.begin() + static_cast<std::ptrdiff_t>(*end_);
        const Instruction &first = instructions_.front();
        instructions_.insert(
            place, {first.execution, first.address, {}, {}, {}, {}, false, false, true}
        );
    }
    return has_some;
}

bool Program::begin_job()
{
    while (has_instruction()) {
        Instruction &front = instructions_.front();
        while (!front.marks.empty()) {
            const Mark mark = front.marks.front();
            front.marks.erase(front.marks.begin());
            if (mark == Mark::Start) {
                front.is_border = true;
                return true;
            }
        }
        instructions_.pop_front();
    }
    return false;
}

Next Program::next()
{
    while (has_instruction()) {
        const Instruction &front = instructions_.front();
        has_stored_into_shared_ |= is_forbidden_next();
        if (front.is_end || has_stored_into_shared_) {
            return Next::End;
        }
        if (std::ranges::find(front.marks, Mark::Finish) != front.marks.end()) {
            return Next::Finish;
        }
        if (!front.is_border) {
            return Next::Instruction;
        }
        instructions_.pop_front();
    }
    return Next::End;
}

std::optional<std::uint64_t> Program::block_behind(const Instruction &last)
{
    (void)next();
    if (instructions_.empty() || instructions_.front().execution == last.execution) {
        return std::nullopt;
    }
    return instructions_.front().address;
}

std::uint64_t Program::next_address()
{
    return next() == Next::Instruction ? instructions_.front().address : 0;
}

Instruction Program::take()
{
    Instruction instruction = instructions_.front();
    instructions_.pop_front();
    cut_forbidden(instruction);
    return instruction;
}

void Program::finish_job()
{
    Instruction &front = instructions_.front();
    const auto finish = std::ranges::find(front.marks, Mark::Finish);
    front.marks.erase(front.marks.begin(), finish + 1);
    front.is_border = true;
}

} // namespace naive
