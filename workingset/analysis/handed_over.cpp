// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/constraints.hpp"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

/* Where the program itself stores addresses of its memory for the environment to find: environ. */
namespace laxity::workingset {

/* The pointer may lead to memory of the environment, the address to memory of the program. */
bool PointerAnalysis::leads_outside(const llvm::Value &pointer, const llvm::Value &address) const
{
    const auto leads_to = [this](const llvm::Value &value, auto matches) {
        return llvm::any_of(targets(value), [&](const Location &place) {
            return matches(objects_[place.object].kind);
        });
    };
    return leads_to(pointer, [](ObjectKind kind) { return kind == ObjectKind::Environment; }) &&
           leads_to(address, [](ObjectKind kind) {
               return kind != ObjectKind::Environment && kind != ObjectKind::Function;
           });
}

/* A block that is copied counts if it is the program's own, whatever it holds. */
bool PointerAnalysis::hands_over_address(const llvm::Instruction &instruction) const
{
    if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        return leads_outside(*store->getPointerOperand(), *store->getValueOperand());
    }
    if (const auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
        return leads_outside(*update->getPointerOperand(), *update->getValOperand());
    }
    if (const auto *update = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        return leads_outside(*update->getPointerOperand(), *update->getNewValOperand());
    }
    if (const auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
        return leads_outside(*transfer->getRawDest(), *transfer->getRawSource());
    }
    const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call != nullptr && llvm::any_of(callees(*call), [&](const llvm::Function *callee) {
               const ExternalModel *model = find_external_model(*callee);
               return model != nullptr && hands_over_address(*call, *model);
           });
}

bool PointerAnalysis::hands_over_address(const llvm::CallBase &call, const ExternalModel &model)
    const
{
    return llvm::any_of(model.writes, [&](const ModelAccess &write) {
        return llvm::any_of(model.reads, [&](const ModelAccess &read) {
            return std::max(read.argument, write.argument) < call.arg_size() &&
                   leads_outside(
                       *call.getArgOperand(write.argument), *call.getArgOperand(read.argument)
                   );
        });
    });
}

} // namespace laxity::workingset
