// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <vector>

namespace laxity::workingset {

/*
 * Numbers of the instructions of a module: one per instruction, in the module's order, from 0.
 *
 * Debug intrinsics have none: they are no program points, and -g must not change a figure.
 */
class ModuleIndex {
  public:
    explicit ModuleIndex(const llvm::Module &module);

    struct Place {
        unsigned block; // of the function, from 0
        unsigned index; // in its block, from 0
    };

    [[nodiscard]] unsigned size() const
    {
        return static_cast<unsigned>(instructions_.size());
    }
    [[nodiscard]] bool has_number(const llvm::Instruction &instruction) const
    {
        return numbers_.contains(&instruction);
    }
    [[nodiscard]] unsigned number(const llvm::Instruction &instruction) const
    {
        return numbers_.lookup(&instruction);
    }
    [[nodiscard]] const llvm::Instruction &instruction(unsigned number) const
    {
        return *instructions_[number];
    }
    [[nodiscard]] Place place(unsigned number) const
    {
        return places_[number];
    }

  private:
    void add_block(const llvm::BasicBlock &block, unsigned block_number);

    llvm::DenseMap<const llvm::Instruction *, unsigned> numbers_;
    std::vector<const llvm::Instruction *> instructions_;
    std::vector<Place> places_;
};

/* Bits of an SSA value: what the type holds, so an i1 is 1 bit; 0 for values without a size. */
[[nodiscard]] uint64_t value_bits(const llvm::Value &value, const llvm::DataLayout &layout);

/* Values that live in registers: results and arguments. An alloca's address follows from the frame
 * and is not moved. */
[[nodiscard]] bool is_ssa_value(const llvm::Value &value);

} // namespace laxity::workingset
