// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <optional>
#include <vector>

namespace laxity::workingset {

/*
 * Numbers of the instructions of a module: one per instruction, in the module's order, from 0.
 *
 * Debug intrinsics have none: they are no program points, and -g must not change a figure. The
 * module that is analysed has none of them, so there the numbers of a function follow each other.
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
    [[nodiscard]] unsigned count(const llvm::Function &function) const
    {
        return bodies_.lookup(&function).instructions;
    }
    /* Of a function, in its order: what makes objects or leads to other functions. They are few,
     * and looking for them among all instructions is much of the time of a large program. */
    [[nodiscard]] llvm::ArrayRef<const llvm::Instruction *>
    calls_and_allocas(const llvm::Function &function) const;

  private:
    struct Body {
        unsigned instructions = 0;
        unsigned first_site = 0, end_site = 0;
    };

    void add_block(const llvm::BasicBlock &block, unsigned block_number);

    llvm::DenseMap<const llvm::Instruction *, unsigned> numbers_;
    std::vector<const llvm::Instruction *> instructions_;
    std::vector<Place> places_;
    std::vector<const llvm::Instruction *> sites_; // calls and allocas
    llvm::DenseMap<const llvm::Function *, Body> bodies_;
};

/* Bytes that an access of a type touches, and that a variable of it takes with the padding behind
 * it. nullopt: no number is known (scalable vectors), or more than any object has, which LLVM's own
 * sums might not hold. */
[[nodiscard]] std::optional<uint64_t>
accessed_bytes(llvm::Type &type, const llvm::DataLayout &layout);
[[nodiscard]] std::optional<uint64_t>
allocated_bytes(llvm::Type &type, const llvm::DataLayout &layout);
/* Of the variable, or the variables, that an alloca makes; nullopt where only the run knows, too.
 */
[[nodiscard]] std::optional<uint64_t>
allocated_bytes(const llvm::AllocaInst &alloca, const llvm::DataLayout &layout);

/* Bits of an SSA value: what the type holds, so an i1 is 1 bit; 0 for values without a size
 * (labels, tokens). Scalable vectors are as long as the function says they are at most; nullopt: it
 * does not say, or the type has no size that is known. */
[[nodiscard]] std::optional<uint64_t>
value_bits(const llvm::Value &value, const llvm::DataLayout &layout);

/* A function that computes or is given a value whose bits nobody knows; nullptr: there is none. */
[[nodiscard]] const llvm::Function *find_value_without_size(const llvm::Module &module);

/* Values that live in registers: results and arguments. An alloca's address follows from the frame
 * and is not moved. */
[[nodiscard]] bool is_ssa_value(const llvm::Value &value);

} // namespace laxity::workingset
