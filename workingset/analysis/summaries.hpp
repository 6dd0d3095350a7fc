// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/call_graph.hpp"
#include "analysis/cells.hpp"
#include "analysis/loop_kills.hpp"

#include <array>
#include <map>
#include <optional>

namespace laxity::workingset {

/* How a function is left: it returns, an exception leaves it, or the program ends in it by exit().
 */
enum class Exit : uint8_t {
    Return,
    Unwind,
    Process
};
inline constexpr size_t EXIT_KINDS = 3;
/* Their places in an array of all exits. */
inline constexpr auto RETURN = static_cast<size_t>(Exit::Return);
inline constexpr auto UNWIND = static_cast<size_t>(Exit::Unwind);
inline constexpr auto PROCESS = static_cast<size_t>(Exit::Process);

/* What is live after each exit of a function, in one calling context. */
using LiveAfter = std::array<CellSet, EXIT_KINDS>;

/*
 * Liveness at one point of a function, for every calling context at once.
 *
 * With X_e live after exit e of the function, exactly   live ∪ ⋃_e (X_e \ killed_e)   is live at
 * the point: the transfer of every instruction is bitwise and distributive. (`live` is the solution
 * with nothing live after the exits, the complement of killed_e, joined with it, the one with
 * everything live after e.) No context is ever solved anew.
 */
struct PathState {
    CellSet live;
    // What is surely overwritten on every path from the point to this exit; nullopt: no path leads
    // there.
    std::array<std::optional<CellSet>, EXIT_KINDS> killed;

    friend bool operator==(const PathState &, const PathState &) = default;
};

/* Either path may be taken. */
void join(PathState &state, const PathState &other);

/* `first` is done on the way to `then`. */
[[nodiscard]] PathState after_kills(const CellSet &first, const PathState &then);

/* `inside` a call, whose exits lead to these points of the caller. */
[[nodiscard]] PathState
before_exits(PathState inside, const PathState &returned, const PathState &thrown);

[[nodiscard]] std::optional<CellSet> &killed_before(PathState &state, Exit exit);

/* What a call may do beside entering a function of this module. */
struct OutsideCall {
    bool returns = false;
    bool unwinds = false;
    bool ends_process = false;
    bool jumps = false; // longjmp: whatever is live where setjmp returns again
    bool calls_back = false;
};
[[nodiscard]] OutsideCall
find_outside_call(const llvm::CallBase &call, const PointerAnalysis &pointers);

/* The liveness of every function's blocks, one pass over the call graph from the bottom; recursive
 * ones by iteration. */
class Summaries {
  public:
    Summaries(
        const CallGraph &graph,
        const Cells &cells,
        const PointerAnalysis &pointers,
        const ModuleIndex &index
    );

    /* At the entry of a function, without its own frame. */
    [[nodiscard]] const PathState &entry(const llvm::Function &function) const;
    /* The same where any of them, at least one, is entered. What follows is the same after each, so
     * it may be joined with all of them at once. */
    [[nodiscard]] const PathState &any_entry(llvm::ArrayRef<const llvm::Function *> callees) const;
    /* At the first instruction of a block. */
    [[nodiscard]] const PathState &block_start(const llvm::BasicBlock &block) const;
    /* At the end of the block `from`, on the way to `to`. */
    [[nodiscard]] PathState
    along_edge(const llvm::BasicBlock &from, const llvm::BasicBlock &to) const;
    /* What a loop surely overwrites that is entered on this edge; nullptr: nothing. */
    [[nodiscard]] const CellSet *
    killed_on_edge(const llvm::BasicBlock &from, const llvm::BasicBlock &to) const
    {
        return loop_kills_.find(from, to);
    }
    /* Cells that a function and what it calls may read, write or kill: the rest is only carried
     * through. */
    [[nodiscard]] const CellSet &touched(const llvm::Function &function) const;
    /* Cells that a function and what it calls may write. */
    [[nodiscard]] const CellSet &written(const llvm::Function &function) const;
    [[nodiscard]] const OutsideCall &outside(const llvm::CallBase &call) const;
    /*
     * Where a function of this module returns to that a call outside calls back: what is read until
     * the call is over, by it or by what it calls back next, and the exits by which the call ends.
     */
    [[nodiscard]] const PathState &after_callback(const llvm::CallBase &call) const;

  private:
    void prepare(const llvm::Function &function);
    void add_touched(unsigned number, CellSet &touched, CellSet &written) const;
    void find_touched(const llvm::ArrayRef<const llvm::Function *> component);
    bool solve(const llvm::Function &function);
    bool solve_block(const llvm::BasicBlock &block);
    [[nodiscard]] PathState block_end(const llvm::BasicBlock &block) const;
    void step_back(unsigned number, PathState &state) const;
    [[nodiscard]] PathState before_call(const llvm::CallBase &call, const PathState &after) const;
    [[nodiscard]] PathState find_after_callback(const llvm::CallBase &call) const;
    [[nodiscard]] PathState outside_state(const OutsideCall &outside) const;
    [[nodiscard]] PathState all_live() const;
    [[nodiscard]] std::optional<CallTouches> touched_in_loop(const llvm::CallBase &call) const;

    const CallGraph &graph_;
    const Cells &cells_;
    const PointerAnalysis &pointers_;
    const ModuleIndex &index_;
    llvm::DenseMap<const llvm::Function *, PathState> entries_;
    llvm::DenseMap<const llvm::BasicBlock *, PathState> blocks_;
    llvm::DenseMap<const llvm::Function *, std::vector<const llvm::BasicBlock *>> post_orders_;
    llvm::DenseMap<const llvm::Function *, CellSet> touched_, written_;
    llvm::DenseMap<const llvm::CallBase *, OutsideCall> outside_;
    llvm::DenseMap<const llvm::CallBase *, PathState> after_callbacks_;
    // Per set of callees, until an entry changes: tables of functions are called from many places.
    mutable std::map<std::vector<const llvm::Function *>, PathState> any_entries_;
    LoopKills loop_kills_;
    PathState nothing_;
    CellSet no_cells_;
};

} // namespace laxity::workingset
