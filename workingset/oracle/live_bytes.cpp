// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "live_bytes.hpp"

#include <algorithm>

namespace laxity::workingset::oracle {

LiveBytes::LiveBytes(
    std::span<const Slot> slots, std::span<const unsigned> objects, const StaticSets &sets
)
    : slots_(slots), objects_(objects), states_(sets.object_count()), live_(slots.size()),
      cell_counts_(sets.cell_count()), cells_(sets.cell_count())
{
    std::vector<uint64_t> largest_bytes(sets.object_count(), 0);
    for (size_t i = 0; i < slots.size(); i++) {
        if (objects[i] != NO_OBJECT) {
            largest_bytes[objects[i]] = std::max(largest_bytes[objects[i]], slots[i].size_bytes);
        }
    }
    for (unsigned number = 0; number < states_.size(); number++) {
        const StaticObject &object = sets.object(number);
        ObjectState &state = states_[number];
        uint64_t size_bytes = largest_bytes[number];
        if (size_bytes == 0) {
            continue;
        }
        for (uint64_t offset = 0; offset < size_bytes; offset++) {
            state.cells.push_back(sets.cell_of(number, offset));
        }
        state.memory_class = object.memory_class;
        state.is_counted = !object.has_many_instances && object.size_bytes > 0;
        if (state.is_counted) {
            state.first_word = words_.size();
            words_.resize(words_.size() + (size_bytes + 63) / 64, 0);
            word_objects_.resize(words_.size(), number);
        }
    }
}

void LiveBytes::set(uint32_t slot, uint64_t offset)
{
    live_[slot][offset] = true;
    ObjectState &object = states_[objects_[slot]];
    uint32_t cell = cell_at(object, offset);
    if (cell_counts_[cell]++ == 0) {
        cells_.set(cell);
        gained_cells_.add(cell);
    }
    if (object.is_counted) {
        class_bytes_[static_cast<size_t>(object.memory_class)]++;
        add_up(object);
        object.live_bytes++;
        auto word = static_cast<uint32_t>(object.first_word + offset / 64);
        words_[word] |= uint64_t{1} << (offset % 64);
        gained_words_.add(word);
    }
}

void LiveBytes::clear(uint32_t slot, uint64_t offset)
{
    live_[slot][offset] = false;
    ObjectState &object = states_[objects_[slot]];
    uint32_t cell = cell_at(object, offset);
    if (--cell_counts_[cell] == 0) {
        cells_.reset(cell);
    }
    if (object.is_counted) {
        class_bytes_[static_cast<size_t>(object.memory_class)]--;
        add_up(object);
        object.live_bytes--;
        words_[object.first_word + offset / 64] &= ~(uint64_t{1} << (offset % 64));
    }
}

void LiveBytes::read(
    uint32_t slot, uint64_t offset, uint64_t size_bytes, const std::vector<bool> *undefined
)
{
    if (objects_[slot] == NO_OBJECT) {
        return;
    }
    std::vector<bool> &live = live_[slot];
    if (live.empty()) {
        live.assign(slots_[slot].size_bytes, false);
    }
    uint64_t end = std::min<uint64_t>(offset + size_bytes, live.size());
    for (uint64_t i = offset; i < end; i++) {
        if (!live[i] && !(undefined && (*undefined)[i - offset])) {
            set(slot, i);
        }
    }
}

void LiveBytes::end_life(uint32_t slot, uint64_t offset, uint64_t size_bytes)
{
    std::vector<bool> &live = live_[slot];
    uint64_t end = std::min<uint64_t>(offset + size_bytes, live.size());
    for (uint64_t i = offset; i < end; i++) {
        if (live[i]) {
            clear(slot, i);
        }
    }
}

uint64_t LiveBytes::first_live_offset(unsigned cell) const
{
    for (size_t slot = 0; slot < slots_.size(); slot++) {
        for (uint64_t i = 0; i < live_[slot].size(); i++) {
            if (live_[slot][i] && cell_at(states_[objects_[slot]], i) == cell) {
                return i;
            }
        }
    }
    return 0;
}

} // namespace laxity::workingset::oracle
