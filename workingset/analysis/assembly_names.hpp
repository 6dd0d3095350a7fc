// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

namespace laxity::workingset {

/* What the assembly beside a module's functions names: it may call, read and write that at any
 * time, whatever its linkage. */
class AssemblyNames {
  public:
    explicit AssemblyNames(const llvm::Module &module);

    [[nodiscard]] bool contains(const llvm::GlobalValue &global) const;

  private:
    llvm::StringRef text_;
    llvm::StringSet<> words_;
    char prefix_; // of symbols; 0: none
};

} // namespace laxity::workingset
