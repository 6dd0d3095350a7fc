// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

namespace laxity::workingset {

using TypeInfos = llvm::SetVector<const llvm::GlobalVariable *>;

/* What the runtime of C++ may read to compare the type `info` with another one: the constant
 * itself, its name, and those of its bases. */
[[nodiscard]] TypeInfos find_type_infos(const llvm::Value &info);

/* The same of all types that a handler is for. */
[[nodiscard]] TypeInfos find_type_infos(const llvm::LandingPadInst &landing);

} // namespace laxity::workingset
