// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/loop_body.hpp"

#include <llvm/ADT/DenseMap.h>
#include <utility>

namespace laxity::workingset {

/*
 * Cells that a loop surely overwrites before it reads them: dead on the edges into the loop.
 *
 * Where the number of turns is a constant, the loop is written down (LoopWriter) and gone through
 * (LoopRun): what its turns write one after the other, before any of them reads it, dies.
 */
class LoopKills {
  public:
    /* Look at the loops of one function. */
    void
    add(const llvm::Function &function,
        const Cells &cells,
        const PointerAnalysis &pointers,
        const ModuleIndex &index,
        FindCallTouches call_touches);

    /* nullptr: nothing dies on this edge. */
    [[nodiscard]] const CellSet *
    find(const llvm::BasicBlock &from, const llvm::BasicBlock &to) const;

  private:
    llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, CellSet> edges_;
};

} // namespace laxity::workingset
