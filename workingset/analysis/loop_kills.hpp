// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/call_graph.hpp"
#include "analysis/cells.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <optional>
#include <utility>
#include <vector>

namespace laxity::workingset {

/* The cells that a call may read before it overwrites them; nullopt: it may leave the loop by an
 * exception, exit() or a jump. */
using CallReads = llvm::function_ref<std::optional<CellSet>(const llvm::CallBase &)>;

/*
 * Cells that a loop surely overwrites before it reads them: dead on the edges into the loop.
 *
 * A store whose address is an affine function of the turn (scalar evolution), in a loop of constant
 * trip count that only one block leaves, writes a whole range of bytes; in nested loops, the range
 * that the loops together sweep. Strides beyond what one turn writes leave holes and count as
 * nothing.
 */
class LoopKills {
  public:
    /* Look at the loops of one function. */
    void
    add(const llvm::Function &function,
        const Cells &cells,
        const PointerAnalysis &pointers,
        const ModuleIndex &index,
        CallReads call_reads);

    /* nullptr: nothing dies on this edge. */
    [[nodiscard]] const CellSet *
    find(const llvm::BasicBlock &from, const llvm::BasicBlock &to) const;

  private:
    llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, CellSet> edges_;
};

} // namespace laxity::workingset
