// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// Live bytes along a run: what the analysis bounds them by, and what they were (Raffeck et al.,
// figure 7).
#ifndef LAXITY_WORKINGSET_PROGRESSION_HPP
#define LAXITY_WORKINGSET_PROGRESSION_HPP

#include "llvm/Support/raw_ostream.h"
#include "resolve.hpp"
#include "static_sets.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace laxity::workingset::oracle {

struct ByteRange {
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    void add(uint64_t bytes)
    {
        least = std::min(least, bytes);
        most = std::max(most, bytes);
    }
};

// A stretch of the run. It holds the extremes of all that was executed in it, so no peak is missed.
struct Stretch {
    uint64_t first = 0;    // executed points before it
    uint64_t executed = 0; // points in it
    ByteRange dynamic_bytes;
    ByteRange static_bytes;
};

// At most `wanted` (at least 1) stretches of the same length but for 1, from the first executed
// point to the last. Only what is executed in a context of the analysis counts; only memory, of
// objects with one instance.
[[nodiscard]] std::vector<Stretch> find_progression(
    std::span<const uint64_t> resolved_words,
    const Resolved &resolved,
    const Numbering &numbering,
    StaticSets &sets,
    uint64_t wanted
);

// first,executed,dynamic_min_bytes,dynamic_max_bytes,static_min_bytes,static_max_bytes
void print_progression(llvm::raw_ostream &out, const std::vector<Stretch> &stretches);

} // namespace laxity::workingset::oracle

#endif
