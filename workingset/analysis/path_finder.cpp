// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/entries.hpp"
#include "analysis/why.hpp"

#include <algorithm>
#include <functional>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

namespace laxity::workingset {

namespace {

constexpr unsigned NONE = CellPaths::NONE;

bool is_constructor(const llvm::Function &function)
{
    return llvm::is_contained(find_constructors(*function.getParent()), &function);
}

/* Where a path goes on once it has left the function of its point by `exit`, and the functions
 * that have called that one. */
struct Way {
    unsigned length; // up to here
    const llvm::Function *function;
    Exit exit;
    unsigned before; // the way that it continues; NONE: the path's own function
    unsigned call;   // from which that one's function was left
    friend bool operator>(const Way &a, const Way &b)
    {
        return a.length > b.length;
    }
};

} // namespace

/* One path: of a cell, from a point. */
class PathFinder::Search {
  public:
    Search(const PathFinder &finder, unsigned cell, Goal goal)
        : finder_(finder), graph_(finder.graph_), cell_(cell), goal_(goal),
          paths_(finder.solution_, finder.graph_, cell, goal)
    {
    }

    std::optional<CellPath> find(unsigned point)
    {
        best_ = {.length = paths_.to_goal(point)};
        const llvm::Function &function = *graph_.instruction(point).getFunction();
        for (unsigned exit = 0; exit < EXIT_KINDS; exit++) {
            if (const unsigned length = paths_.to_exit(point, Exit{static_cast<uint8_t>(exit)});
                length != NONE) {
                offer({length, &function, Exit{static_cast<uint8_t>(exit)}, NONE, 0});
            }
        }
        while (!queue_.empty()) {
            const Way way = queue_.front();
            std::ranges::pop_heap(queue_, std::greater<>());
            queue_.pop_back();
            if (way.length < best_.length && is_new(way)) {
                ways_.push_back(way);
                leave();
            }
        }
        return best_.length == NONE ? std::nullopt : std::optional(written(point));
    }

  private:
    struct Best {
        unsigned length = NONE;
        unsigned way = NONE;  // the last one; NONE: the path stays in its function
        unsigned call = NONE; // then from this call on, NONE: the root was left
        unsigned next = 0;    // at this point
        size_t root = 0;
    };

    void offer(const Way &way)
    {
        queue_.push_back(way);
        std::ranges::push_heap(queue_, std::greater<>());
    }

    [[nodiscard]] bool is_new(const Way &way) const
    {
        return llvm::none_of(ways_, [&](const Way &known) {
            return known.function == way.function && known.exit == way.exit;
        });
    }

    /* Go on behind the exit of the last way: at the end of a root, or at the callers. */
    void leave()
    {
        const auto number = static_cast<unsigned>(ways_.size() - 1);
        const Way way = ways_.back();
        for (size_t root = 0; root < finder_.roots_.size(); root++) {
            const CallingContext &context = finder_.roots_[root];
            const bool is_end = goal_ == Goal::Read && context.copy == way.function &&
                                context.after[static_cast<size_t>(way.exit)].test(cell_);
            if (is_end && way.length + 1 < best_.length) {
                best_ = {way.length + 1, number, NONE, 0, root};
            }
        }
        if (way.exit != Exit::Process && !paths_.outlives(*way.function)) {
            return;
        }
        for (const unsigned call : graph_.callers(*way.function)) {
            const llvm::BasicBlock &block = *graph_.instruction(call).getParent();
            if (finder_.solution_.defined.block_start(block) != nullptr) {
                leave_to(call, way, number);
            }
        }
    }

    /* Back in a caller there is the goal, or another exit. */
    void leave_to(unsigned call, const Way &way, unsigned number)
    {
        const Continuation &after = graph_.call(call)->after[static_cast<size_t>(way.exit)];
        for (const unsigned next : after.points) {
            const uint64_t length = uint64_t{way.length} + 1 + paths_.to_goal(next);
            if (paths_.to_goal(next) != NONE && length < best_.length) {
                best_ = {static_cast<unsigned>(length), number, call, next, 0};
            }
        }
        for (unsigned end = 0; end < EXIT_KINDS; end++) {
            const Exit left{static_cast<uint8_t>(end)};
            unsigned inside = after.leaves.test(end) ? 0 : NONE;
            for (const unsigned next : after.points) {
                inside = std::min(inside, paths_.to_exit(next, left));
            }
            if (inside != NONE) {
                const llvm::Function *caller = graph_.instruction(call).getFunction();
                offer({way.length + 1 + inside, caller, left, number, call});
            }
        }
    }

    CellPath written(unsigned point)
    {
        CellPath path{
            .from = &graph_.instruction(point),
            .cell = cell_,
            .length = best_.length,
            .steps = {},
            .root = {},
            .calls = {},
            .needs_context = best_.way != NONE
        };
        std::vector<Way> ways;
        for (unsigned way = best_.way; way != NONE; way = ways_[way].before) {
            ways.push_back(ways_[way]);
        }
        std::ranges::reverse(ways);
        const llvm::Function *outermost = graph_.instruction(point).getFunction();
        std::vector<unsigned> calls; // the innermost first
        unsigned at = point;
        for (size_t i = 0; i < ways.size(); i++) {
            const Way &way = ways[i];
            if (i > 0) {
                calls.push_back(way.call);
                add_leaving(path, ways[i - 1], way.call);
                at = after_call(ways[i - 1], way);
            }
            if (at != NONE) {
                walk(path, at, static_cast<unsigned>(way.exit));
            }
            outermost = way.function;
        }
        if (best_.way == NONE) {
            walk(path, point, EXIT_KINDS);
        } else if (best_.call != NONE) {
            calls.push_back(best_.call);
            add_leaving(path, ways.back(), best_.call);
            walk(path, best_.next, EXIT_KINDS);
            outermost = graph_.instruction(best_.call).getFunction();
        } else {
            add_end(path, ways.back());
        }
        add_context(path, *outermost, calls);
        return path;
    }

    void add_leaving(CellPath &path, const Way &way, unsigned call) const
    {
        path.steps.push_back({StepKind::Leave, &graph_.instruction(call), way.function, way.exit});
    }

    /* Where `way` goes on in the caller once `before` has left its callee; NONE: it leaves that,
     * too. */
    [[nodiscard]] unsigned after_call(const Way &before, const Way &way) const
    {
        const Continuation &after = graph_.call(way.call)->after[static_cast<size_t>(before.exit)];
        for (const unsigned next : after.points) {
            const unsigned inside = paths_.to_exit(next, way.exit);
            if (inside != NONE && before.length + 1 + inside == way.length) {
                return next;
            }
        }
        return NONE;
    }

    [[nodiscard]] unsigned length(unsigned point, unsigned end) const
    {
        return end == EXIT_KINDS ? paths_.to_goal(point)
                                 : paths_.to_exit(point, Exit{static_cast<uint8_t>(end)});
    }

    /* Write down the shortest path from a point to its end: an exit, or the goal. */
    void walk(CellPath &path, unsigned point, unsigned end) const
    {
        while (point != NONE && length(point, end) > 0) {
            point = go_on(path, point, end);
        }
        if (point != NONE) {
            add_goal(path, point);
        }
    }

    /* Returns the next point; NONE: the function is left. */
    unsigned go_on(CellPath &path, unsigned point, unsigned end) const
    {
        const unsigned left = length(point, end) - 1;
        const Continuation &next = graph_.next(point);
        for (const unsigned to : next.points) {
            if (length(to, end) == left && paths_.is_open(point, to)) {
                add_block(path, point, to);
                return to;
            }
        }
        if (left == 0 && end < EXIT_KINDS && next.leaves.test(end)) {
            return NONE;
        }
        for (const llvm::Function *callee : graph_.call(point)->callees) {
            if (const auto to = go_into(path, point, *callee, end)) {
                return *to;
            }
        }
        llvm_unreachable("a length is that of a path");
    }

    /* Into a callee or past it, if the path leads there. */
    std::optional<unsigned>
    go_into(CellPath &path, unsigned point, const llvm::Function &callee, unsigned end) const
    {
        const unsigned left = length(point, end) - 1;
        const unsigned entry = graph_.entry(callee);
        if (!paths_.outlives(callee)) {
            return std::nullopt;
        }
        const llvm::Instruction &call = graph_.instruction(point);
        if (end == EXIT_KINDS && length(entry, end) == left) {
            path.steps.push_back({StepKind::Enter, &call, &callee});
            return entry;
        }
        for (unsigned exit = 0; exit < EXIT_KINDS; exit++) {
            const Continuation &after = graph_.call(point)->after[exit];
            const auto to = behind(after, end, left, length(entry, exit));
            if (!to) {
                continue;
            }
            const Exit by{static_cast<uint8_t>(exit)};
            path.steps.push_back({StepKind::Through, &call, &callee, by});
            if (*to != NONE) {
                add_block(path, point, *to);
            }
            return to;
        }
        return std::nullopt;
    }

    /* The point at which the rest of a path begins; NONE: its function is left; nullopt: not here.
     */
    [[nodiscard]] std::optional<unsigned>
    behind(const Continuation &after, unsigned end, unsigned left, unsigned inside) const
    {
        if (inside == NONE || inside > left) {
            return std::nullopt;
        }
        for (const unsigned to : after.points) {
            if (length(to, end) == left - inside) {
                return to;
            }
        }
        const bool leaves = end < EXIT_KINDS && after.leaves.test(end) && inside == left;
        return leaves ? std::optional(NONE) : std::nullopt;
    }

    void add_block(CellPath &path, unsigned from, unsigned to) const
    {
        const llvm::Instruction &next = graph_.instruction(to);
        if (graph_.instruction(from).getParent() != next.getParent()) {
            path.steps.push_back({StepKind::Block, &next, next.getFunction()});
        }
    }

    void add_goal(CellPath &path, unsigned point) const
    {
        const llvm::Instruction &at = graph_.instruction(point);
        StepKind kind = StepKind::Read;
        if (goal_ == Goal::Overwrite) {
            kind = paths_.survives(point) ? StepKind::LoopOverwrites : StepKind::Overwrite;
        } else if (const Effect *effect =
                       finder_.solution_.cells.effect(finder_.solution_.index.number(at));
                   effect == nullptr || !effect->reads.test(cell_)) {
            kind = StepKind::Jump;
        }
        path.steps.push_back({kind, &at, at.getFunction()});
    }

    /* The root has been left: which function is entered next and reads the cell? One of which all
     * that it reads is live there. */
    void add_end(CellPath &path, const Way &way) const
    {
        const auto exit = static_cast<size_t>(way.exit);
        const CallingContext &root = finder_.roots_[best_.root];
        const llvm::Function *next = nullptr;
        unsigned shortest = NONE;
        for (const CallingContext &other : finder_.roots_) {
            const unsigned entry = graph_.entry(*other.copy);
            const CellSet &read = finder_.solution_.summaries.entry(*other.copy).live;
            const bool may_follow =
                is_constructor(*root.function) || !is_constructor(*other.function);
            CellSet common = read;
            common &= root.after[exit];
            if (may_follow && common == read && paths_.outlives(*other.copy) &&
                paths_.to_goal(entry) < shortest) {
                shortest = paths_.to_goal(entry);
                next = other.copy;
            }
        }
        path.steps.push_back(
            {next == nullptr ? StepKind::Environment : StepKind::Root, nullptr, next, way.exit}
        );
        if (next != nullptr) {
            walk(path, graph_.entry(*next), EXIT_KINDS);
        }
    }

    void add_context(
        CellPath &path, const llvm::Function &outermost, const std::vector<unsigned> &inner
    ) const
    {
        std::vector<unsigned> calls = inner;
        const llvm::Function *function = &outermost;
        const bool ends_at_root = best_.way != NONE && best_.call == NONE;
        Chain chain = {best_.root, NO_CALL};
        while (!ends_at_root) {
            chain = finder_.chains_.lookup(function);
            if (chain.call == NO_CALL) {
                break;
            }
            calls.push_back(chain.call);
            function = graph_.instruction(chain.call).getFunction();
        }
        path.root = finder_.roots_[chain.root];
        for (const unsigned call : llvm::reverse(calls)) {
            path.calls.push_back(llvm::cast<llvm::CallBase>(&graph_.instruction(call)));
        }
    }

    const PathFinder &finder_;
    const PointGraph &graph_;
    unsigned cell_;
    Goal goal_;
    CellPaths paths_;
    Best best_;
    std::vector<Way> ways_;
    std::vector<Way> queue_;
};

PathFinder::PathFinder(const Analysis &analysis)
    : calls_(analysis.graph()), solution_(analysis.solution()), graph_(solution_),
      roots_(analysis.root_contexts())
{
    find_chains();
}

void PathFinder::find_chains()
{
    llvm::SetVector<const llvm::Function *> reached; // in the order of the length of their chains
    for (size_t root = 0; root < roots_.size(); root++) {
        if (reached.insert(roots_[root].copy)) {
            chains_[roots_[root].copy] = {root, NO_CALL};
        }
    }
    for (size_t i = 0; i < reached.size(); i++) {
        const size_t root = chains_.lookup(reached[i]).root;
        for (const llvm::Instruction &instruction : llvm::instructions(*reached[i])) {
            const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call == nullptr ||
                solution_.defined.block_start(*instruction.getParent()) == nullptr) {
                continue;
            }
            for (const llvm::Function *callee : solution_.graph.callees(*call)) {
                chains_.try_emplace(callee, Chain{root, solution_.index.number(*call)});
                reached.insert(callee);
            }
        }
    }
}

std::optional<CellPath>
PathFinder::find(const llvm::Instruction &from, unsigned cell, Goal goal) const
{
    return Search(*this, cell, goal).find(solution_.index.number(from));
}

bool PathFinder::may_run_below(const llvm::Function &frame, const llvm::Function &inner) const
{
    llvm::SetVector<const llvm::Function *> reached;
    reached.insert(&frame);
    for (size_t i = 0; i < reached.size(); i++) {
        for (const llvm::Instruction &instruction : llvm::instructions(*reached[i])) {
            if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
                const auto callees = calls_.callees(*call);
                reached.insert(callees.begin(), callees.end());
            }
        }
    }
    return reached.contains(&inner);
}

} // namespace laxity::workingset
