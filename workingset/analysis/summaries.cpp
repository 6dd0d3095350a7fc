// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/summaries.hpp"

#include "analysis/faults.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

namespace laxity::workingset {

std::optional<CellSet> &killed_before(PathState &state, Exit exit)
{
    return state.killed[static_cast<size_t>(exit)];
}

void join(PathState &state, const PathState &other)
{
    state.live |= other.live;
    for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
        const std::optional<CellSet> &theirs = other.killed[exit];
        std::optional<CellSet> &ours = state.killed[exit];
        if (ours && theirs && has_fault(Fault::EitherPathKills)) {
            *ours |= *theirs;
        } else if (ours && theirs) {
            *ours &= *theirs;
        } else if (theirs) {
            ours = theirs;
        }
    }
}

PathState after_kills(const CellSet &first, const PathState &then)
{
    PathState state = then;
    state.live.subtract(first);
    for (std::optional<CellSet> &killed : state.killed) {
        if (killed) {
            *killed |= first;
        }
    }
    return state;
}

PathState before_exits(PathState inside, const PathState &returned, const PathState &thrown)
{
    PathState state;
    state.live = std::move(inside.live);
    if (const auto &killed = killed_before(inside, Exit::Return)) {
        join(state, after_kills(*killed, returned));
    }
    if (const auto &killed = killed_before(inside, Exit::Unwind)) {
        join(state, after_kills(*killed, thrown));
    }
    if (auto &killed = killed_before(inside, Exit::Process)) {
        PathState ended;
        killed_before(ended, Exit::Process) = std::move(killed);
        join(state, ended);
    }
    return state;
}

OutsideCall find_outside_call(const llvm::CallBase &call, const PointerAnalysis &pointers)
{
    OutsideCall outside;
    if (llvm::isa<llvm::IntrinsicInst>(call)) {
        outside.returns = !call.doesNotReturn();
        return outside;
    }
    if (pointers.may_call_unknown(call) || call.isInlineAsm()) {
        outside.returns = !call.doesNotReturn();
        outside.unwinds = !call.doesNotThrow();
        outside.ends_process = !call.isInlineAsm();
        outside.calls_back = true;
        outside.jumps = pointers.has_second_returns();
    }
    for (const llvm::Function *callee : pointers.callees(call)) {
        const ExternalModel *model = find_external_model(*callee);
        if (model == nullptr) {
            continue;
        }
        switch (model->effect) {
        case ExternalEffect::Exits:
            outside.ends_process = true;
            break;
        case ExternalEffect::Aborts:
            break;
        case ExternalEffect::Longjmp:
            outside.jumps = true;
            break;
        case ExternalEffect::Unwinds:
            outside.unwinds = true;
            break;
        case ExternalEffect::Throws:
            outside.unwinds = outside.unwinds || !call.doesNotThrow();
            outside.returns = true;
            break;
        case ExternalEffect::Calls:
            outside.calls_back = true;
            outside.returns = true;
            break;
        default:
            outside.returns = true;
            break;
        }
    }
    return outside;
}

Summaries::Summaries(
    const CallGraph &graph,
    const Cells &cells,
    const PointerAnalysis &pointers,
    const ModuleIndex &index
)
    : graph_(graph), cells_(cells), pointers_(pointers), index_(index)
{
    for (const auto &component : graph.bottom_up()) {
        for (const llvm::Function *function : component) {
            prepare(*function);
        }
        find_touched(component);
        const bool is_recursive = graph.is_recursive(*component.front());
        if (!is_recursive) {
            loop_kills_.add(
                *component.front(),
                cells_,
                pointers_,
                index_,
                [this](const llvm::CallBase &call) { return touched_in_loop(call); }
            );
        }
        bool has_changed = true;
        while (has_changed) {
            has_changed = false;
            for (const llvm::Function *function : component) {
                has_changed = solve(*function) || has_changed;
            }
            has_changed = has_changed && is_recursive && !has_fault(Fault::RecursionSolvedOnce);
        }
    }
    for (const auto &[call, outside] : outside_) {
        if (outside.calls_back) {
            after_callbacks_[call] = find_after_callback(*call);
        }
    }
}

void Summaries::prepare(const llvm::Function &function)
{
    auto &order = post_orders_[&function];
    for (const llvm::BasicBlock *block : llvm::post_order(&function.getEntryBlock())) {
        order.push_back(block);
    }
    for (const llvm::Instruction *site : index_.calls_and_allocas(function)) {
        if (const auto *call = llvm::dyn_cast<llvm::CallBase>(site)) {
            outside_[call] = find_outside_call(*call, pointers_);
        }
    }
}

const PathState &Summaries::entry(const llvm::Function &function) const
{
    auto found = entries_.find(&function);
    return found == entries_.end() ? nothing_ : found->second;
}

const PathState &Summaries::block_start(const llvm::BasicBlock &block) const
{
    auto found = blocks_.find(&block);
    return found == blocks_.end() ? nothing_ : found->second;
}

PathState Summaries::along_edge(const llvm::BasicBlock &from, const llvm::BasicBlock &to) const
{
    const CellSet *killed = loop_kills_.find(from, to);
    return killed == nullptr ? block_start(to) : after_kills(*killed, block_start(to));
}

/* See FindCallTouches. */
std::optional<CallTouches> Summaries::touched_in_loop(const llvm::CallBase &call) const
{
    const OutsideCall &outside = outside_.find(&call)->second;
    if (outside.unwinds || outside.ends_process || outside.jumps) {
        return std::nullopt;
    }
    PathState any;
    for (const llvm::Function *callee : graph_.callees(call)) {
        join(any, entry(*callee));
    }
    if (killed_before(any, Exit::Unwind) || killed_before(any, Exit::Process)) {
        return std::nullopt;
    }
    // A function outside of the module may be entered instead, and kills nothing that is known.
    const std::optional<CellSet> &killed = killed_before(any, Exit::Return);
    return CallTouches{
        .reads = std::move(any.live), .kills = killed && !outside.returns ? *killed : CellSet()
    };
}

const CellSet &Summaries::touched(const llvm::Function &function) const
{
    auto found = touched_.find(&function);
    return found == touched_.end() ? no_cells_ : found->second;
}

const CellSet &Summaries::written(const llvm::Function &function) const
{
    auto found = written_.find(&function);
    return found == written_.end() ? no_cells_ : found->second;
}

const PathState &Summaries::after_callback(const llvm::CallBase &call) const
{
    auto found = after_callbacks_.find(&call);
    return found == after_callbacks_.end() ? nothing_ : found->second;
}

const OutsideCall &Summaries::outside(const llvm::CallBase &call) const
{
    return outside_.find(&call)->second;
}

void Summaries::add_touched(unsigned number, CellSet &touched, CellSet &written) const
{
    if (const Effect *effect = cells_.effect(number)) {
        touched |= effect->reads;
        touched |= effect->kills;
        touched |= effect->writes;
        written |= effect->writes;
    }
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&index_.instruction(number))) {
        if (outside(*call).jumps) { // where setjmp returns again, all is live
            touched |= all_live().live;
        }
        for (const llvm::Function *callee : graph_.callees(*call)) {
            touched |= this->touched(*callee);
            written |= this->written(*callee);
        }
    }
}

/* All members of a component reach each other, so they have the same sets. */
void Summaries::find_touched(const llvm::ArrayRef<const llvm::Function *> component)
{
    CellSet touched;
    CellSet written;
    for (const llvm::Function *function : component) {
        touched |= cells_.frame(*function);
        const unsigned last = index_.number(*function->back().getTerminator());
        for (unsigned i = index_.number(function->front().front()); i <= last; i++) {
            add_touched(i, touched, written);
        }
    }
    for (const llvm::Function *function : component) {
        touched_[function] = touched;
        written_[function] = written;
    }
}

bool Summaries::solve(const llvm::Function &function)
{
    const auto &order = post_orders_[&function];
    llvm::DenseSet<const llvm::BasicBlock *> changed(order.begin(), order.end()); // behind which
    llvm::DenseSet<const llvm::BasicBlock *> reached = changed;
    while (!changed.empty()) {
        for (const llvm::BasicBlock *block : order) {
            if (!changed.erase(block) || !solve_block(*block)) {
                continue;
            }
            const auto before = llvm::make_filter_range(
                llvm::predecessors(block),
                [&](const llvm::BasicBlock *from) { return reached.contains(from); }
            );
            changed.insert(before.begin(), before.end());
        }
    }
    const CellSet &frame = cells_.frame(function);
    PathState entry = after_kills(frame, block_start(function.getEntryBlock()));
    if (has_fault(Fault::CalleeReadsDropped)) {
        entry.live.clear();
    }
    PathState &known = entries_[&function];
    if (known == entry) {
        return false;
    }
    known = std::move(entry);
    any_entries_.clear();
    return true;
}

bool Summaries::solve_block(const llvm::BasicBlock &block)
{
    PathState state = block_end(block);
    const unsigned first = index_.number(block.front());
    for (unsigned i = index_.number(*block.getTerminator()) + 1; i > first; i--) {
        step_back(i - 1, state);
    }
    auto [place, is_new] = blocks_.try_emplace(&block);
    if (!is_new && place->second == state) {
        return false;
    }
    const bool has_changed = !(place->second == state);
    place->second = std::move(state);
    return has_changed;
}

/* After the terminator, except that an invoke's two ways differ: there, before_call joins them. */
PathState Summaries::block_end(const llvm::BasicBlock &block) const
{
    PathState state;
    const llvm::Instruction &last = *block.getTerminator();
    if (llvm::isa<llvm::ReturnInst>(last)) {
        killed_before(state, Exit::Return).emplace();
    } else if (llvm::isa<llvm::ResumeInst>(last)) {
        killed_before(state, Exit::Unwind).emplace();
    } else if (const auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&last)) {
        state = block_start(*invoke->getNormalDest());
    } else {
        for (const llvm::BasicBlock *next : llvm::successors(&block)) {
            join(state, along_edge(block, *next));
        }
    }
    return state;
}

PathState Summaries::all_live() const
{
    PathState state;
    for (unsigned cell = 0; cell < cells_.size(); cell++) {
        if (!cells_.pinned().test(cell)) {
            state.live.set(cell);
        }
    }
    return state;
}

PathState Summaries::outside_state(const OutsideCall &outside) const
{
    PathState state = outside.jumps ? all_live() : PathState();
    const std::pair<bool, Exit> exits[] = {
        {outside.returns, Exit::Return},
        {outside.unwinds, Exit::Unwind},
        {outside.ends_process, Exit::Process}
    };
    for (const auto &[is_possible, exit] : exits) {
        if (is_possible) {
            killed_before(state, exit).emplace();
        }
    }
    return state;
}

PathState Summaries::find_after_callback(const llvm::CallBase &call) const
{
    PathState state = outside_state(outside(call));
    killed_before(state, Exit::Return).emplace();
    if (const Effect *effect = cells_.effect(index_.number(call))) {
        state.live |= effect->reads;
    }
    for (const llvm::Function *callee : graph_.callees(call)) {
        const PathState &inside = entry(*callee);
        state.live |= inside.live;
        for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
            if (inside.killed[exit]) {
                state.killed[exit].emplace();
            }
        }
    }
    return state;
}

PathState Summaries::before_call(const llvm::CallBase &call, const PathState &after) const
{
    const OutsideCall &outside = outside_.find(&call)->second;
    const auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
    PathState thrown;
    if (invoke != nullptr) {
        thrown = block_start(*invoke->getUnwindDest());
    } else if (!call.doesNotThrow()) {
        killed_before(thrown, Exit::Unwind).emplace();
    }
    PathState state = before_exits(outside_state(outside), after, thrown);
    PathState returned = after;
    if (outside.calls_back) {
        returned = before_exits(find_after_callback(call), after, thrown);
        join(thrown, returned); // outside, it may be caught
    }
    const llvm::ArrayRef<const llvm::Function *> callees = graph_.callees(call);
    if (!callees.empty()) {
        join(state, before_exits(any_entry(callees), returned, thrown));
    }
    return state;
}

const PathState &Summaries::any_entry(llvm::ArrayRef<const llvm::Function *> callees) const
{
    if (callees.size() == 1) {
        return entry(*callees.front());
    }
    auto [place, is_new] = any_entries_.try_emplace(callees.vec());
    if (is_new) {
        for (const llvm::Function *callee : callees) {
            join(place->second, entry(*callee));
        }
    }
    return place->second;
}

void Summaries::step_back(unsigned number, PathState &state) const
{
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&index_.instruction(number));
        call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call)) {
        state = before_call(*call, state);
    }
    const Effect *effect = cells_.effect(number);
    if (effect == nullptr) {
        return;
    }
    if (!effect->kills.empty()) {
        state = after_kills(effect->kills, state);
    }
    state.live |= effect->reads;
}

} // namespace laxity::workingset
