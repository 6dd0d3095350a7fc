// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace laxity::workingset {

/* What LLVM knows about the integers and loops of one function. Its analyses want a function that
 * could be changed; they do not change it. */
class ScalarFacts {
  public:
    explicit ScalarFacts(const llvm::Function &function);

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

    /* The values of an integer in a block, as signed numbers: by its operands, by the branches that
     * lead there and by the turns of its loops. */
    [[nodiscard]] llvm::ConstantRange
    range(const llvm::Value &integer, const llvm::BasicBlock &block);

  private:
    [[nodiscard]] llvm::ConstantRange
    range(const llvm::Value &integer, const llvm::BasicBlock &block, unsigned depth);
    [[nodiscard]] llvm::ConstantRange
    range_by_operands(const llvm::Value &integer, const llvm::BasicBlock &block, unsigned depth);
    [[nodiscard]] llvm::ConstantRange
    range_by_branches(const llvm::Value &integer, const llvm::BasicBlock &block, unsigned depth);
    [[nodiscard]] llvm::ConstantRange range_if(
        const llvm::Value &condition,
        bool holds,
        const llvm::Value &integer,
        const llvm::BasicBlock &block,
        unsigned depth
    );

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
