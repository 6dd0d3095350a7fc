// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/live_counter.hpp"

#include <algorithm>
#include <bit>

namespace laxity::workingset {

namespace {

unsigned number_of_first(unsigned word_index, uint64_t bits)
{
    return word_index * CellSet::WORD_BITS + static_cast<unsigned>(std::countr_zero(bits));
}

} // namespace

LiveBits bits_of(const CellSet &live, const Cells &cells)
{
    LiveBits bits;
    for (unsigned number : live) {
        const Cell &cell = cells[number];
        const auto storage = static_cast<size_t>(cell.storage);
        (cell.is_unbounded ? bits.bits_per_level : bits.bits)[storage] += cell.bits;
        bits.is_unbounded[storage] = bits.is_unbounded[storage] || cell.is_unbounded;
    }
    return bits;
}

void add_bits(LiveBits &bits, const LiveBits &more)
{
    for (size_t i = 0; i < STORAGE_CLASSES; i++) {
        bits.bits[i] += more.bits[i];
        bits.bits_per_level[i] += more.bits_per_level[i];
        bits.is_unbounded[i] = bits.is_unbounded[i] || more.is_unbounded[i];
    }
}

void LiveCounter::count(const CellSet::Word &cells)
{
    for (uint64_t rest = cells.bits; rest != 0; rest &= rest - 1) {
        const Cell &cell = cells_[number_of_first(cells.index, rest)];
        const auto storage = static_cast<size_t>(cell.storage);
        if (cell.is_unbounded) {
            unbounded_bits_[storage] += cell.bits;
            unbounded_cells_[storage]++;
        } else {
            bits_[storage] += cell.bits;
        }
    }
}

void LiveCounter::discount(const CellSet::Word &cells)
{
    for (uint64_t rest = cells.bits; rest != 0; rest &= rest - 1) {
        const Cell &cell = cells_[number_of_first(cells.index, rest)];
        const auto storage = static_cast<size_t>(cell.storage);
        if (cell.is_unbounded) {
            unbounded_bits_[storage] -= cell.bits;
            unbounded_cells_[storage]--;
        } else {
            bits_[storage] -= cell.bits;
        }
    }
}

void LiveCounter::start(const CellSet &live, const CellSet &defined)
{
    std::ranges::fill(live_, 0);
    std::ranges::fill(defined_, 0);
    bits_ = {};
    unbounded_bits_ = {};
    unbounded_cells_ = {};
    for (const CellSet::Word &word : defined.words()) {
        defined_[word.index] = word.bits;
    }
    add(live);
}

void LiveCounter::set_live(const CellSet &live)
{
    auto word = live.words().begin();
    for (unsigned index = 0; index < live_.size(); index++) {
        const bool is_here = word != live.words().end() && word->index == index;
        const uint64_t wanted = is_here ? word->bits : 0;
        word += is_here ? 1 : 0;
        discount({.index = index, .bits = live_[index] & ~wanted & defined_[index]});
        count({.index = index, .bits = wanted & ~live_[index] & defined_[index]});
        live_[index] = wanted;
    }
}

void LiveCounter::add(const CellSet &live)
{
    for (const auto &[index, bits] : live.words()) {
        count({.index = index, .bits = bits & ~live_[index] & defined_[index]});
        live_[index] |= bits;
    }
}

void LiveCounter::remove(const CellSet &dead)
{
    for (const auto &[index, bits] : dead.words()) {
        discount({.index = index, .bits = bits & live_[index] & defined_[index]});
        live_[index] &= ~bits;
    }
}

void LiveCounter::define(const CellSet &cells)
{
    for (const auto &[index, bits] : cells.words()) {
        count({.index = index, .bits = bits & live_[index] & ~defined_[index]});
        defined_[index] |= bits;
    }
}

void LiveCounter::undefine(const CellSet &cells)
{
    for (const auto &[index, bits] : cells.words()) {
        discount({.index = index, .bits = bits & live_[index] & defined_[index]});
        defined_[index] &= ~bits;
    }
}

CellSet LiveCounter::live() const
{
    CellSet cells;
    for (unsigned index = 0; index < live_.size(); index++) {
        if (live_[index] != 0) {
            cells.push_back({.index = index, .bits = live_[index]});
        }
    }
    return cells;
}

LiveBits LiveCounter::bits_of_defined(const CellSet &cells) const
{
    CellSet both;
    for (const auto &[index, bits] : cells.words()) {
        if ((bits & defined_[index]) != 0) {
            both.push_back({.index = index, .bits = bits & defined_[index]});
        }
    }
    return laxity::workingset::bits_of(both, cells_);
}

LiveBits LiveCounter::bits() const
{
    LiveBits result;
    result.bits = bits_;
    result.bits_per_level = unbounded_bits_;
    for (size_t i = 0; i < STORAGE_CLASSES; i++) {
        result.is_unbounded[i] = unbounded_cells_[i] > 0;
    }
    return result;
}

} // namespace laxity::workingset
