// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// Numbers of a module's parts, and what the trace of an instruction consists of. The same module
// gives the same numbers.
#ifndef LAXITY_WORKINGSET_NUMBERING_HPP
#define LAXITY_WORKINGSET_NUMBERING_HPP

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <cstdint>
#include <vector>

namespace laxity::workingset::oracle {

// What the trace holds of one instruction.
enum class Traced : uint8_t {
    Nothing,
    Access,      // one address
    SizedAccess, // a size and an address: an alloca whose size is not constant
    Call,        // ends a segment
    Terminator,  // ends a segment
};

// Memory intrinsics end a segment as calls do. What has no effect on the program's memory is
// nothing.
[[nodiscard]] Traced traced_as(const llvm::Instruction &instruction);

// Instructions count over all defined functions in the order of the module; by-value arguments and
// global variables likewise.
class Numbering {
  public:
    explicit Numbering(llvm::Module &module);

    [[nodiscard]] uint32_t number(const llvm::Instruction &instruction) const
    {
        return instruction_numbers_.lookup(&instruction);
    }
    [[nodiscard]] uint32_t number(const llvm::Function &function) const
    {
        return function_numbers_.lookup(&function);
    }

    // The first instruction of the segment that this one is in.
    [[nodiscard]] uint32_t segment_begin(uint32_t instruction) const
    {
        return segment_begins_[instruction];
    }

    std::vector<llvm::Instruction *> instructions;
    std::vector<Traced> traced;              // by instruction
    std::vector<llvm::Function *> functions; // defined ones
    std::vector<llvm::GlobalVariable *> globals;
    std::vector<llvm::Argument *> arguments; // passed by value, in memory

  private:
    void number_block(llvm::BasicBlock &block);

    llvm::DenseMap<const llvm::Instruction *, uint32_t> instruction_numbers_;
    llvm::DenseMap<const llvm::Function *, uint32_t> function_numbers_;
    std::vector<uint32_t> segment_begins_;
};

} // namespace laxity::workingset::oracle

#endif
