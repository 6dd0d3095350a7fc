// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/analysis.hpp"
#include "analysis/cell_paths.hpp"

namespace laxity::workingset {

enum class StepKind : uint8_t {
    Block,         // goes on in another block, which begins with `at`
    Through,       // the call `at` of `function`, which leaves the cell alone, is over
    Enter,         // the call `at` enters `function`
    Leave,         // `function` is left; its call was `at`
    Root,          // a root was left; the next thing that the environment enters is `function`
    Read,          // `at` reads the cell
    Jump,          // `at` jumps to wherever setjmp was called, and there all is live
    Environment,   // a root was left, and what is outside of the module may read the cell
    Overwrite,     // `at` overwrites the cell, or ends its life
    LoopOverwrites // a loop that is entered behind `at` overwrites all of the cell
};

/* In terms of the analysed module's copies, as the whole path: Analysis::copies() tells of what. */
struct Step {
    StepKind kind;
    const llvm::Instruction *at; // nullptr: Root, Environment
    const llvm::Function *function;
    Exit exit = Exit::Return; // by which `function` is left
};

/* A path of one cell from a point, in a context that the path needs, to what it ends with. */
struct CellPath {
    const llvm::Instruction *from; // where it begins
    unsigned cell;
    unsigned length; // steps; what is passed through counts with what is in it
    std::vector<Step> steps;
    CallingContext root;
    std::vector<const llvm::CallBase *> calls; // on the stack, the outermost first
    bool needs_context; // the way leads out of the function: in other contexts there may be none
};

/*
 * The paths that explain a live set.
 *
 * For a cell that is not pinned there is a path to a read from an instruction exactly if the
 * analysis calls it live there in some context, but for what was never written. Paths go through
 * the copies that the analysis has looked at: only they say what an instruction reads in which
 * situation.
 */
class PathFinder {
  public:
    explicit PathFinder(const Analysis &analysis);

    /* The shortest path over all contexts from an instruction of a copy; nullopt: there is none. */
    [[nodiscard]] std::optional<CellPath>
    find(const llvm::Instruction &from, unsigned cell, Goal goal) const;
    /* Can the user's function run while `frame` is on the stack, or is it the same? */
    [[nodiscard]] bool
    may_run_below(const llvm::Function &frame, const llvm::Function &inner) const;

    [[nodiscard]] const Solution &solution() const
    {
        return solution_;
    }

  private:
    class Search;

    void find_chains();

    const CallGraph &calls_; // of the user's functions
    Solution solution_;
    PointGraph graph_;
    std::vector<CallingContext> roots_;
    struct Chain {
        size_t root;
        unsigned call; // that enters the function; NO_CALL: it is the root
    };
    static constexpr unsigned NO_CALL = CellPaths::NONE;
    llvm::DenseMap<const llvm::Function *, Chain> chains_; // the shortest one
};

enum class Verdict : uint8_t {
    Live,
    Pinned,      // always live, whatever the program does
    Unreached,   // no path from the root leads there
    NotResident, // its frame is not on the stack
    Undefined,   // nothing can have been written yet, at least to what is read
    Dead
};

/* Why an object is live before an instruction, or why not. */
struct Why {
    Verdict verdict;
    const llvm::Instruction *at; // of the user's
    unsigned object;
    std::optional<CellPath> path; // Live: to the read; Dead: to the nearest overwriting, if any
    std::vector<CellRange> live;  // of the object, in the context of the path
    bool is_ever_read;            // by an instruction of the program
};

/* Of the first of `places`, instructions of the user's, at which the object is live; if there is
 * none, of the first. */
[[nodiscard]] Why explain(
    const Analysis &analysis,
    const PathFinder &finder,
    unsigned object,
    llvm::ArrayRef<const llvm::Instruction *> places
);

/* The same for one cell at one instruction. */
[[nodiscard]] Why explain_cell(
    const Analysis &analysis, const PathFinder &finder, unsigned cell, const llvm::Instruction &at
);

} // namespace laxity::workingset
