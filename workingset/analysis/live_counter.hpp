// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/cells.hpp"
#include "analysis/results.hpp"

#include <vector>

namespace laxity::workingset {

/* Bits of several cells, per class. */
[[nodiscard]] LiveBits bits_of(const CellSet &live, const Cells &cells);

/* Adds what `more` has on top of `bits`. */
void add_bits(LiveBits &bits, const LiveBits &more);

/* A live set that changes cell by cell, and its bits: only cells that are also defined count. */
class LiveCounter {
  public:
    explicit LiveCounter(const Cells &cells)
        : cells_(cells), live_(cells.size() / CellSet::WORD_BITS + 1), defined_(live_.size())
    {
    }

    void start(const CellSet &live, const CellSet &defined);
    void set_live(const CellSet &live);
    void add(const CellSet &live);
    void remove(const CellSet &dead);
    void define(const CellSet &cells);
    void undefine(const CellSet &cells);

    [[nodiscard]] CellSet live() const;
    [[nodiscard]] LiveBits bits() const;
    [[nodiscard]] LiveBits bits_of_defined(const CellSet &cells) const;

  private:
    void count(const CellSet::Word &cells);
    void discount(const CellSet::Word &cells);

    const Cells &cells_;
    std::vector<uint64_t> live_, defined_; // a bit per cell, in the words of CellSet
    std::array<uint64_t, STORAGE_CLASSES> bits_ = {};
    std::array<uint64_t, STORAGE_CLASSES> unbounded_bits_ = {};
    std::array<unsigned, STORAGE_CLASSES> unbounded_cells_ = {};
};

} // namespace laxity::workingset
