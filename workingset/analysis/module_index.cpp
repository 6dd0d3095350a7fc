// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/module_index.hpp"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>

namespace laxity::workingset {

ModuleIndex::ModuleIndex(const llvm::Module &module)
{
    for (const llvm::Function &function : module) {
        unsigned block_number = 0;
        for (const llvm::BasicBlock &block : function) {
            add_block(block, block_number++);
        }
    }
}

void ModuleIndex::add_block(const llvm::BasicBlock &block, unsigned block_number)
{
    unsigned index = 0;
    for (const llvm::Instruction &instruction : block) {
        if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) {
            continue;
        }
        numbers_[&instruction] = size();
        instructions_.push_back(&instruction);
        places_.push_back({.block = block_number, .index = index++});
    }
}

uint64_t value_bits(const llvm::Value &value, const llvm::DataLayout &layout)
{
    llvm::Type *type = value.getType();
    return type->isSized() ? layout.getTypeSizeInBits(type).getKnownMinValue() : 0;
}

bool is_ssa_value(const llvm::Value &value)
{
    if (llvm::isa<llvm::Argument>(value)) {
        return true;
    }
    return llvm::isa<llvm::Instruction>(value) && !llvm::isa<llvm::AllocaInst>(value) &&
           !value.getType()->isVoidTy();
}

} // namespace laxity::workingset
