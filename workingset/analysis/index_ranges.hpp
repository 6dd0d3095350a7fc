// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/byte_runs.hpp"
#include "analysis/scalar_facts.hpp"
#include "analysis/turn_values.hpp"

#include <memory>

namespace laxity::workingset {

/* Where an access may go: `runs` count from what `base` points to. */
struct Reach {
    const llvm::Value *base;
    ByteRuns runs;
};

/*
 * The bytes that a pointer with a variable offset can reach.
 *
 * The offset is a sum of indices times strides. Of each index the turns of its loops are known
 * (scalar evolution: start, step, at most so many turns) or its smallest and largest value (its
 * operands, the branches that lead to the access). Whichever says more is taken, so what is
 * reached are runs of bytes, repeated: one row of a matrix, or one field of each element. A pointer
 * that a loop moves by different, but constant steps is followed turn by turn.
 *
 * What is reached is an overestimate, so it may say what is read and what may be written, never
 * what is overwritten. It rests on the assumption that arithmetic with undefined results is in no
 * address (nsw, inbounds), so nothing before or behind an object is accessed. A sum that may wrap
 * around in its type counts as any value of the type.
 */
class IndexRanges {
  public:
    /* Of the instructions of one function. */
    explicit IndexRanges(const llvm::Function &function, const StoredRanges *stored = nullptr);

    /* nullopt: anywhere. `length`: bytes accessed. Where the offset turns out to be a constant,
     * there is one run, of this length. */
    [[nodiscard]] std::optional<Reach>
    reach(const llvm::Value &pointer, uint64_t length_bytes, const llvm::Instruction &at);

  private:
    [[nodiscard]] std::optional<Reach>
    reach_by_sums(const llvm::Value &pointer, uint64_t length_bytes, const llvm::Instruction &at);
    [[nodiscard]] std::optional<Reach>
    reach_by_turns(const llvm::Value &pointer, uint64_t length_bytes, const llvm::Instruction &at);
    [[nodiscard]] bool
    add_indices(const llvm::GEPOperator &gep, const llvm::Instruction &at, Sweep &sweep);
    [[nodiscard]] bool add_index(
        const llvm::Value &index,
        const llvm::APInt &stride,
        const llvm::Instruction &at,
        Sweep &sweep
    );
    [[nodiscard]] bool add_walk(const llvm::Value *&pointer, Sweep &sweep);
    [[nodiscard]] bool add_turns(const llvm::SCEV &offset, Sweep &sweep);
    [[nodiscard]] bool add_steps(const ScalarFacts::Walk &walk, Sweep &sweep);
    [[nodiscard]] std::optional<Sweep>
    values_of(const llvm::Value &index, const llvm::Instruction &at);
    [[nodiscard]] uint64_t most_turns(const llvm::Loop &loop);
    [[nodiscard]] ScalarFacts &facts();

    const llvm::Function &function_;
    const StoredRanges *stored_;
    const llvm::DataLayout &layout_;
    std::unique_ptr<ScalarFacts> facts_; // made when first asked for
    llvm::DenseMap<const llvm::Loop *, std::unique_ptr<TurnValues>> turn_values_;
};

} // namespace laxity::workingset
