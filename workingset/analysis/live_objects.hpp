// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/analysis.hpp"

#include <map>

namespace laxity::workingset {

/* An object and how much of it is live; `bits` of one instance, 0: of unknown size. */
struct LiveObject {
    unsigned object;
    uint64_t bits;
};

/*
 * Which objects are live before each instruction, over all calling contexts together.
 *
 * The transfer of every instruction is distributive: what is live in any context follows from what
 * is live in any context after the function. So one pass over each function does, whatever the
 * number of its contexts. What is live in any copy of an instruction is live before the user's.
 */
class LiveObjects {
  public:
    static constexpr size_t MOST = 3;
    using Largest = llvm::SmallVector<LiveObject, MOST>;

    explicit LiveObjects(const Analysis &analysis);

    /* The largest ones before an instruction of the user's, at most MOST. */
    [[nodiscard]] const Largest &largest(unsigned instruction) const
    {
        return lists_[list_of_[instruction]];
    }
    /* Instructions of the user's before which any of the object is live. */
    [[nodiscard]] uint64_t instructions_live(unsigned object) const
    {
        return live_counts_[object];
    }

  private:
    /* Live bits per object, kept in order while cells come and go. */
    class Ranking;
    struct Point {
        unsigned number;
        std::optional<CellSet> defined; // before it, where the instruction may change that
    };

    /* What is live before instructions of a function of the user's that has several copies. */
    struct Joined {
        size_t copies_left = 0;
        std::map<unsigned, CellSet> shown; // by number of the instruction
    };

    /* Takes what is live before each instruction of a copy, the last of a block first; nullptr: the
     * same as behind it. */
    using Show = llvm::function_ref<void(unsigned number, const CellSet *live)>;

    bool visit_grown(llvm::ArrayRef<const llvm::Function *> component);
    void rank(const llvm::Function &copy, const ModuleCopies &copies, Ranking &ranking);
    void visit(const llvm::Function &function, Show show);
    [[nodiscard]] std::vector<Point>
    find_points(const llvm::BasicBlock &block, CellSet &defined) const;
    void visit_block(const llvm::BasicBlock &block, Show show);
    void enter(const llvm::CallBase &call, const CellSet &after_return);
    void record(unsigned origin, const CellSet *live, Ranking &ranking);

    Solution solution_;
    llvm::DenseMap<const llvm::Function *, Joined> joined_;
    llvm::DenseMap<const llvm::Function *, LiveAfter> after_;
    std::vector<Largest> lists_;
    std::vector<unsigned> list_of_; // by number of the user's instruction
    std::vector<uint64_t> live_counts_;
    // Since they were visited last, more is live after them.
    llvm::DenseSet<const llvm::Function *> grown_;
};

} // namespace laxity::workingset
