// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/contexts.hpp"

#include "analysis/live_counter.hpp"

#include <algorithm>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <map>
#include <utility>

namespace laxity::workingset {

namespace {

using ExitMask = unsigned; // bit e: exit e can be reached
constexpr size_t EXIT_MASKS = 1U << EXIT_KINDS;
constexpr auto SSA = static_cast<size_t>(StorageClass::Ssa);

ExitMask mask_of(Exit exit)
{
    return 1U << static_cast<unsigned>(exit);
}

ExitMask mask_of(const PathState &state)
{
    ExitMask mask = 0;
    for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
        mask |= state.killed[exit] ? 1U << exit : 0;
    }
    return mask;
}

/* The largest and the smallest over contexts. */
struct Span {
    LiveBits most, least;
    uint64_t most_total = 0, least_total = 0;
};

void add_to(Span &span, const LiveBits &bits)
{
    add_bits(span.most, bits);
    add_bits(span.least, bits);
    span.most_total += bits.total();
    span.least_total += bits.total();
}

void widen_most(LiveBits &most, const LiveBits &other)
{
    for (size_t i = 0; i < STORAGE_CLASSES; i++) {
        most.bits[i] = std::max(most.bits[i], other.bits[i]);
        most.bits_per_level[i] = std::max(most.bits_per_level[i], other.bits_per_level[i]);
        most.is_unbounded[i] = most.is_unbounded[i] || other.is_unbounded[i];
    }
}

void widen_least(LiveBits &least, const LiveBits &other)
{
    for (size_t i = 0; i < STORAGE_CLASSES; i++) {
        least.bits[i] = std::min(least.bits[i], other.bits[i]);
        least.bits_per_level[i] = std::min(least.bits_per_level[i], other.bits_per_level[i]);
        least.is_unbounded[i] = least.is_unbounded[i] && other.is_unbounded[i];
    }
}

/* Returns whether `span` had to grow. */
void widen(Span &span, const Span &other)
{
    widen_most(span.most, other.most);
    widen_least(span.least, other.least);
    span.most_total = std::max(span.most_total, other.most_total);
    span.least_total = std::min(span.least_total, other.least_total);
}

/* By one more context. */
void widen(Row &row, const Row &other)
{
    if (!row.is_reached) {
        row = other;
        return;
    }
    widen_most(row.most, other.most);
    widen_least(row.least, other.least);
    row.most_total = std::max(row.most_total, other.most_total);
    row.least_total = std::min(row.least_total, other.least_total);
    row.is_merged = row.is_merged || other.is_merged;
    if (row.contexts && other.contexts) {
        row.contexts = *row.contexts + std::min(*other.contexts, ~*row.contexts);
    } else {
        row.contexts = std::nullopt;
    }
}

/* What a context hands down: bits of cells that the function does not touch, of its callers'
 * values; per reachable exits. */
struct Carried {
    std::array<Span, EXIT_MASKS> spans;
    std::optional<uint64_t> contexts = 0; // nullopt: no end of them
    bool is_merged = false;
};

struct Context {
    LiveAfter after; // the part that the function touches
    Carried carried;
};

using ContextKey = std::vector<unsigned>;

ContextKey key_of(const LiveAfter &after)
{
    ContextKey key;
    for (const CellSet &cells : after) {
        for (unsigned cell : cells) {
            key.push_back(cell);
        }
        key.push_back(~0U);
    }
    return key;
}

bool is_same(const LiveBits &a, const LiveBits &b)
{
    return a.bits == b.bits && a.bits_per_level == b.bits_per_level &&
           a.is_unbounded == b.is_unbounded;
}

bool is_same(const Span &a, const Span &b)
{
    return is_same(a.most, b.most) && is_same(a.least, b.least) && a.most_total == b.most_total &&
           a.least_total == b.least_total;
}

/* The contexts of one function. */
class Contexts {
  public:
    /* Returns whether anything is new. */
    bool add(const LiveAfter &after, const Carried &carried, unsigned limit)
    {
        const bool is_new = add_or_merge(after, carried, limit);
        has_changed_ = has_changed_ || is_new;
        return is_new;
    }
    /* Whether anything was new since it was last asked. */
    bool take_change()
    {
        return std::exchange(has_changed_, false);
    }
    [[nodiscard]] std::vector<Context> all() const
    {
        std::vector<Context> result;
        result.reserve(contexts_.size() + 1);
        for (const auto &[key, context] : contexts_) {
            result.push_back(context);
        }
        if (merged_) {
            result.push_back(*merged_);
        }
        return result;
    }

  private:
    bool add_or_merge(const LiveAfter &after, const Carried &carried, unsigned limit)
    {
        ContextKey key = key_of(after);
        const bool is_over = !contexts_.contains(key) && contexts_.size() >= limit;
        if (is_over) {
            return add_merged(after, carried);
        }
        auto [place, is_new] = contexts_.try_emplace(std::move(key), Context{after, carried});
        return is_new || merge(place->second.carried, carried);
    }
    bool add_merged(const LiveAfter &after, const Carried &carried)
    {
        if (!merged_) {
            merged_ = Context{after, carried};
            merged_->carried.is_merged = true;
            return true;
        }
        bool has_changed = merge(merged_->carried, carried);
        for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
            has_changed = (merged_->after[exit] |= after[exit]) || has_changed;
        }
        return has_changed;
    }
    static bool merge(Carried &into, const Carried &from)
    {
        bool has_changed = into.is_merged != (into.is_merged || from.is_merged);
        into.is_merged = into.is_merged || from.is_merged;
        for (size_t mask = 0; mask < EXIT_MASKS; mask++) {
            const Span before = into.spans[mask];
            widen(into.spans[mask], from.spans[mask]);
            has_changed = has_changed || !is_same(before, into.spans[mask]);
        }
        if (into.contexts && from.contexts) {
            into.contexts = *into.contexts + std::min(*from.contexts, ~*into.contexts);
        } else {
            into.contexts = std::nullopt;
        }
        return has_changed;
    }

    std::map<ContextKey, Context> contexts_;
    std::optional<Context> merged_;
    bool has_changed_ = false;
};

class Evaluator {
  public:
    Evaluator(const Solution &solution, unsigned limit)
        : solution_(solution), limit_(limit), counter_(solution.cells),
          pinned_bits_(bits_of(solution.cells.pinned(), solution.cells)),
          rows_(solution.index.size())
    {
    }

    std::vector<Row> evaluate(const std::vector<Root> &roots)
    {
        find_limits();
        for (const Root &root : roots) {
            Carried carried;
            carried.contexts = 1;
            for (ExitMask mask = 0; mask < EXIT_MASKS; mask++) {
                CellSet untouched = live_through(root.after, mask);
                untouched.intersectWithComplement(solution_.summaries.touched(*root.function));
                add_to(carried.spans[mask], bits_of(untouched, solution_.cells));
                add_to(carried.spans[mask], pinned_bits_);
                add_levels(carried.spans[mask], *root.function);
            }
            add_context(*root.function, root.after, carried);
        }
        const auto &components = solution_.graph.bottom_up();
        for (auto component = components.rbegin(); component != components.rend(); ++component) {
            evaluate_component(*component);
        }
        return std::move(rows_);
    }

  private:
    unsigned origin(const llvm::Instruction &instruction) const
    {
        return solution_.origins[solution_.index.number(instruction)];
    }
    static CellSet live_through(const LiveAfter &after, ExitMask mask)
    {
        CellSet live;
        for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
            if ((mask >> exit & 1U) != 0) {
                live |= after[exit];
            }
        }
        return live;
    }

    bool add_context(const llvm::Function &function, LiveAfter after, const Carried &carried)
    {
        for (CellSet &cells : after) {
            cells &= solution_.summaries.touched(function);
        }
        return contexts_[&function].add(after, carried, limit_of(function));
    }

    /* Work of a component once, in one context: entering a callee costs more than a step. */
    [[nodiscard]] uint64_t work_of(const std::vector<const llvm::Function *> &component) const
    {
        constexpr uint64_t CALLEE_WORK = 64;
        uint64_t work = 0;
        for (const llvm::Function *function : component) {
            for (const llvm::Instruction &instruction : llvm::instructions(*function)) {
                const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
                work++;
                work += call == nullptr ? 0 : CALLEE_WORK * solution_.graph.callees(*call).size();
            }
        }
        return work;
    }
    /* Of large programs fewer contexts are told apart: recursion goes through all of them again and
     * again. */
    void find_limits()
    {
        constexpr uint64_t WORK = 50'000'000, RECURSIVE_WORK = 10'000'000;
        uint64_t all_work = 1;
        for (const auto &component : solution_.graph.bottom_up()) {
            all_work += work_of(component);
        }
        for (const auto &component : solution_.graph.bottom_up()) {
            const bool is_recursive = solution_.graph.is_recursive(*component.front());
            const uint64_t affordable =
                is_recursive ? RECURSIVE_WORK / (work_of(component) + 1) : WORK / all_work;
            for (const llvm::Function *function : component) {
                limits_[function] =
                    static_cast<unsigned>(std::clamp<uint64_t>(affordable, 1, limit_));
            }
        }
    }
    [[nodiscard]] unsigned limit_of(const llvm::Function &function) const
    {
        return limits_.lookup(&function);
    }

    void evaluate_component(const std::vector<const llvm::Function *> &component)
    {
        const bool is_recursive = solution_.graph.is_recursive(*component.front());
        do {
            has_new_context_ = false;
            for (const llvm::Function *function : llvm::reverse(component)) { // callers first
                if (auto known = contexts_.find(function);
                    known != contexts_.end() && known->second.take_change()) {
                    evaluate_function(*function, known->second.all());
                }
            }
        } while (is_recursive && has_new_context_);
    }

    void evaluate_function(const llvm::Function &function, const std::vector<Context> &contexts)
    {
        for (const llvm::BasicBlock &block : function) {
            const CellSet *start = solution_.defined.block_start(block);
            if (start == nullptr) {
                continue;
            }
            find_definitions(block, *start);
            for (const Context &context : contexts) {
                evaluate_block(block, context);
            }
        }
    }

    /* What each instruction of a block defines and undefines, for walking back. */
    struct Change {
        CellSet came, went;
    };
    void find_definitions(const llvm::BasicBlock &block, const CellSet &start)
    {
        changes_.clear();
        defined_at_end_ = start;
        for (const llvm::Instruction &instruction : block) {
            Change &change = changes_[&instruction];
            if (!solution_.index.has_number(instruction) ||
                (solution_.cells.effect(solution_.index.number(instruction)) == nullptr &&
                 !llvm::isa<llvm::CallBase>(instruction))) {
                continue;
            }
            const CellSet before = defined_at_end_;
            solution_.defined.step(instruction, defined_at_end_);
            change.came = defined_at_end_;
            change.came.intersectWithComplement(before);
            change.went = before;
            change.went.intersectWithComplement(defined_at_end_);
        }
    }

    ExitMask exits_at_end(const llvm::BasicBlock &block) const
    {
        const llvm::Instruction &last = *block.getTerminator();
        if (llvm::isa<llvm::ReturnInst>(last)) {
            return mask_of(Exit::Return);
        }
        if (llvm::isa<llvm::ResumeInst>(last)) {
            return mask_of(Exit::Unwind);
        }
        if (const auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&last)) {
            return mask_of(solution_.summaries.block_start(*invoke->getNormalDest()));
        }
        ExitMask mask = 0;
        for (const llvm::BasicBlock *next : llvm::successors(&block)) {
            mask |= mask_of(solution_.summaries.block_start(*next));
        }
        return mask;
    }

    /* The caller's exits that are reached through an exit of the callee. */
    ExitMask exits_through(const llvm::CallBase &call, ExitMask callee, ExitMask after_return) const
    {
        if (solution_.summaries.outside(call).calls_back && callee != mask_of(Exit::Process)) {
            callee |= mask_of(solution_.summaries.after_callback(call));
        }
        ExitMask mask = callee & mask_of(Exit::Process);
        if ((callee & mask_of(Exit::Return)) != 0) {
            mask |= after_return;
        }
        if ((callee & mask_of(Exit::Unwind)) != 0) {
            const auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
            mask |= invoke == nullptr
                        ? mask_of(Exit::Unwind)
                        : mask_of(solution_.summaries.block_start(*invoke->getUnwindDest()));
        }
        return mask;
    }
    ExitMask exits_before_call(const llvm::CallBase &call, ExitMask after_return) const
    {
        const OutsideCall &outside = solution_.summaries.outside(call);
        ExitMask mask = outside.returns ? mask_of(Exit::Return) : 0;
        mask |= outside.unwinds ? mask_of(Exit::Unwind) : 0;
        mask |= outside.ends_process ? mask_of(Exit::Process) : 0;
        for (const llvm::Function *callee : solution_.graph.callees(call)) {
            mask |= mask_of(solution_.summaries.entry(*callee));
        }
        return exits_through(call, mask, after_return);
    }

    void evaluate_block(const llvm::BasicBlock &block, const Context &context)
    {
        counter_.start(live_at_end(solution_, block, context.after), defined_at_end_);
        ExitMask exits = exits_at_end(block);
        for (const llvm::Instruction &instruction : llvm::reverse(block)) {
            if (!solution_.index.has_number(instruction)) {
                continue;
            }
            const unsigned number = solution_.index.number(instruction);
            const Change &change = changes_[&instruction];
            counter_.undefine(change.came);
            counter_.define(change.went);
            const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call)) {
                const CellSet after_return = counter_.live();
                for (const llvm::Function *callee : solution_.graph.callees(*call)) {
                    enter(*call, *callee, context, after_return, exits);
                }
                counter_.set_live(before_call(solution_, *call, after_return, context.after));
                exits = exits_before_call(*call, exits);
            }
            if (const Effect *effect = solution_.cells.effect(number)) {
                counter_.remove(effect->kills);
                counter_.add(effect->reads);
            }
            record(number, context.carried, exits);
        }
    }

    void enter(
        const llvm::CallBase &call,
        const llvm::Function &callee,
        const Context &context,
        const CellSet &after_return,
        ExitMask exits_after_return
    )
    {
        LiveAfter after = after_callee(solution_, call, callee, after_return, context.after);
        const CellSet &touched = solution_.summaries.touched(callee);
        const llvm::Function &caller = *call.getFunction();
        const bool is_recursive = solution_.graph.is_same_component(caller, callee);
        const uint64_t across_bits = solution_.ssa.bits_across(origin(call));
        Carried carried;
        carried.contexts = is_recursive ? std::nullopt : context.carried.contexts;
        carried.is_merged = context.carried.is_merged;
        LiveAfter untouched = after;
        ExitMask matters = 0; // exits after which anything is live that the callee does not touch
        for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
            untouched[exit].intersectWithComplement(touched);
            matters |= untouched[exit].empty() ? 0 : 1U << exit;
        }
        std::array<LiveBits, EXIT_MASKS> untouched_bits;
        for (ExitMask mask = 0; mask < EXIT_MASKS; mask++) {
            Span &span = carried.spans[mask];
            span = context.carried.spans[exits_through(call, mask, exits_after_return)];
            if ((mask & matters) == mask) { // smaller than those that it stands for
                untouched_bits[mask] = counter_.bits_of_defined(live_through(untouched, mask));
            }
            add_to(span, untouched_bits[mask & matters]);
            add_callers_values(span, across_bits, is_recursive, callee);
        }
        has_new_context_ = add_context(callee, after, carried) || has_new_context_;
    }

    /* Recursion adds its values once per level. */
    void add_callers_values(
        Span &span, uint64_t bits, bool is_recursive, const llvm::Function &callee
    ) const
    {
        if (!is_recursive) {
            LiveBits values;
            values.bits[SSA] = bits;
            add_to(span, values);
            add_levels(span, callee);
        } else if (!levels_bits(callee)) {
            span.most.is_unbounded[SSA] = true;
            span.most.bits_per_level[SSA] = std::max(span.most.bits_per_level[SSA], bits);
        }
    }

    /* Where a recursion is entered from outside: what all its levels keep, if they are annotated.
     */
    void add_levels(Span &span, const llvm::Function &entered) const
    {
        if (const std::optional<uint64_t> bits = levels_bits(entered)) {
            span.most.bits[SSA] += *bits;
            span.most_total += *bits;
        }
    }

    /* Bits of values that activations of a recursion keep across the calls by which they go on with
     * it, all together; nullopt: for one of its functions nobody says how many there are. */
    std::optional<uint64_t> levels_bits(const llvm::Function &function) const
    {
        uint64_t bits = 0;
        const auto &component = solution_.graph.component(function);
        for (const llvm::Function *member : component) {
            const uint64_t kept = most_bits_across_recursion(*member);
            const auto &levels = solution_.annotations.recursion;
            const auto found = levels.find(member->getName().str());
            if (kept > 0 && found == levels.end()) {
                return std::nullopt;
            }
            // The innermost activation keeps nothing: it has called nobody of them.
            const uint64_t innermost = component.size() == 1 ? 1 : 0;
            bits += kept == 0 ? 0 : kept * (found->second - innermost);
        }
        return bits;
    }

    uint64_t most_bits_across_recursion(const llvm::Function &function) const
    {
        uint64_t most = 0;
        for (const llvm::Instruction &instruction : llvm::instructions(function)) {
            const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) {
                continue;
            }
            const auto &callees = solution_.graph.callees(*call);
            if (llvm::any_of(callees, [&](const llvm::Function *callee) {
                    return solution_.graph.is_same_component(function, *callee);
                })) {
                const unsigned number = solution_.origins[solution_.index.number(*call)];
                most = std::max(most, solution_.ssa.bits_across(number));
            }
        }
        return most;
    }

    void record(unsigned number, const Carried &carried, ExitMask exits)
    {
        Span span = carried.spans[exits];
        LiveBits here = counter_.bits();
        here.bits[SSA] = solution_.ssa.bits_before(solution_.origins[number]);
        add_to(span, here);
        widen(
            rows_[number],
            {.most = span.most,
             .least = span.least,
             .most_total = span.most_total,
             .least_total = span.least_total,
             .contexts = carried.contexts,
             .is_merged = carried.is_merged,
             .is_reached = true}
        );
    }

    const Solution &solution_;
    unsigned limit_;
    llvm::DenseMap<const llvm::Function *, unsigned> limits_;
    LiveCounter counter_;
    LiveBits pinned_bits_;
    std::vector<Row> rows_;
    llvm::DenseMap<const llvm::Function *, Contexts> contexts_;
    llvm::DenseMap<const llvm::Instruction *, Change> changes_;
    CellSet defined_at_end_;
    bool has_new_context_ = false;
};

} // namespace

std::vector<Row>
evaluate_contexts(const Solution &solution, const std::vector<Root> &roots, unsigned context_limit)
{
    return Evaluator(solution, context_limit).evaluate(roots);
}

std::vector<Row> join_copies(const std::vector<Row> &rows, const Solution &solution)
{
    std::vector<Row> joined(solution.ssa.size());
    for (unsigned number = 0; number < rows.size(); number++) {
        if (rows[number].is_reached) {
            widen(joined[solution.origins[number]], rows[number]);
        }
    }
    return joined;
}

} // namespace laxity::workingset
