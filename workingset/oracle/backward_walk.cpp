// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "backward_walk.hpp"

#include "llvm/IR/IntrinsicInst.h"
#include "trace_file.hpp"

#include <algorithm>

namespace laxity::workingset::oracle {

namespace {

const llvm::Value *value_of(const Slot &slot, const Numbering &numbering)
{
    switch (slot.kind) {
    case LAXITY_TRACE_GLOBAL:
        return numbering.globals[slot.index];
    case LAXITY_TRACE_ARGUMENT:
        return numbering.arguments[slot.index];
    case LAXITY_TRACE_INSTRUCTION:
        break;
    }
    return numbering.instructions[slot.index];
}

std::vector<unsigned>
objects_of_slots(const Resolved &resolved, const Numbering &numbering, const StaticSets &sets)
{
    std::vector<unsigned> objects;
    for (const Slot &slot : resolved.slots) {
        const llvm::Value *value = value_of(slot, numbering);
        objects.push_back(sets.object_of(*value).value_or(LiveBytes::NO_OBJECT));
    }
    return objects;
}

} // namespace

bool is_point(const llvm::Instruction &instruction)
{
    return !llvm::isa<llvm::PHINode>(instruction) &&
           !llvm::isa<llvm::DbgInfoIntrinsic>(instruction);
}

BackwardWalk::BackwardWalk(
    std::span<const uint64_t> words,
    const Resolved &resolved,
    const Numbering &numbering,
    const StaticSets &sets
)
    : words_(words), resolved_(resolved), numbering_(numbering),
      objects_(objects_of_slots(resolved, numbering, sets)), live_(resolved.slots, objects_, sets)
{
    for (const llvm::Instruction *instruction : numbering.instructions) {
        effects_.push_back(memory_effect(*instruction));
        is_point_.push_back(is_point(*instruction));
    }
}

const std::vector<bool> *BackwardWalk::undefined_at(size_t position) const
{
    auto found = resolved_.undefined.find(position);
    return found == resolved_.undefined.end() ? nullptr : &found->second;
}

void BackwardWalk::take_access(size_t position, uint32_t instruction, Touch touch)
{
    uint64_t word = words_[position];
    uint32_t slot = upper_payload(word);
    if (slot == NO_SLOT) {
        return;
    }
    if (llvm::isa<llvm::AllocaInst>(numbering_.instructions[instruction])) {
        live_.end_life(slot, 0, resolved_.slots[slot].size_bytes);
        return;
    }
    MemoryEffect effect = effects_[instruction];
    if (touch) {
        uint64_t size_bytes = std::max(effect.read_bytes, effect.written_bytes);
        touch(instruction, slot, lower_payload(word), size_bytes);
    }
    live_.end_life(slot, lower_payload(word), effect.written_bytes);
    if (effect.read_bytes > 0) {
        live_.read(slot, lower_payload(word), effect.read_bytes, undefined_at(position));
    }
}

void BackwardWalk::take_range(size_t position, Touch touch)
{
    uint64_t word = words_[position];
    uint32_t slot = upper_payload(word);
    uint64_t size_bytes = payload_of(words_[position - 1]);
    if (slot == NO_SLOT) {
        return;
    }
    bool is_access = tag_of(word) == LAXITY_TRACE_READ || tag_of(word) == LAXITY_TRACE_WRITE;
    if (touch && is_access) {
        touch(std::nullopt, slot, lower_payload(word), size_bytes);
    }
    if (tag_of(word) == LAXITY_TRACE_READ) {
        live_.read(slot, lower_payload(word), size_bytes, undefined_at(position));
    } else {
        live_.end_life(slot, lower_payload(word), size_bytes);
    }
}

// From the instruction that ended the segment up to its first; returns where the words of the
// segment begin.
size_t BackwardWalk::take_segment(size_t position, Visit visit, Touch touch)
{
    uint32_t last = upper_payload(words_[position]);
    uint32_t context = lower_payload(words_[position]);
    visit(last, context);
    for (uint32_t i = last; i-- > numbering_.segment_begin(last);) {
        Traced traced = numbering_.traced[i];
        if (traced == Traced::Access || traced == Traced::SizedAccess) {
            take_access(--position, i, touch);
        }
        if (traced == Traced::SizedAccess) {
            position--;
        }
        if (is_point_[i]) {
            visit(i, context);
        }
    }
    return position;
}

void BackwardWalk::run(Visit visit, Touch touch)
{
    for (size_t i = words_.size(); i-- > 0;) {
        switch (tag_of(words_[i])) {
        case LAXITY_TRACE_SEGMENT:
            i = take_segment(i, visit, touch);
            break;
        case LAXITY_TRACE_READ:
        case LAXITY_TRACE_WRITE:
        case LAXITY_TRACE_FORGET:
        case LAXITY_TRACE_BIRTH:
            take_range(i, touch);
            break;
        default: // sizes and objects belong to the word behind them; contexts are known
            break;
        }
    }
}

} // namespace laxity::workingset::oracle
