// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/contexts.hpp"

#include "analysis/context_store.hpp"
#include "analysis/live_counter.hpp"

#include <algorithm>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>
#include <utility>

namespace laxity::workingset {

namespace {

using ExitMask = unsigned; // bit e: exit e can be reached
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

class Evaluator {
  public:
    Evaluator(const Solution &solution, unsigned limit)
        : solution_(solution), limit_(limit), counter_(solution.cells),
          pinned_bits_(bits_of(solution.cells.pinned(), solution.cells)),
          rows_(solution.ssa, solution.origins)
    {
    }

    Rows evaluate(const std::vector<Root> &roots)
    {
        find_limits();
        for (const Root &root : roots) {
            Carried carried;
            carried.contexts = 1;
            for (ExitMask mask = 0; mask < EXIT_MASKS; mask++) {
                CellSet untouched = live_through(root.after, mask);
                untouched.subtract(solution_.summaries.touched(*root.function));
                add_to(carried.spans[mask], bits_of(untouched, solution_.cells));
                add_to(carried.spans[mask], pinned_bits_);
                add_levels(carried.spans[mask], *root.function);
            }
            LiveAfter after = root.after;
            for (CellSet &cells : after) {
                cells &= solution_.summaries.touched(*root.function);
            }
            add_context(*root.function, make_entry(std::move(after), carried));
        }
        const auto &components = solution_.graph.bottom_up();
        for (auto component = components.rbegin(); component != components.rend(); ++component) {
            evaluate_component(*component);
        }
        rows_.join_copies();
        return std::move(rows_);
    }

  private:
    [[nodiscard]] unsigned origin(const llvm::Instruction &instruction) const
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

    bool add_context(const llvm::Function &function, const Entry &entry)
    {
        return contexts_[&function].add(entry, limit_of(function));
    }

    /* Work of a component once, in one context: entering a callee costs more than a step. */
    [[nodiscard]] uint64_t work_of(const std::vector<const llvm::Function *> &component) const
    {
        constexpr uint64_t CALLEE_WORK = 64;
        uint64_t work = 0;
        for (const llvm::Function *function : component) {
            work += solution_.index.count(*function);
            for (const llvm::Instruction *site : solution_.index.calls_and_allocas(*function)) {
                const auto *call = llvm::dyn_cast<llvm::CallBase>(site);
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
                if (auto known = contexts_.find(function); known != contexts_.end()) {
                    evaluate_function(*function, known->second.take_changed());
                }
            }
        } while (is_recursive && has_new_context_);
    }

    void evaluate_function(const llvm::Function &function, const std::vector<Context> &contexts)
    {
        if (contexts.empty()) {
            return;
        }
        for (const llvm::BasicBlock &block : function) {
            const CellSet *start = solution_.defined.block_start(block);
            if (start == nullptr) {
                continue;
            }
            first_number_ = solution_.index.number(block.front());
            block_rows_.resize(block.size());
            find_definitions(block, *start);
            rows_.get(first_number_, block_rows_);
            for (const Context &context : contexts) {
                evaluate_block(block, context);
            }
            rows_.set(first_number_, block_rows_);
        }
    }

    /* What each instruction of a block defines and undefines, for walking back. */
    struct Change {
        CellSet came, went;
    };
    void find_definitions(const llvm::BasicBlock &block, const CellSet &start)
    {
        changes_.assign(block_rows_.size(), {});
        defined_at_end_ = start;
        unsigned number = first_number_;
        for (auto [instruction, change] : llvm::zip_equal(block, changes_)) {
            if (solution_.cells.effect(number++) == nullptr &&
                !llvm::isa<llvm::CallBase>(instruction)) {
                continue;
            }
            const CellSet before = defined_at_end_;
            solution_.defined.step(instruction, defined_at_end_);
            change.came = defined_at_end_;
            change.came.subtract(before);
            change.went = before;
            change.went.subtract(defined_at_end_);
        }
    }

    [[nodiscard]] ExitMask exits_at_end(const llvm::BasicBlock &block) const
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
    [[nodiscard]] ExitMask
    exits_through(const llvm::CallBase &call, ExitMask callee, ExitMask after_return) const
    {
        if (solution_.summaries.outside(call).calls_back && callee != mask_of(Exit::Process)) {
            callee |= mask_of(solution_.summaries.after_callback(call));
        }
        ExitMask mask = callee & mask_of(Exit::Process);
        if ((callee & mask_of(Exit::Return)) != 0) {
            mask |= after_return;
        }
        if ((callee & mask_of(Exit::Unwind)) != 0) {
            if (const auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
                mask |= mask_of(solution_.summaries.block_start(*invoke->getUnwindDest()));
            } else if (!call.doesNotThrow()) {
                mask |= mask_of(Exit::Unwind);
            }
        }
        return mask;
    }
    [[nodiscard]] ExitMask
    exits_before_call(const llvm::CallBase &call, ExitMask after_return) const
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
        auto number = first_number_ + static_cast<unsigned>(block_rows_.size());
        for (const llvm::Instruction &instruction : llvm::reverse(block)) {
            const Change &change = changes_[--number - first_number_];
            counter_.undefine(change.came);
            counter_.define(change.went);
            const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call)) {
                const CellSet after_return = counter_.live();
                enter_callees(*call, context, after_return, exits);
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

    /* Functions of one component touch the same, and none of a recursive one owns its frame alone,
     * so they are entered in the same context. */
    void enter_callees(
        const llvm::CallBase &call,
        const Context &context,
        const CellSet &after_return,
        ExitMask exits_after_return
    )
    {
        llvm::DenseMap<const std::vector<const llvm::Function *> *, Entry> entries;
        for (const llvm::Function *callee : solution_.graph.callees(call)) {
            if (!solution_.cells.frame(*callee).empty()) {
                const Entry entry = enter(call, *callee, context, after_return, exits_after_return);
                has_new_context_ = add_context(*callee, entry) || has_new_context_;
                continue;
            }
            auto known = entries.find(&solution_.graph.component(*callee));
            if (known == entries.end()) {
                known = entries
                            .try_emplace(
                                &solution_.graph.component(*callee),
                                enter(call, *callee, context, after_return, exits_after_return)
                            )
                            .first;
            }
            has_new_context_ = add_context(*callee, known->second) || has_new_context_;
        }
    }

    [[nodiscard]] Entry enter(
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
            untouched[exit].subtract(touched);
            matters |= untouched[exit].empty() ? 0 : 1U << exit;
            after[exit] &= touched;
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
        return make_entry(std::move(after), carried);
    }

    /* Recursion adds its values once per level. */
    void
    add_callers_values(Span &span, uint64_t bits, bool is_recursive, const llvm::Function &callee)
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
    void add_levels(Span &span, const llvm::Function &entered)
    {
        if (const std::optional<uint64_t> bits = levels_bits(entered)) {
            span.most.bits[SSA] += *bits;
            span.most_total += *bits;
        }
    }

    /* Bits of values that activations of a recursion keep across the calls by which they go on with
     * it, all together; nullopt: for one of its functions nobody says how many there are. */
    std::optional<uint64_t> levels_bits(const llvm::Function &function)
    {
        const auto &component = solution_.graph.component(function);
        const auto [place, is_new] = levels_bits_.try_emplace(&component);
        if (is_new) {
            place->second = find_levels_bits(component);
        }
        return place->second;
    }
    [[nodiscard]] std::optional<uint64_t>
    find_levels_bits(const std::vector<const llvm::Function *> &component) const
    {
        if (!solution_.graph.is_recursive(*component.front())) {
            return 0;
        }
        uint64_t bits = 0;
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

    [[nodiscard]] uint64_t most_bits_across_recursion(const llvm::Function &function) const
    {
        uint64_t most = 0;
        for (const llvm::Instruction *site : solution_.index.calls_and_allocas(function)) {
            const auto *call = llvm::dyn_cast<llvm::CallBase>(site);
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
        add_to(span, counter_.bits());
        widen(
            block_rows_[number - first_number_],
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
    Rows rows_;
    // Of the block that is evaluated.
    unsigned first_number_ = 0;
    std::vector<Row> block_rows_;
    std::vector<Change> changes_;
    llvm::DenseMap<const llvm::Function *, Contexts> contexts_;
    // By component.
    llvm::DenseMap<const std::vector<const llvm::Function *> *, std::optional<uint64_t>>
        levels_bits_;
    CellSet defined_at_end_;
    bool has_new_context_ = false;
};

} // namespace

Rows evaluate_contexts(
    const Solution &solution, const std::vector<Root> &roots, unsigned context_limit
)
{
    return Evaluator(solution, context_limit).evaluate(roots);
}

} // namespace laxity::workingset
