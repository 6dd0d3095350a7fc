// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/cells.hpp"

#include "analysis/faults.hpp"
#include "analysis/index_ranges.hpp"
#include "analysis/stored_ranges.hpp"

#include <algorithm>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/CheckedArithmetic.h>
#include <memory>

namespace laxity::workingset {

namespace {

/* Cells of an object at most: beyond, neighbours are one cell, which is sound and only coarse. */
constexpr size_t MAX_CUTS = 1U << 16;

// Cuts of an object at the ends of what variable offsets reach.
constexpr size_t MAX_RANGE_CUTS = 512;

// Of one cell, so that sums of many do not begin anew.
constexpr auto MAX_BITS = static_cast<uint64_t>(MAX_SPAN_BYTES) * 8;

template <typename Number> void sort_once(std::vector<Number> &numbers)
{
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

bool has_cells(const Object &object)
{
    return object.kind != ObjectKind::Function && object.kind != ObjectKind::Environment &&
           object.size_bytes != std::optional<uint64_t>(0);
}

/* Where in an object that begins and ends what variable offsets reach. */
struct ReachEnds {
    std::vector<int64_t> every; // run's
    std::vector<int64_t> outermost;
};

void add_reach_ends(const Access &access, std::vector<ReachEnds> &ends)
{
    if (!access.reach) {
        return;
    }
    const ByteRuns &runs = *access.reach;
    for (const Location &place : access.places) {
        if (!place.offset) {
            continue;
        }
        const int64_t base = *place.offset;
        ReachEnds &there = ends[place.object];
        for (const ByteRun &run : runs) {
            there.every.push_back(base + run.first_byte);
            there.every.push_back(base + run.end_byte);
        }
        there.outermost.push_back(base + runs.front().first_byte);
        there.outermost.push_back(base + runs.back().end_byte);
    }
}

} // namespace

llvm::hash_code hash_value(const Effect &effect)
{
    llvm::hash_code hash = llvm::hash_value(effect.resets_definition);
    for (const CellSet *cells : {&effect.reads, &effect.kills, &effect.writes}) {
        hash = llvm::hash_combine(hash, cells->words().size());
        for (const CellSet::Word &word : cells->words()) {
            hash = llvm::hash_combine(hash, word.index, word.bits);
        }
    }
    return hash;
}

Cells::Cells(
    const ObjectTable &objects,
    const PointerAnalysis &pointers,
    const ModuleIndex &index,
    const Annotations &annotations
)
    : objects_(objects), cuts_(objects.size()), effects_(index.size())
{
    std::deque<InstructionAccesses> accesses; // of those instructions that have any
    std::vector<unsigned> numbers;            // of these
    const StoredRanges stored = find_stored_ranges(objects, pointers, index);
    std::unique_ptr<IndexRanges> ranges;
    const llvm::Function *function = nullptr;
    for (unsigned number = 0; number < index.size(); number++) {
        const llvm::Instruction &instruction = index.instruction(number);
        if (instruction.getFunction() != function) {
            function = instruction.getFunction();
            ranges = std::make_unique<IndexRanges>(*function, &stored);
        }
        InstructionAccesses found = find_accesses(instruction, pointers, ranges.get());
        if (!found.accesses.empty() || found.touches_escaped) {
            accesses.push_back(std::move(found));
            numbers.push_back(number);
        }
    }
    cut_objects(accesses);
    number_cells();
    find_pinned(pointers, annotations);
    const InstructionAccesses none;
    for (unsigned number = 0, next = 0; number < index.size(); number++) {
        const bool has_any = next < numbers.size() && numbers[next] == number;
        add_effect(number, index.instruction(number), has_any ? accesses[next++] : none);
    }
}

void Cells::cut_at(const Access &access)
{
    for (const Location &place : access.places) {
        auto &cuts = cuts_[place.object];
        if (!place.offset || access.reach || cuts.size() >= MAX_CUTS) {
            continue;
        }
        const auto first = static_cast<uint64_t>(*place.offset);
        cuts.push_back(first);
        cuts.push_back(first + access.length_bytes.value_or(0));
    }
}

/* The ends of what variable offsets reach: every run's while they are few, else the outermost. */
void Cells::cut_at_reach(const std::deque<InstructionAccesses> &accesses)
{
    std::vector<ReachEnds> ends(objects_.size());
    for (const InstructionAccesses &instruction : accesses) {
        for (const Access &access : instruction.accesses) {
            add_reach_ends(access, ends);
        }
    }
    for (unsigned object = 0; object < objects_.size(); object++) {
        auto &[every, outermost] = ends[object];
        sort_once(every);
        for (int64_t cut : every.size() > MAX_RANGE_CUTS ? outermost : every) {
            if (cut > 0 && cuts_[object].size() < MAX_CUTS) {
                cuts_[object].push_back(static_cast<uint64_t>(cut));
            }
        }
    }
}

void Cells::cut_objects(const std::deque<InstructionAccesses> &accesses)
{
    for (const InstructionAccesses &instruction : accesses) {
        for (const Access &access : instruction.accesses) {
            cut_at(access);
        }
    }
    cut_at_reach(accesses);
    for (unsigned object = 0; object < objects_.size(); object++) {
        auto &cuts = cuts_[object];
        cuts.push_back(0);
        sort_once(cuts);
        if (const std::optional<uint64_t> size = objects_[object].size_bytes) {
            std::erase_if(cuts, [size](uint64_t cut) { return cut >= *size && cut != 0; });
        } else {
            cuts = {0};
        }
    }
}

void Cells::number_cells()
{
    for (unsigned number = 0; number < objects_.size(); number++) {
        const Object &object = objects_[number];
        first_cells_.push_back(size());
        if (!has_cells(object)) {
            continue;
        }
        const auto &cuts = cuts_[number];
        for (size_t i = 0; i < cuts.size(); i++) {
            const uint64_t end = i + 1 < cuts.size() ? cuts[i + 1] : object.size_bytes.value_or(0);
            const bool has_no_number = object.has_many_instances && !object.most_instances;
            const uint64_t bits_each = (end - cuts[i]) * 8;
            // As annotated, and more than any memory holds: that is no bound.
            const auto bits =
                llvm::checkedMulUnsigned(bits_each, object.most_instances.value_or(1));
            const bool is_too_much = !bits || *bits > MAX_BITS;
            cells_.push_back(
                {.object = number,
                 .first_byte = cuts[i],
                 .end_byte = end,
                 .bits = is_too_much ? bits_each : *bits,
                 .storage = object.is_volatile ? StorageClass::Volatile : object.storage,
                 .is_unbounded = has_no_number || !object.size_bytes || is_too_much}
            );
        }
        if (object.function != nullptr && object.storage == StorageClass::Stack &&
            !object.has_many_instances) {
            frames_[object.function] |= object_cells(number);
        }
    }
    first_cells_.push_back(size());
}

void Cells::find_pinned(const PointerAnalysis &pointers, const Annotations &annotations)
{
    const auto is_private = [&annotations](const Object &object) {
        return annotations.shared && !llvm::is_contained(*annotations.shared, object.name);
    };
    for (const Location &place : pointers.escaped()) {
        escaped_ |= touched(place, std::nullopt);
    }
    CellSet shared = escaped_;
    for (const Location &place : pointers.shared()) {
        shared |= object_cells(place.object);
    }
    for (unsigned cell = 0; cell < size(); cell++) {
        const Object &object = objects_[cells_[cell].object];
        const bool is_shared = pointers.is_concurrent() && !is_private(object) &&
                               (object.kind == ObjectKind::Global || shared.test(cell));
        const bool is_device = object.is_volatile && object.kind == ObjectKind::Global;
        const bool is_read = object.is_device_read && !has_fault(Fault::DeviceReadsDropped);
        if (((is_shared || is_device) && object.storage != StorageClass::Constant) || is_read ||
            pointers.is_collapsed(cells_[cell].object)) {
            pinned_.set(cell);
        } else if (object.is_device_written) {
            device_written_.set(cell);
        }
    }
    escaped_.subtract(pinned_);
}

CellSet Cells::object_cells(unsigned object) const
{
    return touched({.object = object, .offset = std::nullopt}, std::nullopt);
}

CellSet Cells::touched(Location place, std::optional<uint64_t> length_bytes) const
{
    CellSet result;
    if (!has_cells(objects_[place.object])) {
        return result;
    }
    const auto &cuts = cuts_[place.object];
    unsigned first = 0;
    auto end = static_cast<unsigned>(cuts.size());
    if (place.offset && *place.offset >= 0) {
        const auto offset = static_cast<uint64_t>(*place.offset);
        const auto after = std::ranges::upper_bound(cuts, offset);
        first = static_cast<unsigned>(after - cuts.begin()) - 1;
        if (length_bytes) {
            const auto stop = std::ranges::lower_bound(cuts, offset + *length_bytes);
            end = static_cast<unsigned>(stop - cuts.begin());
        }
    }
    for (unsigned cell = first; cell < end; cell++) {
        result.set(first_cells_[place.object] + cell);
    }
    return result;
}

CellSet Cells::touched(const Access &access, const Location &place) const
{
    if (!access.reach || !place.offset) {
        return touched(place, access.length_bytes);
    }
    CellSet result;
    for (const ByteRun &run : *access.reach) {
        // Before the object nothing is: that would be undefined.
        const int64_t first = std::max<int64_t>(*place.offset + run.first_byte, 0);
        const int64_t end = *place.offset + run.end_byte;
        if (first < end) {
            result |= touched(
                {.object = place.object, .offset = first}, static_cast<uint64_t>(end - first)
            );
        }
    }
    return result;
}

CellSet Cells::covered(unsigned object, uint64_t offset, uint64_t length_bytes) const
{
    CellSet result;
    const std::optional<uint64_t> size = objects_[object].size_bytes;
    if (!has_cells(objects_[object]) || !size) {
        return result;
    }
    const auto &cuts = cuts_[object];
    const auto first = std::ranges::lower_bound(cuts, offset);
    for (auto cell = first; cell != cuts.end(); ++cell) {
        const uint64_t end = cell + 1 != cuts.end() ? *(cell + 1) : *size;
        if (end > offset + length_bytes) {
            break;
        }
        result.set(first_cells_[object] + static_cast<unsigned>(cell - cuts.begin()));
    }
    return result;
}

const CellSet &Cells::frame(const llvm::Function &function) const
{
    auto found = frames_.find(&objects_.original(function));
    return found == frames_.end() ? no_cells_ : found->second;
}

bool Cells::is_single_instance(unsigned object) const
{
    return !objects_[object].has_many_instances && !objects_[object].is_volatile;
}

void Cells::add_access(const Access &access, Effect &effect) const
{
    CellSet cells;
    for (const Location &place : access.places) {
        const CellSet there = touched(access, place);
        cells |= there;
        // A device's memory is read by the device.
        if (access.is_read || objects_[place.object].is_volatile) {
            effect.reads |= there;
        }
    }
    if (!access.is_write) {
        return;
    }
    effect.writes |= cells;
    const bool is_one_place = access.places.size() == 1 || has_fault(Fault::WeakStoreKills);
    if (!access.is_certain || !is_one_place || !access.length_bytes || access.reach) {
        return;
    }
    for (const Location &place : access.places) {
        if (place.offset && is_single_instance(place.object)) {
            effect.kills |=
                covered(place.object, static_cast<uint64_t>(*place.offset), *access.length_bytes);
        }
    }
}

void Cells::add_lifetime(const llvm::Instruction &instruction, Effect &effect) const
{
    const llvm::Value *memory = &instruction;
    if (const auto *marker = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        if (!marker->isLifetimeStartOrEnd()) {
            return;
        }
        memory = marker->getArgOperand(1)->stripPointerCasts();
    }
    if (!llvm::isa<llvm::AllocaInst>(memory)) {
        return;
    }
    const std::optional<unsigned> object = objects_.find(*memory);
    if (object && is_single_instance(*object)) {
        effect.kills |= object_cells(*object);
        effect.resets_definition = !objects_[*object].is_device_written;
    }
}

void Cells::add_effect(
    unsigned instruction, const llvm::Instruction &what, const InstructionAccesses &accesses
)
{
    Effect effect;
    for (const Access &access : accesses.accesses) {
        add_access(access, effect);
    }
    if (accesses.touches_escaped) {
        effect.reads |= escaped_;
        effect.writes |= escaped_;
    }
    add_lifetime(what, effect);
    for (CellSet *cells : {&effect.reads, &effect.kills, &effect.writes}) {
        cells->subtract(pinned_);
    }
    if (!effect.reads.empty() || !effect.kills.empty() || !effect.writes.empty()) {
        effects_[instruction] =
            &different_effects_[different_effects_.number_of(std::move(effect))];
    }
}

} // namespace laxity::workingset
