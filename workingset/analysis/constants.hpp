// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/module_copies.hpp"

#include <llvm/ADT/StringSet.h>

namespace laxity::workingset {

/* Put constants for what is computed from constants alone, without memory or control flow. */
void fold_arithmetic(llvm::Function &function);

/*
 * Constants through the whole module, and paths that they make impossible (sparse conditional
 * constant propagation: Wegman and Zadeck, TOPLAS 1991; LLVM's solver, as its pass ipsccp uses it).
 *
 * Uses of a value that is one constant become uses of it; the instruction stays, so what it reads
 * is still read. Blocks to which no path leads, edges to them, and functions that are never called
 * are removed from the copy. `entries` are entered from outside by name.
 *
 * LLVM may take a value that is undefined for any that suits it. Here that would be wrong: what a
 * program does with memory that it has never written is its own affair. So whatever has an operand
 * that may be undefined is unknown, and so are results of floating point, which may depend on the
 * target.
 */
void propagate_constants(ModuleCopies &copies, const llvm::StringSet<> &entries);

} // namespace laxity::workingset
