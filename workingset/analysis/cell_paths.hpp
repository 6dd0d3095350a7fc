// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/contexts.hpp"

#include <bitset>
#include <limits>

namespace laxity::workingset {

/* Where control may go on: at points of the same function, or out of it. */
struct Continuation {
    llvm::SmallVector<unsigned, 1> points;
    std::bitset<EXIT_KINDS> leaves;
};

/*
 * The points of a module and how control goes from one to the next: before each instruction, by its
 * number, and behind them one for each call by which functions of this module may be called back.
 *
 * What the analysis joins in its equations stands here as edges, so a path from a point to a read
 * exists exactly where the analysis calls a cell live.
 */
class PointGraph {
  public:
    explicit PointGraph(const Solution &solution);

    /* What a call enters, and where it goes on after each exit of what it has entered. */
    struct Call {
        llvm::SmallVector<const llvm::Function *, 1> callees;
        std::array<Continuation, EXIT_KINDS> after;
    };

    [[nodiscard]] unsigned size() const
    {
        return static_cast<unsigned>(next_.size());
    }
    /* Without entering a function of this module. */
    [[nodiscard]] const Continuation &next(unsigned point) const
    {
        return next_[point];
    }
    /* nullptr: it enters none. */
    [[nodiscard]] const Call *call(unsigned point) const;
    [[nodiscard]] unsigned entry(const llvm::Function &function) const
    {
        return entries_.lookup(&function);
    }
    /* Points whose call enters the function. */
    [[nodiscard]] llvm::ArrayRef<unsigned> callers(const llvm::Function &function) const;
    /* Points that lead to this one without a call, resp. after a call. */
    [[nodiscard]] llvm::ArrayRef<unsigned> before(unsigned point) const
    {
        return before_[point];
    }
    [[nodiscard]] llvm::ArrayRef<unsigned> calls_before(unsigned point) const
    {
        return calls_before_[point];
    }
    /* The function that begins at this point; nullptr: none does. */
    [[nodiscard]] const llvm::Function *begins(unsigned point) const
    {
        return begins_.lookup(point);
    }
    /* The instruction before which, or during which, the point is. */
    [[nodiscard]] const llvm::Instruction &instruction(unsigned point) const;
    [[nodiscard]] bool is_in_call(unsigned point) const
    {
        return point >= solution_.index.size();
    }

  private:
    void add_instruction(unsigned number);
    void add_call(unsigned number, const llvm::CallBase &call, const Continuation &after);
    unsigned add_callback(const llvm::CallBase &call, const Call &entered);
    [[nodiscard]] Continuation after_instruction(const llvm::Instruction &instruction) const;
    [[nodiscard]] unsigned first_point(const llvm::BasicBlock &block) const;
    void link();
    void link_call(unsigned point, const Call &entered);

    const Solution &solution_;
    std::vector<Continuation> next_;
    llvm::DenseMap<unsigned, Call> calls_;
    std::vector<const llvm::CallBase *> callbacks_;
    llvm::DenseMap<const llvm::Function *, unsigned> entries_;
    llvm::DenseMap<unsigned, const llvm::Function *> begins_;
    llvm::DenseMap<const llvm::Function *, llvm::SmallVector<unsigned, 2>> callers_;
    std::vector<llvm::SmallVector<unsigned, 2>> before_, calls_before_;
};

/* What a path leads to: the read that keeps a cell alive, or the end of what it holds. */
enum class Goal : uint8_t {
    Read,
    Overwrite
};

/*
 * The shortest paths of one cell, from every point to its goal and to each exit of the point's
 * function, on which nothing overwrites it.
 *
 * A path through a call enters and leaves it at the same place. So the length of a path is the sum
 * of those within callees and after them: Knuth's generalisation of Dijkstra's algorithm finds all
 * of them, recursion included.
 */
class CellPaths {
  public:
    static constexpr unsigned NONE = std::numeric_limits<unsigned>::max();

    CellPaths(const Solution &solution, const PointGraph &graph, unsigned cell, Goal goal);

    /* Steps from a point to the goal, in its function or what that calls; NONE: no path. */
    [[nodiscard]] unsigned to_goal(unsigned point) const
    {
        return length(point, GOAL);
    }
    [[nodiscard]] unsigned to_exit(unsigned point, Exit exit) const
    {
        return length(point, static_cast<unsigned>(exit));
    }
    /* Is the point itself where the goal is reached? */
    [[nodiscard]] bool is_goal(unsigned point) const;
    /* May the cell's content go on to `next`, which follows on `point` without a call? */
    [[nodiscard]] bool is_open(unsigned point, unsigned next) const;
    /* Does the cell's content survive the instruction itself? */
    [[nodiscard]] bool survives(unsigned point) const;
    /* Is the cell still there outside of the function? */
    [[nodiscard]] bool outlives(const llvm::Function &function) const;

  private:
    static constexpr unsigned GOAL = EXIT_KINDS;
    static constexpr unsigned ENDS = EXIT_KINDS + 1;
    struct Candidate {
        unsigned length, point, end;
        friend bool operator>(const Candidate &a, const Candidate &b)
        {
            return a.length > b.length;
        }
    };

    [[nodiscard]] unsigned length(unsigned point, unsigned end) const
    {
        return lengths_[size_t{point} * ENDS + end];
    }
    void solve();
    void seed(unsigned point);
    void offer(unsigned point, unsigned end, uint64_t length);
    void settle(const Candidate &found);
    void settle_call(unsigned point, const Candidate &found);
    void settle_entry(unsigned point, const Candidate &found);
    [[nodiscard]] bool ends_on_edge(unsigned point) const;

    const Solution &solution_;
    const PointGraph &graph_;
    unsigned cell_;
    Goal goal_;
    std::vector<unsigned> lengths_;
    std::vector<Candidate> queue_;
};

} // namespace laxity::workingset
