// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/annotations.hpp"
#include "analysis/call_graph.hpp"
#include "analysis/cells.hpp"
#include "analysis/defined.hpp"
#include "analysis/rows.hpp"
#include "analysis/ssa_liveness.hpp"
#include "analysis/summaries.hpp"

namespace laxity::workingset {

/* What the parts of the analysis have found; whoever looks at contexts needs all of it. */
struct Solution {
    const ObjectTable &objects;
    const CallGraph &graph;
    const Cells &cells;
    const Summaries &summaries;
    const MayDefined &defined;
    const SsaLiveness &ssa;
    const ModuleIndex &index;
    const Annotations &annotations;
    // By number of an instruction of the analysed module: that of the user's, which `ssa` and rows
    // go by.
    const std::vector<unsigned> &origins;
};

/* The cells that are live before a point, given what is live after each exit of its function. */
[[nodiscard]] CellSet live_at(const PathState &state, const LiveAfter &after);

/* What is live after each exit of a callee, given the caller's point after the call, and what its
 * own exits have after them. */
[[nodiscard]] LiveAfter after_callee(
    const Solution &solution,
    const llvm::CallBase &call,
    const llvm::Function &callee,
    const CellSet &after_return,
    const LiveAfter &after_caller
);

/* Before a call, from what is live after it. */
[[nodiscard]] CellSet before_call(
    const Solution &solution,
    const llvm::CallBase &call,
    const CellSet &after_return,
    const LiveAfter &after_caller
);

/* Live at the end of a block; before an invoke's ways part, that of its normal way. */
[[nodiscard]] CellSet
live_at_end(const Solution &solution, const llvm::BasicBlock &block, const LiveAfter &after);

/* Go back over one instruction. */
void step_back(
    const Solution &solution,
    const llvm::Instruction &instruction,
    const LiveAfter &after,
    CellSet &live
);

/* A function that is entered from outside, and what is live after each of its exits. */
struct Root {
    const llvm::Function *function;
    LiveAfter after;
    bool is_late = false; // a handler of exits, a thread: what ran before may have written anything
};

/*
 * The rows of all instructions, over all calling contexts.
 *
 * Two contexts of a function that differ only in cells which it does not touch differ by a constant
 * at each of its instructions. So what tells contexts apart is the part of the live cells that the
 * function touches; of the rest, the smallest and the largest number of bits per class is passed
 * down. That is exact, and 2^n call strings are one context where nothing depends on them. Beyond
 * `context_limit` contexts of one function, further ones are joined.
 */
[[nodiscard]] Rows
evaluate_contexts(const Solution &solution, const std::vector<Root> &roots, unsigned context_limit);

} // namespace laxity::workingset
