// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Operator.h>
#include <optional>
#include <vector>

namespace laxity::workingset {

/* Where a pointer of a loop points to in each turn, counted from what `start` points to. */
struct TurnPlaces {
    const llvm::Value *start; // outside of the loop
    std::vector<int64_t> offsets_bytes;
};

/*
 * What a loop computes from constants alone, turn by turn: for (x = 8; x > 0; x /= 2) p += x.
 *
 * Of a loop of few turns the numbers in its header are constants in the first turn where they
 * start as constants, and in each further one where they are computed from such. So are the
 * distances of a pointer that they move. Scalar evolution knows sums of constant steps only.
 * Numbers of inner loops, and those that depend on memory or on branches, are not known.
 */
class TurnValues {
  public:
    /* More turns are not gone through. */
    static constexpr unsigned MAX_TURNS = 64;

    /* `turns`: how often the header runs at most. */
    TurnValues(const llvm::LoopInfo &loops, const llvm::Loop &loop, unsigned turns);

    /* Of a pointer that is computed in the loop; nullopt: not known. */
    [[nodiscard]] std::optional<TurnPlaces> places(const llvm::Value &pointer);

  private:
    /* One getelementptr: strides of its variable indices, and what its constants come to. */
    struct Step {
        llvm::MapVector<llvm::Value *, llvm::APInt> strides;
        llvm::APInt bytes;
    };
    using Steps = llvm::SmallVector<Step, 1>;

    [[nodiscard]] bool is_of_turn(const llvm::Instruction &instruction) const;
    [[nodiscard]] const llvm::PHINode *find_header_phi(const llvm::Value &value) const;
    [[nodiscard]] std::optional<llvm::APInt>
    number(const llvm::Value &value, unsigned turn, unsigned depth);
    [[nodiscard]] std::optional<llvm::APInt>
    compute(const llvm::Instruction &instruction, unsigned turn, unsigned depth);
    [[nodiscard]] const std::vector<int64_t> &walk(const llvm::PHINode &phi);
    [[nodiscard]] std::optional<Steps>
    steps_from(const llvm::PHINode &phi, const llvm::Value &pointer) const;
    /* In this turn; turns are asked for in their order. */
    [[nodiscard]] std::optional<int64_t> distance(const Steps &steps, unsigned turn);

    const llvm::LoopInfo &loops_;
    const llvm::Loop &loop_;
    const llvm::DataLayout &layout_;
    unsigned turns_;
    llvm::DenseMap<std::pair<const llvm::Value *, unsigned>, std::optional<llvm::APInt>> numbers_;
    llvm::DenseMap<const llvm::PHINode *, std::vector<int64_t>> walks_; // by turn
};

} // namespace laxity::workingset
