// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/objects.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace laxity::workingset {

/* Live bits per storage class, and where they have no bound. */
struct LiveBits {
    std::array<uint64_t, STORAGE_CLASSES> bits = {}; // what is bounded
    // Of what is not: bits of one level of the recursion or of one block of the heap site; 0: the
    // class is bounded, or such an object is live whose size nobody knows.
    std::array<uint64_t, STORAGE_CLASSES> bits_per_level = {};
    std::array<bool, STORAGE_CLASSES> is_unbounded = {};

    friend bool operator==(const LiveBits &, const LiveBits &) = default;
    [[nodiscard]] uint64_t total() const;
    [[nodiscard]] bool is_bounded() const;
};

/* The largest and the smallest over contexts. */
struct Span {
    LiveBits most, least;
    uint64_t most_total = 0, least_total = 0;
};

/* One instruction, over all calling contexts. */
struct Row {
    LiveBits most; // per class; not all need to be from one context
    LiveBits least;
    uint64_t most_total = 0; // of one context
    uint64_t least_total = 0;
    std::optional<uint64_t> contexts; // call strings; nullopt: recursion, no end of them
    bool is_merged = false;           // contexts were joined: `most` holds, but may be too large
    bool is_reached = false;          // from the root

    friend bool operator==(const Row &, const Row &) = default;
};

/* By one more context. Returns whether anything had to grow, resp. shrink. */
bool widen(Span &span, const Span &other);
void widen(Row &row, const Row &other);

/* Bytes [first_byte, end_byte) of one object; the whole object where its size is not known. */
struct CellRange {
    unsigned object;
    uint64_t first_byte;
    uint64_t end_byte;
    friend bool operator==(const CellRange &, const CellRange &) = default;
};

/* What is live before one instruction in one calling context. */
struct LiveSet {
    uint64_t ssa_bits = 0;        // of the instruction's function
    uint64_t caller_ssa_bits = 0; // across the calls of the context
    std::vector<CellRange> cells; // sorted; touching ranges of one object are one
};

} // namespace laxity::workingset
