// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/module_copies.hpp"

#include "analysis/module_clone.hpp"

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

} // namespace

ModuleCopies::ModuleCopies(const llvm::Module &original, const ModuleIndex &index) : index_(index)
{
    llvm::ValueToValueMapTy map;
    module_ = clone_without_debug_info(original, map);
    for (const llvm::GlobalValue &global : original.global_values()) {
        if (const llvm::Value *copy = map.lookup(&global)) {
            globals_[copy] = &global;
        }
    }
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
    auto &instructions = instructions_[&copy];
    for (const llvm::Instruction &instruction : llvm::instructions(copy)) {
        instructions.push_back(&instruction);
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
        instructions_.erase(function);
        originals_.erase(function);
        globals_.erase(function);
        function->eraseFromParent();
    }
}

void ModuleCopies::forget(const llvm::Instruction &copy)
{
    const llvm::Instruction *original = &index_.instruction(origin(copy));
    const unsigned first = index_.number(first_numbered(*original->getFunction(), index_));
    instructions_[copy.getFunction()][origin(copy) - first] = nullptr;
    origins_.erase(&copy);
}

void ModuleCopies::replace(const llvm::Instruction &copy, const llvm::Instruction &by)
{
    const unsigned number = origin(copy);
    const llvm::Function &function = *index_.instruction(number).getFunction();
    const unsigned first = index_.number(first_numbered(function, index_));
    instructions_[copy.getFunction()][number - first] = &by;
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

const llvm::Instruction *
ModuleCopies::find(const llvm::Function &copy, const llvm::Instruction &original) const
{
    auto found = instructions_.find(&copy);
    if (found == instructions_.end()) {
        return nullptr;
    }
    const unsigned first = index_.number(first_numbered(*original.getFunction(), index_));
    return found->second[index_.number(original) - first];
}

} // namespace laxity::workingset
