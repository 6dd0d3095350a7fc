// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/stored_ranges.hpp"

#include "analysis/accesses.hpp"
#include "analysis/faults.hpp"
#include "analysis/filled_bytes.hpp"
#include "analysis/index_ranges.hpp"
#include "analysis/objects.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <map>
#include <memory>

namespace laxity::workingset {

namespace {

constexpr auto SIGNED = llvm::ConstantRange::Signed;

// A table of more numbers than that is not worth reading: they will be many different ones.
constexpr uint64_t MAX_FIRST_VALUES = 4096;

// Rounds before what still changes becomes anything, and before all is given up.
constexpr unsigned WIDEN_AFTER = 3;
constexpr unsigned MAX_ROUNDS = 12;

// Rounds that take back what widening has put in too much.
constexpr unsigned NARROWINGS = 2;

// Whoever keeps indices at more places is not looked at.
constexpr size_t MAX_SLOTS = 4096;

bool is_whole_integer(const llvm::Type &type)
{
    return type.isIntegerTy(8) || type.isIntegerTy(16) || type.isIntegerTy(32) ||
           type.isIntegerTy(64);
}

bool is_variable(const llvm::GetElementPtrInst &gep)
{
    return !gep.hasAllConstantIndices() && !gep.getType()->isVectorTy();
}

/* The object itself must be aligned, too. */
uint64_t alignment(const llvm::Value &object)
{
    if (const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&object)) {
        return alloca->getAlign().value();
    }
    const auto *global = llvm::dyn_cast<llvm::GlobalVariable>(&object);
    return global == nullptr ? 1 : global->getAlign().valueOrOne().value();
}

std::optional<llvm::APInt> constant_at(
    const llvm::Constant &initializer,
    unsigned bits,
    uint64_t offset_bytes,
    const llvm::DataLayout &layout
)
{
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): LLVM asks for it and changes nothing
    auto &whole = const_cast<llvm::Constant &>(initializer);
    llvm::Constant *part = llvm::ConstantFoldLoadFromConst(
        &whole,
        llvm::Type::getIntNTy(initializer.getContext(), bits),
        llvm::APInt(64, offset_bytes),
        layout
    );
    const auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(part);
    return number == nullptr ? std::nullopt : std::optional(number->getValue());
}

class StoredRangesFinder {
  public:
    StoredRangesFinder(
        const ObjectTable &objects, const PointerAnalysis &pointers, const ModuleIndex &index
    );

    [[nodiscard]] StoredRanges take()
    {
        return std::move(found_);
    }

  private:
    struct Slot {
        unsigned object;
        std::optional<int64_t> offset; // nullopt: all multiples of the width
        unsigned bits;
        llvm::ConstantRange first;
        std::vector<const llvm::StoreInst *> stores = {};
        std::vector<const llvm::LoadInst *> loads = {};
        bool is_known = true;
    };

    [[nodiscard]] bool find_loads(const ModuleIndex &index);
    void look_at(const llvm::Value &value);
    void find_writes(const ModuleIndex &index);
    void add_load(const llvm::LoadInst &load);
    [[nodiscard]] std::optional<unsigned> find_slot(const Location &place, unsigned bits);
    [[nodiscard]] bool find_stores(Slot &slot) const;
    [[nodiscard]] bool is_candidate(unsigned object) const;
    [[nodiscard]] bool is_aligned(const Slot &slot) const;
    [[nodiscard]] llvm::ConstantRange first_values(const Slot &slot) const;
    void solve();
    [[nodiscard]] bool widen_to_fixpoint();
    [[nodiscard]] bool forget_unfilled();
    [[nodiscard]] bool is_filled(const Slot &slot, const llvm::LoadInst &load, IndexRanges &ranges);
    [[nodiscard]] llvm::ConstantRange values_of(const Slot &slot);
    void forget_ranges();
    [[nodiscard]] ScalarFacts &facts(const llvm::Function &function);

    const ObjectTable &objects_;
    const PointerAnalysis &pointers_;
    std::vector<bool> is_escaped_;                 // per object
    std::vector<std::vector<StoredWrite>> writes_; // per object
    std::vector<const llvm::LoadInst *> open_;     // still to be given slots
    llvm::DenseSet<const llvm::Value *> seen_;     // by look_at()
    std::vector<Slot> slots_;
    StoredRanges found_; // values of the same slots
    std::map<std::tuple<unsigned, int64_t, unsigned>, std::optional<unsigned>> slot_numbers_;
    llvm::DenseMap<const llvm::Function *, std::unique_ptr<ScalarFacts>> facts_;
};

StoredRangesFinder::StoredRangesFinder(
    const ObjectTable &objects, const PointerAnalysis &pointers, const ModuleIndex &index
)
    : objects_(objects), pointers_(pointers), is_escaped_(objects.size()), writes_(objects.size())
{
    if (pointers.is_fallback() || !find_loads(index)) {
        return;
    }
    for (const Location &place : pointers.escaped()) {
        is_escaped_[place.object] =
            !has_fault(Fault::DeviceWritesDropped) || !objects[place.object].is_device_written;
    }
    find_writes(index);
    while (!open_.empty()) {
        const llvm::LoadInst &load = *open_.back();
        open_.pop_back();
        add_load(load);
    }
    if (slots_.size() > MAX_SLOTS) {
        found_.slots_of.clear();
        return;
    }
    solve();
    facts_.clear();
}

bool StoredRangesFinder::find_loads(const ModuleIndex &index)
{
    for (unsigned number = 0; number < index.size(); number++) {
        const auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&index.instruction(number));
        if (gep != nullptr && is_variable(*gep)) {
            for (const llvm::Use &operand : gep->indices()) {
                look_at(*operand);
            }
        }
    }
    return !open_.empty();
}

/* Find the loads that a number is computed from, and what it is compared with. */
void StoredRangesFinder::look_at(const llvm::Value &value)
{
    llvm::SmallVector<const llvm::Value *, 8> values = {&value};
    while (!values.empty()) {
        const llvm::Value &next = *values.pop_back_val();
        if (llvm::isa<llvm::Constant>(next) || !next.getType()->isIntegerTy() ||
            !seen_.insert(&next).second) {
            continue;
        }
        if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&next)) {
            if (load->isSimple() && is_whole_integer(*load->getType())) {
                open_.push_back(load);
            }
        } else if (llvm::isa<llvm::CastInst, llvm::BinaryOperator, llvm::SelectInst, llvm::PHINode>(
                       next
                   )) {
            llvm::append_range(values, llvm::cast<llvm::User>(next).operand_values());
        }
        for (const llvm::User *user : next.users()) {
            if (const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(user)) {
                llvm::append_range(values, compare->operand_values());
            }
        }
    }
}

void StoredRangesFinder::find_writes(const ModuleIndex &index)
{
    for (unsigned number = 0; number < index.size(); number++) {
        const llvm::Instruction &instruction = index.instruction(number);
        if (!instruction.mayWriteToMemory()) {
            continue;
        }
        const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        for (const Access &access : find_accesses(instruction, pointers_).accesses) {
            if (!access.is_write) {
                continue;
            }
            for (const Location &place : access.places) {
                writes_[place.object].push_back(
                    {.place = place, .length_bytes = access.length_bytes, .store = store}
                );
            }
        }
    }
}

void StoredRangesFinder::add_load(const llvm::LoadInst &load)
{
    const unsigned bits = load.getType()->getIntegerBitWidth();
    llvm::SmallVector<unsigned, 2> slots;
    for (const Location &place : pointers_.targets(*load.getPointerOperand())) {
        const std::optional<unsigned> slot = find_slot(place, bits);
        if (!slot || (!place.offset && load.getAlign().value() < bits / 8)) {
            return;
        }
        slots.push_back(*slot);
    }
    for (const unsigned slot : slots) {
        slots_[slot].loads.push_back(&load);
    }
    if (!slots.empty()) {
        found_.slots_of[&load] = slots;
    }
}

/* nullopt: it may hold anything. */
std::optional<unsigned> StoredRangesFinder::find_slot(const Location &place, unsigned bits)
{
    if (place.offset.value_or(0) < 0) {
        return std::nullopt; // before its object
    }
    const auto key = std::tuple(place.object, place.offset.value_or(-1), bits);
    if (const auto found = slot_numbers_.find(key); found != slot_numbers_.end()) {
        return found->second;
    }
    const auto anything = llvm::ConstantRange::getFull(bits);
    Slot slot{.object = place.object, .offset = place.offset, .bits = bits, .first = anything};
    std::optional<unsigned> number;
    if (slots_.size() <= MAX_SLOTS && is_candidate(place.object) && find_stores(slot)) {
        slot.first = first_values(slot);
        if (!slot.first.isFullSet()) {
            for (const llvm::StoreInst *store : slot.stores) {
                look_at(*store->getValueOperand());
            }
            number = static_cast<unsigned>(slots_.size());
            slots_.push_back(std::move(slot));
            found_.slots.push_back(anything);
        }
    }
    slot_numbers_[key] = number;
    return number;
}

/* Only this module touches it. */
bool StoredRangesFinder::is_candidate(unsigned number) const
{
    const Object &object = objects_[number];
    if (is_escaped_[number] || pointers_.is_collapsed(number) || object.is_volatile ||
        object.has_many_instances || !object.size_bytes) {
        return false;
    }
    if (object.kind == ObjectKind::Alloca) {
        return true;
    }
    const auto *global = llvm::dyn_cast_if_present<llvm::GlobalVariable>(object.value);
    return object.kind == ObjectKind::Global && global != nullptr &&
           global->hasDefinitiveInitializer() &&
           (global->isConstant() || (global->hasLocalLinkage() && !global->hasSection()));
}

/* False if something else than stores of such integers writes a part of it. */
bool StoredRangesFinder::find_stores(Slot &slot) const
{
    const uint64_t bytes = slot.bits / 8;
    if (slot.offset && *slot.offset < 0) {
        return false;
    }
    for (const StoredWrite &write : writes_[slot.object]) {
        const bool is_integer = write.store != nullptr && write.length_bytes == bytes &&
                                write.store->getValueOperand()->getType()->isIntegerTy(slot.bits);
        if (slot.offset && write.place.offset && write.length_bytes) {
            const int64_t first = *write.place.offset;
            if (first >= *slot.offset + static_cast<int64_t>(bytes) ||
                first + static_cast<int64_t>(*write.length_bytes) <= *slot.offset) {
                continue;
            }
            if (!is_integer || first != *slot.offset) {
                return false;
            }
        } else if (!is_integer || write.store->getAlign().value() < bytes || !is_aligned(slot)) {
            return false;
        }
        slot.stores.push_back(write.store);
    }
    return slot.offset || is_aligned(slot);
}

/* So that stores at multiples of the width are of the whole slot, or of none of it. */
bool StoredRangesFinder::is_aligned(const Slot &slot) const
{
    const uint64_t bytes = slot.bits / 8;
    return alignment(*objects_[slot.object].value) % bytes == 0 &&
           (!slot.offset || static_cast<uint64_t>(*slot.offset) % bytes == 0);
}

llvm::ConstantRange StoredRangesFinder::first_values(const Slot &slot) const
{
    const Object &object = objects_[slot.object];
    auto values = llvm::ConstantRange::getEmpty(slot.bits);
    const auto *global = llvm::dyn_cast<llvm::GlobalVariable>(object.value);
    if (global == nullptr) {
        return values; // of a stack object: what is stored before the load
    }
    auto anything = llvm::ConstantRange::getFull(slot.bits);
    const uint64_t bytes = slot.bits / 8;
    const llvm::Constant &initializer = *global->getInitializer();
    if (!slot.offset && initializer.isNullValue()) {
        return {llvm::APInt::getZero(slot.bits)};
    }
    const uint64_t begin = slot.offset ? static_cast<uint64_t>(*slot.offset) : 0;
    const uint64_t size = object.size_bytes.value_or(0);
    const uint64_t end = slot.offset ? begin + bytes : size;
    if (end > size || (end - begin) / bytes > MAX_FIRST_VALUES) {
        return anything;
    }
    const llvm::DataLayout &layout = global->getParent()->getDataLayout();
    for (uint64_t offset = begin; offset + bytes <= end; offset += bytes) {
        const std::optional<llvm::APInt> number =
            constant_at(initializer, slot.bits, offset, layout);
        if (!number) {
            return anything;
        }
        values = values.unionWith(*number, SIGNED);
    }
    return values;
}

/* Begins anew without the slots that turn out to be read before they are stored. */
void StoredRangesFinder::solve()
{
    do {
        for (auto [slot, values] : llvm::zip(slots_, found_.slots)) {
            values = slot.is_known ? slot.first : llvm::ConstantRange::getFull(slot.bits);
        }
        if (!widen_to_fixpoint()) {
            found_.slots_of.clear();
            return;
        }
    } while (forget_unfilled());
    // All that is loaded lies in what is known now, so all that is stored lies in what follows.
    for (unsigned round = 0; round < NARROWINGS; round++) {
        for (auto [slot, values] : llvm::zip(slots_, found_.slots)) {
            if (slot.is_known) {
                values = values.intersectWith(values_of(slot), SIGNED);
            }
        }
        forget_ranges();
    }
}

bool StoredRangesFinder::widen_to_fixpoint()
{
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        forget_ranges();
        bool has_changed = false;
        for (auto [slot, values] : llvm::zip(slots_, found_.slots)) {
            const llvm::ConstantRange wider =
                values.isFullSet() ? values : values.unionWith(values_of(slot), SIGNED);
            if (wider != values) {
                values = round < WIDEN_AFTER ? wider : llvm::ConstantRange::getFull(slot.bits);
                has_changed = true;
            }
        }
        if (!has_changed) {
            return true;
        }
    }
    return false;
}

llvm::ConstantRange StoredRangesFinder::values_of(const Slot &slot)
{
    llvm::ConstantRange values = slot.first;
    for (const llvm::StoreInst *store : slot.stores) {
        if (values.isFullSet() || has_fault(Fault::StoredValuesDropped)) {
            break;
        }
        values = values.unionWith(
            facts(*store->getFunction()).range(*store->getValueOperand(), *store->getParent()),
            SIGNED
        );
    }
    return values;
}

bool StoredRangesFinder::forget_unfilled()
{
    bool has_forgotten = false;
    std::map<const llvm::Function *, IndexRanges> ranges;
    for (auto [slot, values] : llvm::zip(slots_, found_.slots)) {
        if (objects_[slot.object].kind != ObjectKind::Alloca || values.isFullSet()) {
            continue;
        }
        if (!llvm::all_of(slot.loads, [&, &slot = slot](const llvm::LoadInst *load) {
                const llvm::Function &function = *load->getFunction();
                return is_filled(
                    slot, *load, ranges.try_emplace(&function, function, &found_).first->second
                );
            })) {
            slot.is_known = false;
            has_forgotten = true;
        }
    }
    return has_forgotten;
}

bool StoredRangesFinder::is_filled(
    const Slot &slot, const llvm::LoadInst &load, IndexRanges &ranges
)
{
    const uint64_t bytes = slot.bits / 8;
    ByteRuns runs;
    if (slot.offset) {
        runs = {{*slot.offset, *slot.offset + static_cast<int64_t>(bytes)}};
    } else {
        const std::optional<Reach> reach = ranges.reach(*load.getPointerOperand(), bytes, load);
        if (!reach) {
            return false;
        }
        const auto targets = pointers_.targets(*reach->base);
        if (targets.size() != 1 || targets[0].object != slot.object) {
            return false;
        }
        const std::optional<int64_t> begin = targets[0].offset;
        if (!begin) {
            return false;
        }
        for (const ByteRun &run : reach->runs) {
            runs.push_back({*begin + run.first_byte, *begin + run.end_byte});
        }
    }
    const llvm::BitVector filled = filled_bytes(
        slot.object, objects_, pointers_, writes_[slot.object], load, facts(*load.getFunction())
    );
    return llvm::all_of(runs, [&](const ByteRun &run) {
        const int64_t size = filled.size();
        return run.first_byte >= 0 && run.end_byte <= size &&
               filled.find_first_unset_in(
                   static_cast<unsigned>(run.first_byte), static_cast<unsigned>(run.end_byte)
               ) < 0;
    });
}

void StoredRangesFinder::forget_ranges()
{
    for (const auto &[function, facts] : facts_) {
        facts->forget_ranges();
    }
}

ScalarFacts &StoredRangesFinder::facts(const llvm::Function &function)
{
    std::unique_ptr<ScalarFacts> &facts = facts_[&function];
    if (!facts) {
        facts = std::make_unique<ScalarFacts>(function, &found_);
    }
    return *facts;
}

} // namespace

StoredRanges find_stored_ranges(
    const ObjectTable &objects, const PointerAnalysis &pointers, const ModuleIndex &index
)
{
    return StoredRangesFinder(objects, pointers, index).take();
}

} // namespace laxity::workingset
