// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/cell_paths.hpp"

#include <algorithm>
#include <functional>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

namespace laxity::workingset {

namespace {

void add(Continuation &to, const Continuation &more)
{
    to.points.append(more.points.begin(), more.points.end());
    to.leaves |= more.leaves;
}

} // namespace

PointGraph::PointGraph(const Solution &solution) : solution_(solution)
{
    next_.resize(solution.index.size());
    for (unsigned number = 0; number < solution.index.size(); number++) {
        const llvm::Function &function = *solution.index.instruction(number).getFunction();
        if (entries_.try_emplace(&function, number).second) {
            begins_[number] = &function;
        }
    }
    for (unsigned number = 0; number < solution.index.size(); number++) {
        add_instruction(number);
    }
    link();
}

const PointGraph::Call *PointGraph::call(unsigned point) const
{
    auto found = calls_.find(point);
    return found == calls_.end() ? nullptr : &found->second;
}

llvm::ArrayRef<unsigned> PointGraph::callers(const llvm::Function &function) const
{
    auto found = callers_.find(&function);
    return found == callers_.end() ? llvm::ArrayRef<unsigned>() : found->second;
}

const llvm::Instruction &PointGraph::instruction(unsigned point) const
{
    const unsigned instructions = solution_.index.size();
    return point < instructions ? solution_.index.instruction(point)
                                : *callbacks_[point - instructions];
}

unsigned PointGraph::first_point(const llvm::BasicBlock &block) const
{
    for (const llvm::Instruction &instruction : block) {
        if (solution_.index.has_number(instruction)) {
            return solution_.index.number(instruction);
        }
    }
    llvm_unreachable("a terminator has a number");
}

Continuation PointGraph::after_instruction(const llvm::Instruction &instruction) const
{
    Continuation after;
    if (llvm::isa<llvm::ReturnInst>(instruction)) {
        after.leaves.set(RETURN);
    } else if (llvm::isa<llvm::ResumeInst>(instruction)) {
        after.leaves.set(UNWIND);
    } else if (const auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&instruction)) {
        after.points.push_back(first_point(*invoke->getNormalDest()));
    } else if (instruction.isTerminator()) {
        for (const llvm::BasicBlock *next : llvm::successors(&instruction)) {
            after.points.push_back(first_point(*next));
        }
    } else {
        after.points.push_back(solution_.index.number(instruction) + 1);
    }
    return after;
}

void PointGraph::add_instruction(unsigned number)
{
    const llvm::Instruction &instruction = solution_.index.instruction(number);
    const Continuation after = after_instruction(instruction);
    const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) {
        next_[number] = after;
    } else {
        add_call(number, *call, after);
    }
}

/* As Summaries::before_call() has it. */
void PointGraph::add_call(unsigned number, const llvm::CallBase &call, const Continuation &after)
{
    const OutsideCall &outside = solution_.summaries.outside(call);
    Continuation thrown;
    if (const auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
        thrown.points.push_back(first_point(*invoke->getUnwindDest()));
    } else if (!call.doesNotThrow()) {
        thrown.leaves.set(UNWIND);
    }
    Call entered;
    entered.after[RETURN] = after;
    entered.after[UNWIND] = thrown;
    entered.after[PROCESS].leaves.set(PROCESS);
    const auto callees = solution_.graph.callees(call);
    entered.callees.append(callees.begin(), callees.end());
    Continuation next;
    const bool happens[] = {outside.returns, outside.unwinds, outside.ends_process};
    for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
        if (happens[exit]) {
            add(next, entered.after[exit]);
        }
    }
    if (outside.calls_back && !callees.empty()) {
        const unsigned again = add_callback(call, entered);
        entered.after[RETURN] = {.points = {again}, .leaves = {}};
        entered.after[UNWIND].points.push_back(again); // outside, it may be caught
        calls_[again] = entered;
    }
    next_[number] = std::move(next);
    if (!callees.empty()) {
        calls_[number] = std::move(entered);
    }
}

/* Between two calls back: the next one follows, or the call ends by any of its exits. */
unsigned PointGraph::add_callback(const llvm::CallBase &call, const Call &entered)
{
    const unsigned point = solution_.index.size() + static_cast<unsigned>(callbacks_.size());
    callbacks_.push_back(&call);
    const PathState &state = solution_.summaries.after_callback(call);
    Continuation next;
    for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
        if (state.killed[exit]) {
            add(next, entered.after[exit]);
        }
    }
    next_.resize(std::max<size_t>(next_.size(), point + 1));
    next_[point] = std::move(next);
    return point;
}

void PointGraph::link()
{
    before_.resize(size());
    calls_before_.resize(size());
    for (unsigned point = 0; point < size(); point++) {
        for (const unsigned next : next_[point].points) {
            before_[next].push_back(point);
        }
        if (const Call *entered = call(point)) {
            link_call(point, *entered);
        }
    }
}

void PointGraph::link_call(unsigned point, const Call &entered)
{
    for (const llvm::Function *callee : entered.callees) {
        callers_[callee].push_back(point);
    }
    for (const Continuation &after : entered.after) {
        for (const unsigned next : after.points) {
            if (!llvm::is_contained(calls_before_[next], point)) {
                calls_before_[next].push_back(point);
            }
        }
    }
}

CellPaths::CellPaths(const Solution &solution, const PointGraph &graph, unsigned cell, Goal goal)
    : solution_(solution), graph_(graph), cell_(cell), goal_(goal),
      lengths_(size_t{graph.size()} * ENDS, NONE)
{
    solve();
}

bool CellPaths::survives(unsigned point) const
{
    if (graph_.is_in_call(point)) {
        return true;
    }
    const Effect *effect = solution_.cells.effect(point);
    return effect == nullptr || !effect->kills.test(cell_);
}

bool CellPaths::is_open(unsigned point, unsigned next) const
{
    if (graph_.is_in_call(point)) {
        return true;
    }
    const llvm::Instruction &from = graph_.instruction(point);
    if (!from.isTerminator() || llvm::isa<llvm::InvokeInst>(from)) {
        return true;
    }
    const llvm::BasicBlock &to = *graph_.instruction(next).getParent();
    const CellSet *killed = solution_.summaries.killed_on_edge(*from.getParent(), to);
    return killed == nullptr || !killed->test(cell_);
}

bool CellPaths::outlives(const llvm::Function &function) const
{
    return !solution_.cells.frame(function).test(cell_);
}

bool CellPaths::ends_on_edge(unsigned point) const
{
    return llvm::any_of(graph_.next(point).points, [&](unsigned next) {
        return !is_open(point, next);
    });
}

bool CellPaths::is_goal(unsigned point) const
{
    const llvm::Instruction &instruction = graph_.instruction(point);
    const Effect *effect = solution_.cells.effect(solution_.index.number(instruction));
    const bool is_read = effect != nullptr && effect->reads.test(cell_);
    if (goal_ == Goal::Overwrite) {
        return !is_read && (!survives(point) || ends_on_edge(point));
    }
    const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const bool jumps = call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call) &&
                       solution_.summaries.outside(*call).jumps;
    return is_read || (jumps && survives(point));
}

void CellPaths::solve()
{
    for (unsigned point = 0; point < graph_.size(); point++) {
        seed(point);
    }
    while (!queue_.empty()) {
        const Candidate found = queue_.front();
        std::ranges::pop_heap(queue_, std::greater<>());
        queue_.pop_back();
        unsigned &known = lengths_[size_t{found.point} * ENDS + found.end];
        if (found.length < known) {
            known = found.length;
            settle(found);
        }
    }
}

void CellPaths::seed(unsigned point)
{
    if (is_goal(point)) {
        offer(point, GOAL, 0);
    }
    if (survives(point)) {
        for (unsigned exit = 0; exit < EXIT_KINDS; exit++) {
            if (graph_.next(point).leaves.test(exit)) {
                offer(point, exit, 1);
            }
        }
    }
}

void CellPaths::offer(unsigned point, unsigned end, uint64_t length)
{
    if (length < this->length(point, end)) {
        queue_.push_back({static_cast<unsigned>(length), point, end});
        std::ranges::push_heap(queue_, std::greater<>());
    }
}

/* A shortest path is known: what leads to its beginning has one that is longer by a step or a call.
 */
void CellPaths::settle(const Candidate &found)
{
    for (const unsigned point : graph_.before(found.point)) {
        if (survives(point) && is_open(point, found.point)) {
            offer(point, found.end, found.length + 1);
        }
    }
    for (const unsigned point : graph_.calls_before(found.point)) {
        if (survives(point)) {
            settle_call(point, found);
        }
    }
    const llvm::Function *function = graph_.begins(found.point);
    if (function == nullptr || !outlives(*function)) {
        return;
    }
    for (const unsigned point : graph_.callers(*function)) {
        if (survives(point)) {
            settle_entry(point, found);
        }
    }
}

/* The path begins where a call may go on. */
void CellPaths::settle_call(unsigned point, const Candidate &found)
{
    const PointGraph::Call &call = *graph_.call(point);
    for (unsigned exit = 0; exit < EXIT_KINDS; exit++) {
        if (!llvm::is_contained(call.after[exit].points, found.point)) {
            continue;
        }
        for (const llvm::Function *callee : call.callees) {
            const unsigned inside = length(graph_.entry(*callee), exit);
            if (inside != NONE && outlives(*callee)) {
                offer(point, found.end, uint64_t{inside} + found.length + 1);
            }
        }
    }
}

/* The path begins where a callee does, to the goal or to an exit. */
void CellPaths::settle_entry(unsigned point, const Candidate &found)
{
    if (found.end == GOAL) {
        offer(point, GOAL, found.length + 1);
        return;
    }
    const Continuation &after = graph_.call(point)->after[found.end];
    for (unsigned end = 0; end < ENDS; end++) {
        for (const unsigned next : after.points) {
            if (length(next, end) != NONE) {
                offer(point, end, uint64_t{found.length} + length(next, end) + 1);
            }
        }
        if (end < EXIT_KINDS && after.leaves.test(end)) {
            offer(point, end, found.length + 1);
        }
    }
}

} // namespace laxity::workingset
