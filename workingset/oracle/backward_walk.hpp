// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// From the end of a resolved trace to its beginning: the bytes that are live before each executed
// instruction.
#ifndef LAXITY_WORKINGSET_BACKWARD_WALK_HPP
#define LAXITY_WORKINGSET_BACKWARD_WALK_HPP

#include "live_bytes.hpp"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "resolve.hpp"
#include "static_sets.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace laxity::workingset::oracle {

// Whether it counts as executed by itself: the phis of a block are one step at its head, debug
// intrinsics are none.
[[nodiscard]] bool is_point(const llvm::Instruction &instruction);

class BackwardWalk {
  public:
    using Visit = llvm::function_ref<void(uint32_t instruction, uint32_t context)>;
    // An access, before it changes what is live; without an instruction where a function outside
    // the program made it.
    using Touch = llvm::function_ref<void(
        std::optional<uint32_t> instruction, uint32_t slot, uint64_t offset, uint64_t size_bytes
    )>;

    BackwardWalk(
        std::span<const uint64_t> words,
        const Resolved &resolved,
        const Numbering &numbering,
        const StaticSets &sets
    );

    // Calls `visit` for each executed point, the last one first; live() is then what is live just
    // before it. The context is that of the trace.
    void run(Visit visit, Touch touch = nullptr);

    [[nodiscard]] LiveBytes &live()
    {
        return live_;
    }
    // By slot of the trace, the analysis's object, or LiveBytes::NO_OBJECT.
    [[nodiscard]] const std::vector<unsigned> &objects() const
    {
        return objects_;
    }

  private:
    size_t take_segment(size_t position, Visit visit, Touch touch);
    void take_access(size_t position, uint32_t instruction, Touch touch);
    void take_range(size_t position, Touch touch);
    [[nodiscard]] const std::vector<bool> *undefined_at(size_t position) const;

    std::span<const uint64_t> words_;
    const Resolved &resolved_;
    const Numbering &numbering_;
    std::vector<unsigned> objects_; // by slot
    LiveBytes live_;
    std::vector<MemoryEffect> effects_;
    std::vector<bool> is_point_;
};

} // namespace laxity::workingset::oracle

#endif
