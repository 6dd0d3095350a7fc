// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "numbering.hpp"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"

namespace laxity::workingset::oracle {

namespace {

Traced intrinsic_traced_as(const llvm::IntrinsicInst &intrinsic)
{
    if (llvm::isa<llvm::MemIntrinsic>(intrinsic)) {
        return Traced::Call;
    }
    switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::vastart:
    case llvm::Intrinsic::vacopy:
        return Traced::Call;
    default:
        return Traced::Nothing;
    }
}

} // namespace

Traced traced_as(const llvm::Instruction &instruction)
{
    if (const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        return intrinsic_traced_as(*intrinsic);
    }
    if (const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        const llvm::DataLayout &layout = alloca->getModule()->getDataLayout();
        return alloca->getAllocationSize(layout) ? Traced::Access : Traced::SizedAccess;
    }
    if (instruction.isTerminator()) {
        return Traced::Terminator;
    }
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        return call->isInlineAsm() ? Traced::Nothing : Traced::Call;
    }
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(
            instruction
        )) {
        return Traced::Access;
    }
    return Traced::Nothing;
}

Numbering::Numbering(llvm::Module &module)
{
    for (llvm::GlobalVariable &global : module.globals()) {
        globals.push_back(&global);
    }
    for (llvm::Function &function : module) {
        if (function.isDeclaration()) {
            continue;
        }
        function_numbers_[&function] = static_cast<uint32_t>(functions.size());
        functions.push_back(&function);
        for (llvm::Argument &argument : function.args()) {
            if (argument.hasByValAttr()) {
                arguments.push_back(&argument);
            }
        }
        for (llvm::BasicBlock &block : function) {
            number_block(block);
        }
    }
}

void Numbering::number_block(llvm::BasicBlock &block)
{
    auto begin = static_cast<uint32_t>(instructions.size());
    for (llvm::Instruction &instruction : block) {
        auto number = static_cast<uint32_t>(instructions.size());
        instruction_numbers_[&instruction] = number;
        instructions.push_back(&instruction);
        traced.push_back(traced_as(instruction));
        segment_begins_.push_back(begin);
        if (traced.back() == Traced::Call) {
            begin = number + 1;
        }
    }
}

} // namespace laxity::workingset::oracle
