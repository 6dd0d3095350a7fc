// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/live_objects.hpp"

#include <llvm/IR/IntrinsicInst.h>
#include <set>

namespace laxity::workingset {

class LiveObjects::Ranking {
  public:
    explicit Ranking(const Solution &solution)
        : cells_(solution.cells), bits_(solution.objects.size()), counts_(bits_.size()),
          since_(bits_.size()), instructions_(bits_.size())
    {
    }

    /* Returns whether anything has changed. */
    bool set(const CellSet &live)
    {
        if (live == live_) { // as it is behind most instructions
            return false;
        }
        CellSet gone = live_;
        gone.subtract(live);
        CellSet come = live;
        come.subtract(live_);
        for (const unsigned cell : gone) {
            change(cell, false);
        }
        for (const unsigned cell : come) {
            change(cell, true);
        }
        live_ = live;
        return !gone.empty() || !come.empty();
    }

    [[nodiscard]] Largest largest() const
    {
        Largest result;
        for (auto place = order_.begin(); place != order_.end() && result.size() < MOST; ++place) {
            result.push_back({.object = place->second, .bits = ~place->first});
        }
        return result;
    }

    /* One more instruction has this live set. */
    void count_instruction()
    {
        now_++;
    }
    /* Instructions counted while each object was live; nothing is live afterwards. */
    std::vector<uint64_t> take_instructions()
    {
        set(CellSet());
        return std::move(instructions_);
    }

  private:
    void change(unsigned cell, bool comes)
    {
        const unsigned object = cells_[cell].object;
        uint64_t &bits = bits_[object];
        unsigned &count = counts_[object];
        if (count > 0) {
            order_.erase({~bits, object});
        } else {
            since_[object] = now_;
        }
        bits = comes ? bits + cells_[cell].bits : bits - cells_[cell].bits;
        count = comes ? count + 1 : count - 1;
        if (count > 0) {
            order_.insert({~bits, object});
        } else {
            instructions_[object] += now_ - since_[object];
        }
    }

    const Cells &cells_;
    CellSet live_;
    std::vector<uint64_t> bits_;
    std::vector<unsigned> counts_; // of live cells: one of unknown size has no bits
    uint64_t now_ = 0;
    std::vector<uint64_t> since_, instructions_;    // per object
    std::set<std::pair<uint64_t, unsigned>> order_; // inverted bits, object: the largest first
};

LiveObjects::LiveObjects(const Analysis &analysis)
    : solution_(analysis.solution()), lists_(1), list_of_(analysis.index().size())
{
    for (const CallingContext &root : analysis.root_contexts()) {
        LiveAfter &after = after_[root.copy];
        for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
            after[exit] |= root.after[exit];
        }
        grown_.insert(root.copy);
    }
    Ranking ranking(solution_);
    const auto &components = solution_.graph.bottom_up();
    for (const auto &component : llvm::reverse(components)) {
        while (solution_.graph.is_recursive(*component.front()) && visit_grown(component)) {
        }
        for (const llvm::Function *function : component) {
            rank(*function, analysis.copies(), ranking);
        }
    }
    live_counts_ = ranking.take_instructions();
}

/* Of a recursion, callers first; false: nothing has grown since. */
bool LiveObjects::visit_grown(llvm::ArrayRef<const llvm::Function *> component)
{
    bool has_new = false;
    for (const llvm::Function *function : llvm::reverse(component)) {
        if (grown_.erase(function)) {
            visit(*function, Show());
            has_new = true;
        }
    }
    return has_new;
}

/* Only the last of several copies makes known what is live in any of them. */
void LiveObjects::rank(const llvm::Function &copy, const ModuleCopies &copies, Ranking &ranking)
{
    const llvm::Function &function = copies.original(copy);
    const size_t count = copies.copies(function).size();
    if (count == 1) {
        visit(copy, [&](unsigned number, const CellSet *live) {
            record(solution_.origins[number], live, ranking);
        });
        return;
    }
    Joined &joined =
        joined_.try_emplace(&function, Joined{.copies_left = count, .shown = {}}).first->second;
    CellSet last;
    visit(copy, [&](unsigned number, const CellSet *live) {
        last = live == nullptr ? last : *live;
        joined.shown[solution_.origins[number]] |= last;
    });
    if (--joined.copies_left == 0) {
        for (const auto &[origin, live] : joined.shown) {
            record(origin, &live, ranking);
        }
        joined_.erase(&function);
    }
}

/* With nobody to show it to, only what is live after callees is found. */
void LiveObjects::visit(const llvm::Function &function, Show show)
{
    if (!after_.contains(&function)) {
        return;
    }
    for (const llvm::BasicBlock &block : function) {
        if (solution_.defined.block_start(block) != nullptr) {
            visit_block(block, show);
        }
    }
}

/* The instructions of a block, and what is defined before those that may change that. */
std::vector<LiveObjects::Point>
LiveObjects::find_points(const llvm::BasicBlock &block, CellSet &defined) const
{
    std::vector<Point> points;
    unsigned number = solution_.index.number(block.front());
    for (const llvm::Instruction &instruction : block) {
        const bool changes =
            llvm::isa<llvm::CallBase>(instruction) || solution_.cells.effect(number) != nullptr;
        points.push_back({number++, changes ? std::optional(defined) : std::nullopt});
        if (changes) {
            solution_.defined.step(instruction, defined);
        }
    }
    return points;
}

void LiveObjects::visit_block(const llvm::BasicBlock &block, Show show)
{
    const LiveAfter after = after_[block.getParent()];
    CellSet defined = *solution_.defined.block_start(block);
    const std::vector<Point> points = find_points(block, defined);
    CellSet live = live_at_end(solution_, block, after);
    bool is_first = true;
    for (const Point &point : llvm::reverse(points)) {
        const llvm::Instruction &instruction = solution_.index.instruction(point.number);
        if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
            enter(*call, live);
        }
        if (point.defined) {
            step_back(solution_, instruction, after, live);
        }
        if (!show) {
            continue;
        }
        if (is_first || point.defined) {
            CellSet shown = live;
            shown &= point.defined ? *point.defined : defined;
            shown |= solution_.cells.pinned();
            show(point.number, &shown);
        } else {
            show(point.number, nullptr);
        }
        is_first = false;
    }
}

void LiveObjects::enter(const llvm::CallBase &call, const CellSet &after_return)
{
    const LiveAfter caller = after_[call.getFunction()];
    for (const llvm::Function *callee : solution_.graph.callees(call)) {
        const LiveAfter entered = after_callee(solution_, call, *callee, after_return, caller);
        auto [place, has_grown] = after_.try_emplace(callee);
        for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
            has_grown = (place->second[exit] |= entered[exit]) || has_grown;
        }
        if (has_grown) {
            grown_.insert(callee);
        }
    }
}

void LiveObjects::record(unsigned origin, const CellSet *live, Ranking &ranking)
{
    if (live != nullptr && ranking.set(*live)) {
        lists_.push_back(ranking.largest());
    }
    list_of_[origin] = static_cast<unsigned>(lists_.size() - 1);
    ranking.count_instruction();
}

} // namespace laxity::workingset
