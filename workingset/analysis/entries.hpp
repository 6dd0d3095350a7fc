// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <vector>

namespace laxity::workingset {

/* nullptr: the module defines no function of that name. */
const llvm::Function *find_defined(const llvm::Module &module, llvm::StringRef name);

/* What the start-up code calls before main: the functions of llvm.global_ctors, and those whose
 * addresses the source itself puts into .init_array or .preinit_array. */
std::vector<const llvm::Function *> find_constructors(const llvm::Module &module);

/* What runs behind the functions of atexit(), in the same two ways. */
std::vector<const llvm::Function *> find_destructors(const llvm::Module &module);

/* The variables in those sections: the C library reads them where it starts and ends the program.
 */
std::vector<const llvm::GlobalVariable *> find_entry_pointers(const llvm::Module &module);

/* A coroutine in one piece, which is left at its first suspension and in which nothing goes on;
 * nullptr if there is none. */
const llvm::Function *find_unsplit_coroutine(const llvm::Module &module);

/* setjmp and its like: control may come back to where they are called. By their names, too, since
 * clang marks them only where they are builtins to it: not with -ffreestanding or -fno-builtin. */
bool returns_twice(const llvm::Function &function);
bool returns_twice(const llvm::CallBase &call);

/* What __builtin_setjmp or __builtin_longjmp became, whose second return no instruction shows;
 * nullptr if the module has none. */
const llvm::Function *find_builtin_jump(const llvm::Module &module);

/* A function whose exceptions are handled in funclets, as on Windows; nullptr: there is none. */
[[nodiscard]] const llvm::Function *find_funclets(const llvm::Module &module);

} // namespace laxity::workingset
