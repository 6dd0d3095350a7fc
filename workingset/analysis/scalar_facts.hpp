// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <optional>
#include <vector>

namespace laxity::workingset {

/* The integers that loads can give, as far as somebody knows: find_stored_ranges(). */
struct StoredRanges {
    std::vector<llvm::ConstantRange> slots; // what each place in memory can hold
    llvm::DenseMap<const llvm::LoadInst *, llvm::SmallVector<unsigned, 2>> slots_of;

    /* The full set: anything. */
    [[nodiscard]] llvm::ConstantRange range(const llvm::LoadInst &load) const;
};

/* What LLVM knows about the integers and loops of one function. Its analyses want a function that
 * could be changed; they do not change it. */
class ScalarFacts {
  public:
    /* `stored`: what is known of loads. */
    explicit ScalarFacts(const llvm::Function &function, const StoredRanges *stored = nullptr);

    [[nodiscard]] const llvm::DominatorTree &dominators() const
    {
        return dominators_;
    }
    [[nodiscard]] const llvm::LoopInfo &loops() const
    {
        return loops_;
    }
    [[nodiscard]] llvm::ScalarEvolution &evolution()
    {
        return evolution_;
    }
    [[nodiscard]] const llvm::SCEV *scev(const llvm::Value &value);

    /* What changes by the same number of bytes in each turn of a loop. */
    struct Walk {
        const llvm::Loop *loop;
        const llvm::SCEV *start; // as it is outside of the loop
        const llvm::SCEV *step;
    };
    /* nullopt: the place is no such walk of its outermost part. Also those that scalar evolution
     * does not see, since inner loops move the pointer, too. */
    [[nodiscard]] std::optional<Walk> find_walk(const llvm::SCEV &place);

    /* The values of an integer in a block, as signed numbers: by its operands, by the branches that
     * lead there and by the turns of its loops. */
    [[nodiscard]] llvm::ConstantRange
    range(const llvm::Value &integer, const llvm::BasicBlock &block);

    /* What is known of loads has changed. */
    void forget_ranges()
    {
        ranges_.clear();
    }

  private:
    [[nodiscard]] llvm::ConstantRange
    range(const llvm::Value &integer, const llvm::BasicBlock &block, unsigned depth);
    [[nodiscard]] llvm::ConstantRange
    range_by_operands(const llvm::Value &integer, const llvm::BasicBlock &block, unsigned depth);
    [[nodiscard]] llvm::ConstantRange range_of_web(const llvm::PHINode &phi, unsigned depth);
    [[nodiscard]] llvm::ConstantRange
    range_by_branches(const llvm::Value &integer, const llvm::BasicBlock &block, unsigned depth);
    [[nodiscard]] llvm::ConstantRange range_if(
        const llvm::Value &condition,
        bool holds,
        const llvm::Value &integer,
        const llvm::BasicBlock &block,
        unsigned depth
    );

    const StoredRanges *stored_;
    llvm::TargetLibraryInfoImpl library_;
    llvm::TargetLibraryInfo library_info_;
    llvm::DominatorTree dominators_;
    llvm::LoopInfo loops_;
    llvm::AssumptionCache assumptions_;
    llvm::ScalarEvolution evolution_;
    llvm::DenseMap<std::pair<const llvm::Value *, const llvm::BasicBlock *>, llvm::ConstantRange>
        ranges_;
};

} // namespace laxity::workingset
