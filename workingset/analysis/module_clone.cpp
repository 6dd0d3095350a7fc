// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/module_clone.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace laxity::workingset {

namespace {

/* Fills functions of the copy whose globals are all there, but for block addresses. */
class BodyCloner {
  public:
    explicit BodyCloner(llvm::ValueToValueMapTy &globals) : globals_(globals) {}

    void clone(const llvm::Function &original, llvm::Function &copy)
    {
        locals_.clear();
        for (const llvm::Argument &argument : original.args()) {
            locals_[&argument] = copy.getArg(argument.getArgNo());
        }
        for (const llvm::BasicBlock &block : original) {
            clone_block(block, copy);
        }
        for (llvm::Instruction &instruction : llvm::instructions(copy)) {
            redirect(instruction);
        }
        if (original.hasPersonalityFn()) {
            copy.setPersonalityFn(&global(*original.getPersonalityFn()));
        }
    }

  private:
    void clone_block(const llvm::BasicBlock &block, llvm::Function &copy)
    {
        auto *copied = llvm::BasicBlock::Create(copy.getContext(), "", &copy);
        locals_[&block] = copied;
        for (const llvm::Instruction &instruction : block) {
            if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) {
                continue;
            }
            llvm::Instruction *clone = instruction.clone();
            clone->setDebugLoc({});
            clone->setMetadata(llvm::LLVMContext::MD_DIAssignID, nullptr);
            clone->insertInto(copied, copied->end());
            locals_[&instruction] = clone;
        }
    }

    /* From the values of the original to those of the copy. */
    void redirect(llvm::Instruction &instruction)
    {
        for (llvm::Use &operand : instruction.operands()) {
            operand.set(&copy_of(*operand));
        }
        if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
            for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) {
                phi->setIncomingBlock(
                    i, llvm::cast<llvm::BasicBlock>(locals_.lookup(phi->getIncomingBlock(i)))
                );
            }
        }
    }
    llvm::Value &copy_of(llvm::Value &value)
    {
        if (llvm::isa<llvm::Instruction, llvm::Argument, llvm::BasicBlock>(value)) {
            return *locals_.lookup(&value);
        }
        auto *constant = llvm::dyn_cast<llvm::Constant>(&value);
        const bool is_shared = constant == nullptr || llvm::isa<llvm::ConstantData>(constant);
        return is_shared ? value : global(*constant);
    }
    /* A constant that may hold the address of a global. */
    llvm::Constant &global(const llvm::Constant &constant)
    {
        return *llvm::MapValue(&constant, globals_, llvm::RF_NoModuleLevelChanges);
    }

    llvm::ValueToValueMapTy &globals_;
    llvm::DenseMap<const llvm::Value *, llvm::Value *> locals_; // copy of each
};

/* Those of prefixes and addresses of blocks, which hardly any program has. */
bool has_unusual_constants(const llvm::Module &module)
{
    return llvm::any_of(module, [](const llvm::Function &function) {
        return function.hasPrefixData() || function.hasPrologueData() ||
               llvm::any_of(function, [](const llvm::BasicBlock &block) {
                   return block.hasAddressTaken();
               });
    });
}

} // namespace

std::unique_ptr<llvm::Module>
clone_without_debug_info(const llvm::Module &original, llvm::ValueToValueMapTy &map)
{
    const bool is_unusual = has_unusual_constants(original);
    std::unique_ptr<llvm::Module> copy =
        llvm::CloneModule(original, map, [is_unusual](const llvm::GlobalValue *global) {
            return is_unusual || !llvm::isa<llvm::Function>(global);
        });
    llvm::StripDebugInfo(*copy);
    if (is_unusual) {
        return copy;
    }
    BodyCloner cloner(map);
    for (const llvm::Function &function : original) {
        auto &copied = *llvm::cast<llvm::Function>(map.lookup(&function));
        copied.setLinkage(function.getLinkage()); // a body was lacking for any but an outer one
        if (!function.isDeclaration()) {
            cloner.clone(function, copied);
        }
    }
    return copy;
}

} // namespace laxity::workingset
