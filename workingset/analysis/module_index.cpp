// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/module_index.hpp"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>

namespace laxity::workingset {

ModuleIndex::ModuleIndex(const llvm::Module &module)
{
    const unsigned count = module.getInstructionCount();
    numbers_.reserve(count);
    instructions_.reserve(count);
    places_.reserve(count);
    for (const llvm::Function &function : module) {
        const unsigned first = size();
        const auto first_site = static_cast<unsigned>(sites_.size());
        unsigned block_number = 0;
        for (const llvm::BasicBlock &block : function) {
            add_block(block, block_number++);
        }
        bodies_[&function] = {
            .instructions = size() - first,
            .first_site = first_site,
            .end_site = static_cast<unsigned>(sites_.size())
        };
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
        if (llvm::isa<llvm::CallBase, llvm::AllocaInst>(instruction)) {
            sites_.push_back(&instruction);
        }
    }
}

llvm::ArrayRef<const llvm::Instruction *>
ModuleIndex::calls_and_allocas(const llvm::Function &function) const
{
    const Body body = bodies_.lookup(&function);
    return llvm::ArrayRef(sites_).slice(body.first_site, body.end_site - body.first_site);
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
