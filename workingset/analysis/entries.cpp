// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/entries.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

namespace laxity::workingset {

namespace {

constexpr const char *PREINIT = ".preinit_array";
constexpr const char *INIT = ".init_array";
constexpr const char *FINI = ".fini_array";

using Functions = std::vector<const llvm::Function *>;

void add_defined(const llvm::Value &value, Functions &functions)
{
    const auto *function = llvm::dyn_cast<llvm::Function>(value.stripPointerCastsAndAliases());
    if (function != nullptr && !function->isDeclaration()) {
        functions.push_back(function);
    }
}

/* The entries of llvm.global_ctors or llvm.global_dtors: priority, function, data. */
void add_listed(const llvm::Module &module, llvm::StringRef list, Functions &functions)
{
    const llvm::GlobalVariable *variable = module.getNamedGlobal(list);
    if (variable == nullptr || !variable->hasInitializer()) {
        return;
    }
    for (const llvm::Use &entry : variable->getInitializer()->operands()) {
        if (const auto *fields = llvm::dyn_cast<llvm::ConstantStruct>(entry)) {
            add_defined(*fields->getOperand(1), functions);
        }
    }
}

/* Pointers, or arrays of them, in sections of that name, or with a priority behind it. */
std::vector<const llvm::GlobalVariable *>
pointers_in(const llvm::Module &module, llvm::StringRef section)
{
    std::vector<const llvm::GlobalVariable *> pointers;
    for (const llvm::GlobalVariable &variable : module.globals()) {
        if (variable.getSection().starts_with(section) && variable.hasInitializer()) {
            pointers.push_back(&variable);
        }
    }
    return pointers;
}

void add_of_section(const llvm::Module &module, llvm::StringRef section, Functions &functions)
{
    for (const llvm::GlobalVariable *variable : pointers_in(module, section)) {
        add_defined(*variable->getInitializer(), functions);
        for (const llvm::Use &element : variable->getInitializer()->operands()) {
            add_defined(*element, functions);
        }
    }
}

} // namespace

const llvm::Function *find_defined(const llvm::Module &module, llvm::StringRef name)
{
    const llvm::Function *function = module.getFunction(name);
    return function == nullptr || function->isDeclaration() ? nullptr : function;
}

std::vector<const llvm::Function *> find_constructors(const llvm::Module &module)
{
    Functions functions;
    add_listed(module, "llvm.global_ctors", functions);
    add_of_section(module, PREINIT, functions);
    add_of_section(module, INIT, functions);
    return functions;
}

std::vector<const llvm::Function *> find_destructors(const llvm::Module &module)
{
    Functions functions;
    add_listed(module, "llvm.global_dtors", functions);
    add_of_section(module, FINI, functions);
    return functions;
}

std::vector<const llvm::GlobalVariable *> find_entry_pointers(const llvm::Module &module)
{
    std::vector<const llvm::GlobalVariable *> pointers;
    for (const char *section : {PREINIT, INIT, FINI}) {
        llvm::append_range(pointers, pointers_in(module, section));
    }
    return pointers;
}

const llvm::Function *find_unsplit_coroutine(const llvm::Module &module)
{
    for (const llvm::Function &function : module) {
        if (function.isPresplitCoroutine()) {
            return &function;
        }
    }
    return nullptr;
}

bool returns_twice(const llvm::Function &function)
{
    return function.hasFnAttribute(llvm::Attribute::ReturnsTwice) ||
           (function.isDeclaration() &&
            llvm::StringSwitch<bool>(function.getName())
                .Cases("setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", true)
                .Cases("getcontext", "savectx", "vfork", true)
                .Default(false));
}

bool returns_twice(const llvm::CallBase &call)
{
    const llvm::Function *callee = call.getCalledFunction();
    return call.hasFnAttr(llvm::Attribute::ReturnsTwice) ||
           (callee != nullptr && returns_twice(*callee));
}

const llvm::Function *find_funclets(const llvm::Module &module)
{
    for (const llvm::Function &function : module) {
        if (llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
                return instruction.isEHPad() && !llvm::isa<llvm::LandingPadInst>(instruction);
            })) {
            return &function;
        }
    }
    return nullptr;
}

const llvm::Function *find_builtin_jump(const llvm::Module &module)
{
    for (const llvm::Function &function : module) {
        const llvm::Intrinsic::ID which = function.getIntrinsicID();
        const bool is_jump =
            which == llvm::Intrinsic::eh_sjlj_setjmp || which == llvm::Intrinsic::eh_sjlj_longjmp;
        if (is_jump && !function.use_empty()) {
            return &function;
        }
    }
    return nullptr;
}

} // namespace laxity::workingset
