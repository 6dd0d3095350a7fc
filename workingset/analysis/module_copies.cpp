// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/module_copies.hpp"

#include "analysis/assembly_names.hpp"
#include "analysis/module_clone.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace laxity::workingset {

namespace {

/* The first instruction that has a number: debug intrinsics have none. */
const llvm::Instruction &first_numbered(const llvm::Function &function, const ModuleIndex &index)
{
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
        if (index.has_number(instruction)) {
            return instruction;
        }
    }
    return function.back().back(); // a block ends with an instruction that is no debug intrinsic
}

/* Other modules may name what the assembly of this one does: so it is for those who ask whether
 * all uses of a global are known. */
void show_to_assembly(llvm::Module &module)
{
    const AssemblyNames names(module);
    for (llvm::GlobalValue &global : module.global_values()) {
        if (global.hasLocalLinkage() && names.contains(global)) {
            global.setLinkage(llvm::GlobalValue::ExternalLinkage);
        }
    }
}

/* A function that is nothing but assembly returns in it, behind which clang puts `unreachable`. */
void return_from_naked(llvm::Function &function)
{
    for (llvm::BasicBlock &block : function) {
        auto *last = llvm::dyn_cast<llvm::UnreachableInst>(block.getTerminator());
        if (last == nullptr) {
            continue;
        }
        llvm::IRBuilder<> builder(last);
        if (function.getReturnType()->isVoidTy()) {
            builder.CreateRetVoid();
        } else {
            builder.CreateRet(llvm::UndefValue::get(function.getReturnType()));
        }
        last->eraseFromParent();
    }
}

} // namespace

ModuleCopies::ModuleCopies(const llvm::Module &original, const ModuleIndex &index) : index_(index)
{
    llvm::ValueToValueMapTy map;
    module_ = clone_without_debug_info(original, map);
    show_to_assembly(*module_);
    for (llvm::Function &function : *module_) {
        if (function.hasFnAttribute(llvm::Attribute::Naked)) {
            return_from_naked(function);
        }
    }
    for (const llvm::GlobalValue &global : original.global_values()) {
        if (const llvm::Value *copy = map.lookup(&global)) {
            globals_[copy] = &global;
        }
    }
    origins_.reserve(index.size());
    for (const llvm::Function &function : original) {
        if (llvm::Value *copy = map.lookup(&function)) {
            add_function(*llvm::cast<llvm::Function>(copy), function);
        }
    }
}

void ModuleCopies::add_function(llvm::Function &copy, const llvm::Function &original)
{
    originals_[&copy] = &original;
    copies_[&original].push_back(&copy);
    if (original.isDeclaration()) {
        return;
    }
    unsigned number = index_.number(first_numbered(original, index_));
    Body &body = bodies_[&copy];
    body.first_number = number;
    const unsigned count = copy.getInstructionCount();
    body.instructions.reserve(count);
    for (const llvm::Instruction &instruction : llvm::instructions(copy)) {
        body.instructions.push_back(&instruction);
        origins_[&instruction] = number++;
    }
}

llvm::Function &ModuleCopies::add_copy(llvm::Function &body)
{
    llvm::ValueToValueMapTy map;
    llvm::Function &copy = *llvm::CloneFunction(&body, map);
    add_function(copy, original(body));
    return copy;
}

void ModuleCopies::remove(llvm::ArrayRef<llvm::Function *> functions)
{
    for (llvm::Function *function : functions) {
        for (const llvm::Instruction &instruction : llvm::instructions(function)) {
            origins_.erase(&instruction);
        }
        function->deleteBody(); // with its calls to the others
    }
    for (llvm::Function *function : functions) {
        llvm::erase(copies_[&original(*function)], function);
        bodies_.erase(function);
        originals_.erase(function);
        globals_.erase(function);
        function->eraseFromParent();
    }
}

void ModuleCopies::forget(const llvm::Instruction &copy)
{
    Body &body = bodies_[copy.getFunction()];
    body.instructions[origin(copy) - body.first_number] = nullptr;
    origins_.erase(&copy);
}

void ModuleCopies::replace(const llvm::Instruction &copy, const llvm::Instruction &by)
{
    const unsigned number = origin(copy);
    Body &body = bodies_[copy.getFunction()];
    body.instructions[number - body.first_number] = &by;
    origins_.erase(&copy);
    origins_[&by] = number;
}

const llvm::Value *ModuleCopies::original(const llvm::Value &copy) const
{
    if (const auto *instruction = llvm::dyn_cast<llvm::Instruction>(&copy)) {
        auto found = origins_.find(instruction);
        return found == origins_.end() ? nullptr : &index_.instruction(found->second);
    }
    if (const auto *argument = llvm::dyn_cast<llvm::Argument>(&copy)) {
        return original(*argument->getParent()).getArg(argument->getArgNo());
    }
    if (const auto *function = llvm::dyn_cast<llvm::Function>(&copy)) {
        return &original(*function);
    }
    return globals_.lookup(&copy);
}

llvm::ArrayRef<llvm::Function *> ModuleCopies::copies(const llvm::Function &original) const
{
    auto found = copies_.find(&original);
    if (found == copies_.end()) {
        return {};
    }
    return found->second;
}

const llvm::Instruction *ModuleCopies::find(const llvm::Function &copy, unsigned original) const
{
    auto found = bodies_.find(&copy);
    return found == bodies_.end()
               ? nullptr
               : found->second.instructions[original - found->second.first_number];
}

} // namespace laxity::workingset
