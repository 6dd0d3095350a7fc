// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/live_counter.hpp"

#include <algorithm>
#include <numeric>

namespace laxity::workingset {

uint64_t LiveBits::total() const
{
    return std::accumulate(bits.begin(), bits.end(), uint64_t{0});
}

bool LiveBits::is_bounded() const
{
    return std::ranges::none_of(is_unbounded, [](bool is) { return is; });
}

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

void LiveCounter::count(unsigned cell)
{
    const auto storage = static_cast<size_t>(cells_[cell].storage);
    if (cells_[cell].is_unbounded) {
        unbounded_bits_[storage] += cells_[cell].bits;
        unbounded_cells_[storage]++;
    } else {
        bits_[storage] += cells_[cell].bits;
    }
}

void LiveCounter::discount(unsigned cell)
{
    const auto storage = static_cast<size_t>(cells_[cell].storage);
    if (cells_[cell].is_unbounded) {
        unbounded_bits_[storage] -= cells_[cell].bits;
        unbounded_cells_[storage]--;
    } else {
        bits_[storage] -= cells_[cell].bits;
    }
}

void LiveCounter::start(const CellSet &live, const CellSet &defined)
{
    live_.reset();
    defined_.reset();
    bits_ = {};
    unbounded_bits_ = {};
    unbounded_cells_ = {};
    for (unsigned cell : defined) {
        defined_.set(cell);
    }
    add(live);
}

void LiveCounter::set_live(const CellSet &live)
{
    CellSet gone = this->live();
    gone.intersectWithComplement(live);
    remove(gone);
    add(live);
}

void LiveCounter::add(const CellSet &live)
{
    for (unsigned cell : live) {
        if (!live_.test(cell) && defined_.test(cell)) {
            count(cell);
        }
        live_.set(cell);
    }
}

void LiveCounter::remove(const CellSet &dead)
{
    for (unsigned cell : dead) {
        if (live_.test(cell) && defined_.test(cell)) {
            discount(cell);
        }
        live_.reset(cell);
    }
}

void LiveCounter::define(const CellSet &cells)
{
    for (unsigned cell : cells) {
        if (live_.test(cell) && !defined_.test(cell)) {
            count(cell);
        }
        defined_.set(cell);
    }
}

void LiveCounter::undefine(const CellSet &cells)
{
    for (unsigned cell : cells) {
        if (live_.test(cell) && defined_.test(cell)) {
            discount(cell);
        }
        defined_.reset(cell);
    }
}

CellSet LiveCounter::live() const
{
    CellSet cells;
    for (unsigned cell : live_.set_bits()) {
        cells.set(cell);
    }
    return cells;
}

LiveBits LiveCounter::bits_of_defined(const CellSet &cells) const
{
    CellSet both;
    for (unsigned cell : cells) {
        if (defined_.test(cell)) {
            both.set(cell);
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
