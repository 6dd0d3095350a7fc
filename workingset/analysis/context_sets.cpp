// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/contexts.hpp"
#include "analysis/faults.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

/* Live sets in one calling context, put together from what holds for all contexts. */
namespace laxity::workingset {

namespace {

void add_survivors(CellSet &live, CellSet cells, const CellSet &killed)
{
    cells.subtract(killed);
    live |= cells;
}

/* Live where an exception that leaves the call goes on: nowhere, if none may. */
CellSet
after_exception(const Solution &solution, const llvm::CallBase &call, const LiveAfter &after)
{
    if (const auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
        return live_at(solution.summaries.block_start(*invoke->getUnwindDest()), after);
    }
    return call.doesNotThrow() ? CellSet() : after[UNWIND];
}

/* What is live after each exit of whatever function a call enters. */
LiveAfter after_callees(
    const Solution &solution,
    const llvm::CallBase &call,
    const CellSet &after_return,
    const LiveAfter &after_caller
)
{
    LiveAfter after = {
        after_return, after_exception(solution, call, after_caller), after_caller[PROCESS]
    };
    if (solution.summaries.outside(call).calls_back) {
        const CellSet goes_on = live_at(solution.summaries.after_callback(call), after);
        after[RETURN] |= goes_on;
        after[UNWIND] |= goes_on;
    }
    return after;
}

} // namespace

CellSet live_at(const PathState &state, const LiveAfter &after)
{
    CellSet live = state.live;
    for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
        const std::optional<CellSet> &killed = state.killed[exit];
        if (killed) {
            add_survivors(live, after[exit], *killed);
        }
    }
    return live;
}

LiveAfter after_callee(
    const Solution &solution,
    const llvm::CallBase &call,
    const llvm::Function &callee,
    const CellSet &after_return,
    const LiveAfter &after_caller
)
{
    LiveAfter after = after_callees(solution, call, after_return, after_caller);
    constexpr std::array<Fault, EXIT_KINDS> DROPS = {
        Fault::AfterReturnDropped, Fault::AfterUnwindDropped, Fault::AfterExitDropped
    };
    for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
        if (exit != PROCESS) { // exit() leaves no frame: handlers may read what is in them
            after[exit].subtract(solution.cells.frame(callee));
        }
        if (has_fault(DROPS[exit])) {
            after[exit].clear();
        }
    }
    return after;
}

CellSet before_call(
    const Solution &solution,
    const llvm::CallBase &call,
    const CellSet &after_return,
    const LiveAfter &after_caller
)
{
    const OutsideCall &outside = solution.summaries.outside(call);
    const CellSet exception = after_exception(solution, call, after_caller);
    CellSet live;
    if (outside.returns) {
        live |= after_return;
    }
    if (outside.unwinds) {
        live |= exception;
    }
    if (outside.ends_process) {
        live |= after_caller[PROCESS];
    }
    if (outside.jumps) {
        for (unsigned cell = 0; cell < solution.cells.size(); cell++) {
            live.set(cell);
        }
        live.subtract(solution.cells.pinned());
    }
    if (const auto callees = solution.graph.callees(call); !callees.empty()) {
        const LiveAfter after = after_callees(solution, call, after_return, after_caller);
        live |= live_at(solution.summaries.any_entry(callees), after);
    }
    return live;
}

void step_back(
    const Solution &solution,
    const llvm::Instruction &instruction,
    const LiveAfter &after,
    CellSet &live
)
{
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call)) {
        live = before_call(solution, *call, live, after);
    }
    if (const Effect *effect = solution.cells.effect(solution.index.number(instruction))) {
        live.subtract(effect->kills);
        live |= effect->reads;
    }
}

CellSet live_at_end(const Solution &solution, const llvm::BasicBlock &block, const LiveAfter &after)
{
    const llvm::Instruction &last = *block.getTerminator();
    if (llvm::isa<llvm::ReturnInst>(last)) {
        return after[RETURN];
    }
    if (llvm::isa<llvm::ResumeInst>(last)) {
        return after[UNWIND];
    }
    if (const auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&last)) {
        return live_at(solution.summaries.block_start(*invoke->getNormalDest()), after);
    }
    CellSet live;
    for (const llvm::BasicBlock *next : llvm::successors(&block)) {
        live |= live_at(solution.summaries.along_edge(block, *next), after);
    }
    return live;
}

} // namespace laxity::workingset
