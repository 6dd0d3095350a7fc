// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/analysis.hpp"

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
 * number of its contexts.
 */
class LiveObjects {
  public:
    static constexpr size_t MOST = 3;
    using Largest = llvm::SmallVector<LiveObject, MOST>;

    explicit LiveObjects(const Analysis &analysis);

    /* The largest ones before an instruction, at most MOST. */
    [[nodiscard]] const Largest &largest(unsigned instruction) const
    {
        return lists_[list_of_[instruction]];
    }
    /* Instructions before which any of the object is live. */
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

    void visit(const llvm::Function &function, Ranking *ranking);
    [[nodiscard]] std::vector<Point>
    find_points(const llvm::BasicBlock &block, CellSet &defined) const;
    void visit_block(const llvm::BasicBlock &block, Ranking *ranking);
    void enter(const llvm::CallBase &call, const CellSet &after_return);
    void record(unsigned instruction, Ranking &ranking, bool has_changed);

    Solution solution_;
    llvm::DenseMap<const llvm::Function *, LiveAfter> after_;
    std::vector<Largest> lists_;
    std::vector<unsigned> list_of_;
    std::vector<uint64_t> live_counts_;
    bool has_new_ = false;
};

} // namespace laxity::workingset
