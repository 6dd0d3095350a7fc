// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>
#include <memory>

namespace laxity::workingset {

/*
 * A copy of a module without debug information and names of values in functions; `map` tells the
 * copy of each global.
 *
 * llvm::CloneModule() makes copies of all debug information, too, one per place that anything was
 * inlined at, which then stay in memory although nothing refers to them.
 */
[[nodiscard]] std::unique_ptr<llvm::Module>
clone_without_debug_info(const llvm::Module &original, llvm::ValueToValueMapTy &map);

} // namespace laxity::workingset
