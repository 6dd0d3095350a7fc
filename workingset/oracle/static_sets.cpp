// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "static_sets.hpp"

#include "analysis/analysis.hpp"
#include "analysis/external_models.hpp"
#include "llvm/IR/Instructions.h"

#include <algorithm>

namespace laxity::workingset::oracle {

namespace {

MemoryClass class_of(StorageClass storage)
{
    switch (storage) {
    case StorageClass::Stack:
        return MemoryClass::Stack;
    case StorageClass::Global:
        return MemoryClass::Global;
    case StorageClass::Constant:
        return MemoryClass::Constant;
    case StorageClass::Heap:
        return MemoryClass::Heap;
    default:
        return MemoryClass::Other;
    }
}

class AnalysedSets final : public StaticSets {
  public:
    explicit AnalysedSets(std::unique_ptr<Analysis> analysis);

    [[nodiscard]] std::optional<unsigned> object_of(const llvm::Value &value) const override
    {
        return analysis_->objects().find(value);
    }
    [[nodiscard]] const StaticObject &object(unsigned object) const override
    {
        return objects_[object];
    }
    [[nodiscard]] unsigned object_count() const override
    {
        return static_cast<unsigned>(objects_.size());
    }
    [[nodiscard]] unsigned cell_count() const override
    {
        return static_cast<unsigned>(cells_.size());
    }
    [[nodiscard]] unsigned cell_of(unsigned object, uint64_t offset) const override;
    [[nodiscard]] const StaticCell &cell(unsigned cell) const override
    {
        return cells_[cell];
    }
    [[nodiscard]] std::vector<unsigned>
    find_contexts(const Resolved &resolved, const Numbering &numbering) override;
    [[nodiscard]] bool
    may_execute(unsigned context, const llvm::Instruction &instruction) const override
    {
        return analysis_->is_reached(contexts_[context], instruction);
    }
    [[nodiscard]] llvm::BitVector
    live_cells(unsigned context, const llvm::Instruction &instruction) override;
    [[nodiscard]] std::vector<unsigned> may_touch(const llvm::Instruction &instruction
    ) const override;
    [[nodiscard]] std::vector<std::string> externals_without_model() const override;

  private:
    [[nodiscard]] const CallingContext *find_root(const llvm::Function &function) const;
    [[nodiscard]] bool may_call(const llvm::CallBase &call, const llvm::Function &callee) const;
    bool enter_from(uint32_t parent, uint32_t site, uint32_t context, const Numbering &numbering);
    void enter_root(uint32_t context, const llvm::Function &function, bool is_first);
    [[nodiscard]] bool enter_again(const Resolved &resolved, const Numbering &numbering);

    std::unique_ptr<Analysis> analysis_;
    std::vector<StaticObject> objects_;
    std::vector<StaticCell> cells_;
    std::vector<std::vector<unsigned>> object_cells_; // ascending
    std::vector<CallingContext> roots_;
    std::vector<CallingContext> contexts_; // by context of the trace
    std::vector<unsigned> found_;          // OUTSIDE, IMPOSSIBLE, or the context's own number
};

AnalysedSets::AnalysedSets(std::unique_ptr<Analysis> analysis)
    : analysis_(std::move(analysis)), roots_(analysis_->root_contexts())
{
    const ObjectTable &objects = analysis_->objects();
    for (unsigned i = 0; i < objects.size(); i++) {
        const Object &object = objects[i];
        objects_.push_back(
            {.name = object.name,
             .memory_class = class_of(object.storage),
             .has_many_instances = object.has_many_instances,
             .is_volatile = object.is_volatile,
             .size_bytes = object.size_bytes.value_or(0)}
        );
    }
    object_cells_.resize(objects_.size());
    const Cells &cells = analysis_->cells();
    for (unsigned i = 0; i < cells.size(); i++) {
        uint64_t end_byte =
            cells[i].end_byte > cells[i].first_byte ? cells[i].end_byte : UINT64_MAX;
        cells_.push_back({cells[i].object, cells[i].first_byte, end_byte});
        object_cells_[cells[i].object].push_back(i);
    }
    // An object that no instruction accesses has no cell. Were it accessed all the same, that must
    // not go unnoticed: one that is dead.
    for (unsigned i = 0; i < objects_.size(); i++) {
        if (object_cells_[i].empty()) {
            object_cells_[i].push_back(static_cast<unsigned>(cells_.size()));
            cells_.push_back({i, 0, UINT64_MAX});
        }
    }
}

unsigned AnalysedSets::cell_of(unsigned object, uint64_t offset) const
{
    const std::vector<unsigned> &cells = object_cells_[object];
    auto next = std::ranges::upper_bound(cells, offset, {}, [this](unsigned cell) {
        return cells_[cell].first_byte;
    });
    return next == cells.begin() ? cells.front() : *std::prev(next);
}

const CallingContext *AnalysedSets::find_root(const llvm::Function &function) const
{
    auto root = std::ranges::find(roots_, &function, &CallingContext::function);
    return root == roots_.end() ? nullptr : &*root;
}

bool AnalysedSets::may_call(const llvm::CallBase &call, const llvm::Function &callee) const
{
    return llvm::is_contained(analysis_->graph().callees(call), &callee);
}

// Adds what one more way into a context has live after it; returns whether that is more than was
// known.
bool AnalysedSets::enter_from(
    uint32_t parent, uint32_t site, uint32_t context, const Numbering &numbering
)
{
    const auto &call = llvm::cast<llvm::CallBase>(*numbering.instructions[site]);
    CallingContext entered =
        analysis_->enter(contexts_[parent], call, *contexts_[context].function);
    // All ways into a recursion lead to the same copy: such functions have one.
    if (entered.copy != nullptr) {
        contexts_[context].copy = entered.copy;
    }
    bool has_changed = false;
    for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
        has_changed = (contexts_[context].after[exit] |= entered.after[exit]) || has_changed;
    }
    return has_changed;
}

void AnalysedSets::enter_root(uint32_t context, const llvm::Function &function, bool is_first)
{
    if (const CallingContext *root = find_root(function)) {
        contexts_[context] = *root;
        found_[context] = context;
    } else if (is_first && !analysis_->is_job_mode()) {
        found_[context] = IMPOSSIBLE;
    }
}

// For recursion: what is live after any of the calls, again and again until nothing is added.
bool AnalysedSets::enter_again(const Resolved &resolved, const Numbering &numbering)
{
    bool has_changed = false;
    for (const TracedRecursion &way : resolved.recursions) {
        if (found_[way.parent] < IMPOSSIBLE && found_[way.context] < IMPOSSIBLE) {
            has_changed = enter_from(way.parent, way.site, way.context, numbering) || has_changed;
        }
    }
    for (uint32_t i = 1; i < resolved.contexts.size(); i++) {
        const TracedContext &context = resolved.contexts[i];
        if (found_[i] != i || found_[context.parent] >= IMPOSSIBLE) {
            continue; // not entered from a call, which it may not have
        }
        const auto &call = llvm::cast<llvm::CallBase>(*numbering.instructions[context.site]);
        if (may_call(call, *contexts_[i].function)) {
            has_changed = enter_from(context.parent, context.site, i, numbering) || has_changed;
        }
    }
    return has_changed;
}

std::vector<unsigned>
AnalysedSets::find_contexts(const Resolved &resolved, const Numbering &numbering)
{
    contexts_.assign(resolved.contexts.size(), {});
    found_.assign(resolved.contexts.size(), OUTSIDE);
    for (uint32_t i = 1; i < resolved.contexts.size(); i++) {
        const TracedContext &context = resolved.contexts[i];
        const llvm::Function &function = *numbering.functions[context.function];
        contexts_[i].function = &function;
        if (found_[context.parent] == OUTSIDE) {
            enter_root(i, function, context.parent == 0);
            continue;
        }
        if (found_[context.parent] == IMPOSSIBLE) {
            continue;
        }
        const auto &call = llvm::cast<llvm::CallBase>(*numbering.instructions[context.site]);
        found_[i] = may_call(call, function) ? i : IMPOSSIBLE;
        if (found_[i] == i) {
            enter_from(context.parent, context.site, i, numbering);
            // Called by somebody, but not here.
            found_[i] = contexts_[i].copy == nullptr ? IMPOSSIBLE : i;
        } else {
            enter_root(i, function, false);
        }
    }
    bool has_changed = !resolved.recursions.empty();
    while (has_changed) {
        has_changed = enter_again(resolved, numbering);
    }
    return found_;
}

llvm::BitVector AnalysedSets::live_cells(unsigned context, const llvm::Instruction &instruction)
{
    llvm::BitVector live(cell_count());
    for (const CellRange &range : analysis_->live_before(contexts_[context], instruction).cells) {
        bool is_whole = range.end_byte <= range.first_byte;
        for (unsigned cell : object_cells_[range.object]) {
            bool is_touched = is_whole || (cells_[cell].first_byte < range.end_byte &&
                                           range.first_byte < cells_[cell].end_byte);
            if (is_touched) {
                live.set(cell);
            }
        }
    }
    return live;
}

std::vector<unsigned> AnalysedSets::may_touch(const llvm::Instruction &instruction) const
{
    std::vector<unsigned> objects;
    const ModuleCopies &copies = analysis_->copies();
    for (const llvm::Function *copy : copies.copies(*instruction.getFunction())) {
        const llvm::Instruction *there = copies.find(*copy, instruction);
        if (there == nullptr) {
            continue;
        }
        if (const llvm::Value *address = llvm::getLoadStorePointerOperand(there)) {
            for (const Location &place : analysis_->pointers().targets(*address)) {
                objects.push_back(place.object);
            }
        }
    }
    std::ranges::sort(objects);
    objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
    return objects;
}

std::vector<std::string> AnalysedSets::externals_without_model() const
{
    std::vector<std::string> names;
    for (const llvm::Function &function : analysis_->module()) {
        // A personality routine is a function's, no call.
        bool is_used = llvm::any_of(function.users(), [](const llvm::User *user) {
            return !llvm::isa<llvm::Function>(user);
        });
        if (function.isDeclaration() && !function.isIntrinsic() && is_used &&
            find_external_model(function) == nullptr && !is_known_to_do_anything(function)) {
            names.push_back(function.getName().str());
        }
    }
    return names;
}

} // namespace

llvm::Expected<std::unique_ptr<StaticSets>>
StaticSets::analyse(const llvm::Module &module, const Options &options)
{
    laxity::workingset::Options analysed;
    analysed.job = options.job;
    analysed.annotations = options.annotations;
    auto analysis = Analysis::run(module, analysed);
    if (!analysis) {
        return analysis.takeError();
    }
    return std::make_unique<AnalysedSets>(std::move(*analysis));
}

} // namespace laxity::workingset::oracle
