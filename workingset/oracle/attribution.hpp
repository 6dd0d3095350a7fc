// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// Why the static sets are larger than what was live: every byte-point of the difference has one
// cause.
#ifndef LAXITY_WORKINGSET_ATTRIBUTION_HPP
#define LAXITY_WORKINGSET_ATTRIBUTION_HPP

#include "judge.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace laxity::workingset::oracle {

// Of a byte that is called live before an instruction in a context, where it was not; the first
// that holds. docs/working-set-proof.md defines them.
enum class Cause : uint8_t {
    Time,
    Context,
    UnexecutedPath,
    Volatile,
    ArrayRange,
    Aliasing,
    Other
};
constexpr unsigned CAUSES = 7;
[[nodiscard]] const char *cause_name(Cause cause);

// Byte-points of one object over the checked points.
struct ObjectAttribution {
    unsigned object;
    uint64_t static_bytes = 0;
    uint64_t best_bytes = 0;
    uint64_t dynamic_bytes = 0;
    std::array<uint64_t, CAUSES> lost_bytes = {}; // sum: static - dynamic
};

struct Attribution {
    std::array<uint64_t, CAUSES> lost_bytes = {};
    std::vector<ObjectAttribution> objects; // with one instance; those that lose most first
};

// Of a verdict without violations. The module is copied, and the copy analysed without the blocks
// that were not executed; `options` as for the analysis itself.
[[nodiscard]] llvm::Expected<Attribution> attribute(
    const Verdict &verdict,
    const Resolved &resolved,
    const llvm::Module &module,
    const Numbering &numbering,
    const StaticSets &sets,
    const StaticSets::Options &options
);

} // namespace laxity::workingset::oracle

#endif
