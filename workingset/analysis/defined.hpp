// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/call_graph.hpp"
#include "analysis/cells.hpp"
#include "analysis/summaries.hpp"

namespace laxity::workingset {

/*
 * Which cells may have been written so far: what never was holds nothing that would have to be
 * moved.
 *
 * Globals always are. A frame is not when its function is entered, but for what the call itself
 * writes (byval copies, unnamed arguments). One set per block over all contexts; what a call passes
 * on is that of the calling instruction.
 */
class MayDefined {
  public:
    struct Roots {
        std::vector<const llvm::Function *> functions;
        // Handlers of exits, threads: whatever is written anywhere may have been written before.
        std::vector<const llvm::Function *> late_functions;
        CellSet defined;            // before the first of them, beside the globals
        bool is_everything = false; // setjmp: no order of writes can be relied on
    };

    MayDefined(
        const Roots &roots,
        const ObjectTable &objects,
        const CallGraph &graph,
        const Cells &cells,
        const Summaries &summaries,
        const ModuleIndex &index
    );

    /* nullptr: no path from the root leads there. */
    [[nodiscard]] const CellSet *block_start(const llvm::BasicBlock &block) const;

    /* Go over one instruction. */
    void step(const llvm::Instruction &instruction, CellSet &defined) const;

  private:
    [[nodiscard]] CellSet pass(const llvm::BasicBlock &block, const CellSet &start);
    void solve(const llvm::Function &function);
    bool add_entry(const llvm::Function &function, const CellSet &defined);
    bool merge_into(const llvm::BasicBlock &block, const CellSet &defined);

    const ObjectTable &objects_;
    const CallGraph &graph_;
    const Cells &cells_;
    const Summaries &summaries_;
    const ModuleIndex &index_;
    bool is_everything_;
    CellSet everything_;
    llvm::DenseMap<const llvm::Function *, CellSet>
        written_by_call_; // byval copies, unnamed arguments
    llvm::DenseMap<const llvm::BasicBlock *, CellSet> starts_;
    llvm::SetVector<const llvm::Function *> pending_;
};

} // namespace laxity::workingset
