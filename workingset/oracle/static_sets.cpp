// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "static_sets.hpp"

#include "analysis/analysis.hpp"
#include "analysis/external_models.hpp"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <compare>
#include <map>

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
    [[nodiscard]] uint32_t
    live_set(unsigned context, const llvm::Instruction &instruction) override;
    [[nodiscard]] uint64_t value_bits(const llvm::Instruction &instruction) const override
    {
        return analysis_->solution().ssa.bits_before(analysis_->index().number(instruction));
    }
    [[nodiscard]] uint64_t value_bits_across(const llvm::Instruction &call) const override
    {
        return analysis_->solution().ssa.bits_across(analysis_->index().number(call));
    }
    [[nodiscard]] std::vector<unsigned> may_touch(const llvm::Instruction &instruction
    ) const override;
    [[nodiscard]] std::vector<std::string> externals_without_model() const override;

  private:
    static constexpr uint32_t NO_SET = ~0U;
    struct ContextKey {
        const llvm::Function *copy;
        std::array<uint32_t, EXIT_KINDS> after; // sets
        auto operator<=>(const ContextKey &) const = default;
    };
    struct Way {
        unsigned parent;
        uint32_t site;
        uint32_t function;
        auto operator<=>(const Way &) const = default;
    };

    [[nodiscard]] bool may_call(const llvm::CallBase &call, const llvm::Function &callee) const;
    [[nodiscard]] llvm::BitVector bits_of(const CellSet &cells) const;
    [[nodiscard]] unsigned number_of_context(CallingContext context);
    [[nodiscard]] unsigned
    enter(unsigned parent, uint32_t site, uint32_t function, const Numbering &numbering);
    [[nodiscard]] unsigned enter_root(const llvm::Function &function, bool is_first);
    [[nodiscard]] bool join(unsigned &context, unsigned way);
    [[nodiscard]] bool
    enter_again(const Resolved &resolved, const Numbering &numbering, std::vector<unsigned> &found);

    std::unique_ptr<Analysis> analysis_;
    std::vector<StaticObject> objects_;
    std::vector<StaticCell> cells_;
    std::vector<std::vector<unsigned>> object_cells_; // ascending
    std::vector<CallingContext> roots_;
    std::vector<CallingContext> contexts_;
    std::map<ContextKey, unsigned> context_numbers_;
    std::map<Way, unsigned> entered_;
    // By context, then by instruction of its function; empty until one is asked for.
    std::vector<std::vector<uint32_t>> live_sets_;
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

bool AnalysedSets::may_call(const llvm::CallBase &call, const llvm::Function &callee) const
{
    return llvm::is_contained(analysis_->graph().callees(call), &callee);
}

llvm::BitVector AnalysedSets::bits_of(const CellSet &cells) const
{
    llvm::BitVector bits(cell_count());
    for (unsigned cell : cells) {
        bits.set(cell);
    }
    return bits;
}

// What is called is known by the function and by what is live after it. A program may have a
// million call strings and a hundred of these.
unsigned AnalysedSets::number_of_context(CallingContext context)
{
    if (context.copy == nullptr) {
        return IMPOSSIBLE;
    }
    ContextKey key{context.copy, {}};
    for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
        key.after[exit] = number_of(bits_of(context.after[exit]));
    }
    auto [known, is_new] =
        context_numbers_.try_emplace(key, static_cast<unsigned>(contexts_.size()));
    if (is_new) {
        contexts_.push_back(std::move(context));
        live_sets_.emplace_back();
    }
    return known->second;
}

unsigned
AnalysedSets::enter(unsigned parent, uint32_t site, uint32_t function, const Numbering &numbering)
{
    auto [known, is_new] = entered_.try_emplace(Way{parent, site, function}, IMPOSSIBLE);
    if (is_new) {
        const auto &call = llvm::cast<llvm::CallBase>(*numbering.instructions[site]);
        known->second = number_of_context(
            analysis_->enter(contexts_[parent], call, *numbering.functions[function])
        );
    }
    return known->second;
}

unsigned AnalysedSets::enter_root(const llvm::Function &function, bool is_first)
{
    auto root = std::ranges::find(roots_, &function, &CallingContext::function);
    if (root != roots_.end()) {
        return number_of_context(*root);
    }
    return is_first && !analysis_->is_job_mode() ? IMPOSSIBLE : OUTSIDE;
}

// Adds one more way into a context of the trace; returns whether more is live after it than was
// known.
bool AnalysedSets::join(unsigned &context, unsigned way)
{
    if (way == IMPOSSIBLE || way == context) {
        return false;
    }
    // All ways into a recursion lead to the same copy: such functions have one.
    CallingContext joined = contexts_[context];
    bool has_changed = false;
    for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
        has_changed = (joined.after[exit] |= contexts_[way].after[exit]) || has_changed;
    }
    if (has_changed) {
        context = number_of_context(std::move(joined));
    }
    return has_changed;
}

// For recursion: what is live after any of the calls, again and again until nothing is added.
bool AnalysedSets::enter_again(
    const Resolved &resolved, const Numbering &numbering, std::vector<unsigned> &found
)
{
    bool has_changed = false;
    for (const TracedRecursion &way : resolved.recursions) {
        if (found[way.parent] < IMPOSSIBLE && found[way.context] < IMPOSSIBLE) {
            uint32_t function = resolved.contexts[way.context].function;
            unsigned entered = enter(found[way.parent], way.site, function, numbering);
            has_changed = join(found[way.context], entered) || has_changed;
        }
    }
    for (uint32_t i = 1; i < resolved.contexts.size(); i++) {
        const TracedContext &context = resolved.contexts[i];
        if (found[i] >= IMPOSSIBLE || found[context.parent] >= IMPOSSIBLE) {
            continue; // not entered from a call, which it may not have
        }
        const auto &call = llvm::cast<llvm::CallBase>(*numbering.instructions[context.site]);
        if (may_call(call, *numbering.functions[context.function])) {
            unsigned entered =
                enter(found[context.parent], context.site, context.function, numbering);
            has_changed = join(found[i], entered) || has_changed;
        }
    }
    return has_changed;
}

std::vector<unsigned>
AnalysedSets::find_contexts(const Resolved &resolved, const Numbering &numbering)
{
    std::vector<unsigned> found(resolved.contexts.size(), OUTSIDE);
    for (uint32_t i = 1; i < resolved.contexts.size(); i++) {
        const TracedContext &context = resolved.contexts[i];
        const llvm::Function &function = *numbering.functions[context.function];
        unsigned parent = found[context.parent];
        if (parent == OUTSIDE) {
            found[i] = enter_root(function, context.parent == 0);
            continue;
        }
        if (parent == IMPOSSIBLE) {
            continue;
        }
        const auto &call = llvm::cast<llvm::CallBase>(*numbering.instructions[context.site]);
        if (may_call(call, function)) {
            // Impossible: called by somebody, but not here.
            found[i] = enter(parent, context.site, context.function, numbering);
        } else {
            unsigned root = enter_root(function, false);
            found[i] = root == OUTSIDE ? IMPOSSIBLE : root;
        }
    }
    bool has_changed = !resolved.recursions.empty();
    while (has_changed) {
        has_changed = enter_again(resolved, numbering, found);
    }
    return found;
}

uint32_t AnalysedSets::live_set(unsigned context, const llvm::Instruction &instruction)
{
    const ModuleIndex &index = analysis_->index();
    const llvm::Function &function = *instruction.getFunction();
    unsigned first = index.number(*function.getEntryBlock().getFirstNonPHIOrDbg(false));
    std::vector<uint32_t> &known = live_sets_[context];
    if (known.empty()) {
        known.resize(function.getInstructionCount(), NO_SET);
    }
    uint32_t &set = known[index.number(instruction) - first];
    if (set == NO_SET) {
        const CallingContext &place = contexts_[context];
        const ModuleCopies &copies = analysis_->copies();
        const llvm::Instruction *copy = copies.find(*place.copy, instruction);
        if (copy == nullptr) {
            set = number_of(bits_of(analysis_->cells().pinned()));
            return set;
        }
        std::vector<CellSet> live = analysis_->live_in_block(place, *copy->getParent());
        for (const auto &[other, cells] : llvm::zip_equal(*copy->getParent(), live)) {
            if (const llvm::Value *original = copies.original(other)) {
                unsigned number = index.number(*llvm::cast<llvm::Instruction>(original));
                known[number - first] = number_of(bits_of(cells));
            }
        }
    }
    return set;
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
    analysed.outputs = options.outputs;
    analysed.annotations = options.annotations;
    auto analysis = Analysis::run(module, analysed);
    if (!analysis) {
        return analysis.takeError();
    }
    return std::make_unique<AnalysedSets>(std::move(*analysis));
}

} // namespace laxity::workingset::oracle
