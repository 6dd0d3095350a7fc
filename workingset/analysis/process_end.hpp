// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/call_graph.hpp"
#include "analysis/module_copies.hpp"

#include <llvm/ADT/DenseSet.h>
#include <vector>

namespace laxity::workingset {

/* The functions of the program that may run when it ends: those of atexit(), destructors, and where
 * code that nobody knows is called, all whose address it may have (on_exit(), destructors of
 * variables of a thread). */
[[nodiscard]] std::vector<const llvm::Function *>
find_exit_functions(const llvm::Module &module, const PointerAnalysis &pointers);

/*
 * Originals of the functions that may be on the stack when exit() is called and are entered again
 * by an exit function: exit() leaves no frame, so there are two.
 */
[[nodiscard]] llvm::DenseSet<const llvm::Function *> find_entered_at_exit(
    const ModuleCopies &copies,
    const ModuleIndex &index,
    const CallGraph &graph,
    const PointerAnalysis &pointers
);

} // namespace laxity::workingset
