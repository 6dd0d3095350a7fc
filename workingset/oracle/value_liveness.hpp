// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// Liveness of SSA values once more, by the textbook and with no code of the analysis: the poisoned
// program proves these sets, and the analysis must come to the same number of bits at each
// instruction.
#ifndef LAXITY_WORKINGSET_VALUE_LIVENESS_HPP
#define LAXITY_WORKINGSET_VALUE_LIVENESS_HPP

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <cstdint>
#include <vector>

namespace laxity::workingset::oracle {

class ValueLiveness {
  public:
    explicit ValueLiveness(llvm::Function &function);

    // Arguments and results; an alloca of constant size is none, its address follows from the
    // frame.
    [[nodiscard]] const std::vector<llvm::Value *> &values() const
    {
        return values_;
    }
    // Just before the instruction; of a phi: after all phis of its block.
    [[nodiscard]] llvm::BitVector live_before(const llvm::Instruction &instruction) const;
    // Bits of what is live before each instruction of a block, in their order, and of what a call
    // leaves in its caller's frame: live after it, without its result. Of phis: after all of the
    // block. Without what only waits for a second return.
    struct Bits {
        uint64_t before = 0, across = 0;
    };
    [[nodiscard]] std::vector<Bits> bits_in(const llvm::BasicBlock &block) const;
    // Something waits for a second return (setjmp): then more is live than paths tell.
    [[nodiscard]] bool has_second_returns() const
    {
        return !kept_.empty();
    }
    // At the ends of the blocks before this one, and by its phis.
    [[nodiscard]] llvm::BitVector live_into(const llvm::BasicBlock &block) const;

  private:
    void add_value(llvm::Value &value);
    void keep_for_second_returns(llvm::Function &function);
    void step_back(const llvm::Instruction &instruction, llvm::BitVector &live) const;
    [[nodiscard]] llvm::BitVector live_at_end(const llvm::BasicBlock &block) const;
    [[nodiscard]] uint64_t bits_of(const llvm::BitVector &live) const;

    const llvm::DataLayout &layout_;
    std::vector<llvm::Value *> values_;
    std::vector<uint64_t> bits_; // of each
    llvm::DenseMap<const llvm::Value *, unsigned> numbers_;
    llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> live_after_phis_;
    llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> kept_; // behind setjmp
};

} // namespace laxity::workingset::oracle

#endif
