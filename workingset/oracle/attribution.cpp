// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "attribution.hpp"

#include "executed_part.hpp"
#include "llvm/IR/Operator.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <map>
#include <numeric>
#include <utility>

namespace laxity::workingset::oracle {

namespace {

bool has_variable_index(const llvm::Instruction &instruction)
{
    const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
    while (const auto *step = llvm::dyn_cast_or_null<llvm::GEPOperator>(address)) {
        if (!step->hasAllConstantIndices()) {
            return true;
        }
        address = step->getPointerOperand();
    }
    return false;
}

// What the causes follow from; contexts by the thousand have the same.
struct PointKind {
    uint32_t set, seen; // as in ObservedPoint
    uint32_t left;      // set of the part
    auto operator<=>(const PointKind &) const = default;
};

class Attributor {
  public:
    Attributor(
        const Verdict &verdict,
        const Resolved &resolved,
        const Numbering &numbering,
        const StaticSets &sets,
        ExecutedPart &part
    );

    Attribution run();

  private:
    void find_overlaps();
    void find_kinds_of_access();
    void take_instruction(uint32_t instruction, const std::vector<uint32_t> &contexts);
    void take_points(const PointKind &kind, uint64_t visits);
    [[nodiscard]] uint64_t left_bytes(unsigned cell, const llvm::BitVector &left) const;
    [[nodiscard]] uint64_t live_somewhen(unsigned cell, const std::vector<uint64_t> &words) const;
    [[nodiscard]] Cause cause_of(unsigned cell, bool has_live_bytes) const;

    struct Overlap {
        unsigned cell; // of the part
        uint64_t size_bytes;
    };

    const Observation &observed_;
    const SetTable &table_;
    const Resolved &resolved_;
    const Numbering &numbering_;
    const StaticSets &sets_;
    ExecutedPart &part_;
    std::vector<unsigned> part_contexts_;
    std::vector<std::vector<Overlap>> overlaps_; // by cell
    std::vector<bool> is_comparable_;            // by cell: its object can be found in the part
    std::vector<bool> is_counted_;               // by cell
    std::vector<bool> is_aliased_, is_indexed_;  // by object
    std::vector<uint64_t> live_; // by cell: bytes that were live at some visit of the instruction
    std::vector<ObjectAttribution> objects_;
};

Attributor::Attributor(
    const Verdict &verdict,
    const Resolved &resolved,
    const Numbering &numbering,
    const StaticSets &sets,
    ExecutedPart &part
)
    : observed_(verdict.observed), table_(sets.sets()), resolved_(resolved), numbering_(numbering),
      sets_(sets), part_(part), part_contexts_(part.find_contexts(resolved)),
      overlaps_(sets.cell_count()), is_comparable_(sets.cell_count()),
      is_aliased_(sets.object_count()), is_indexed_(observed_.is_indexed), live_(sets.cell_count())
{
    for (unsigned object = 0; object < sets.object_count(); object++) {
        objects_.push_back({object, 0, 0, observed_.dynamic_byte_points[object], {}});
    }
    for (unsigned cell = 0; cell < sets.cell_count(); cell++) {
        const StaticObject &object = sets.object(sets.cell(cell).object);
        is_counted_.push_back(!object.has_many_instances && object.size_bytes > 0);
    }
    find_overlaps();
    find_kinds_of_access();
}

// The analysis may cut the objects of the part in other places.
void Attributor::find_overlaps()
{
    const StaticSets &left = part_.sets();
    std::vector<std::vector<unsigned>> left_cells(left.object_count());
    for (unsigned cell = 0; cell < left.cell_count(); cell++) {
        left_cells[left.cell(cell).object].push_back(cell);
    }
    std::vector<ExecutedPart::Counterpart> counterparts = part_.counterparts(sets_, numbering_);
    for (unsigned number = 0; number < sets_.cell_count(); number++) {
        const StaticCell &cell = sets_.cell(number);
        const ExecutedPart::Counterpart &other = counterparts[cell.object];
        is_comparable_[number] = other.is_known;
        if (other.object == ExecutedPart::NO_OBJECT) {
            continue;
        }
        for (unsigned candidate : left_cells[other.object]) {
            uint64_t first = std::max(cell.first_byte, left.cell(candidate).first_byte);
            uint64_t end = std::min(cell.end_byte, left.cell(candidate).end_byte);
            if (first < end) {
                overlaps_[number].push_back({candidate, end - first});
            }
        }
    }
}

// How the executed loads and stores may touch objects, by the analysis.
void Attributor::find_kinds_of_access()
{
    for (size_t i = 0; i < numbering_.instructions.size(); i++) {
        if (!observed_.is_executed[i]) {
            continue;
        }
        const llvm::Instruction &instruction = *numbering_.instructions[i];
        std::vector<unsigned> possible = sets_.may_touch(instruction);
        for (unsigned object : possible) {
            is_aliased_[object] = is_aliased_[object] || possible.size() > 1;
            is_indexed_[object] = is_indexed_[object] || has_variable_index(instruction);
        }
    }
}

uint64_t Attributor::live_somewhen(unsigned cell, const std::vector<uint64_t> &words) const
{
    const StaticCell &place = sets_.cell(cell);
    std::optional<size_t> first_word = observed_.first_words[place.object];
    uint64_t count = 0;
    if (!first_word) {
        return 0;
    }
    for (uint64_t byte = place.first_byte; byte < place.end_byte;) {
        uint64_t end = std::min(place.end_byte, (byte / 64 + 1) * 64);
        size_t word = *first_word + byte / 64;
        if (word >= words.size()) {
            break;
        }
        uint64_t upto = end % 64 == 0 ? UINT64_MAX : (uint64_t{1} << (end % 64)) - 1;
        uint64_t from = (uint64_t{1} << (byte % 64)) - 1;
        count += static_cast<uint64_t>(std::popcount(words[word] & upto & ~from));
        byte = end;
    }
    return count;
}

uint64_t Attributor::left_bytes(unsigned cell, const llvm::BitVector &left) const
{
    uint64_t size_bytes = 0;
    for (const Overlap &overlap : overlaps_[cell]) {
        size_bytes += left.test(overlap.cell) ? overlap.size_bytes : 0;
    }
    return size_bytes;
}

Cause Attributor::cause_of(unsigned cell, bool has_live_bytes) const
{
    unsigned object = sets_.cell(cell).object;
    if (sets_.object(object).is_volatile) {
        return Cause::Volatile; // always called live
    }
    if (has_live_bytes || observed_.is_touched_in_parts[cell] || is_indexed_[object]) {
        return Cause::ArrayRange;
    }
    return is_aliased_[object] ? Cause::Aliasing : Cause::Other;
}

void Attributor::take_points(const PointKind &kind, uint64_t visits)
{
    const llvm::BitVector &left = part_.sets().sets()[kind.left];
    const llvm::BitVector &seen = table_[kind.seen];
    for (unsigned cell : table_[kind.set].set_bits()) {
        if (!is_counted_[cell]) {
            continue;
        }
        uint64_t size_bytes = sets_.cell(cell).size_bytes();
        ObjectAttribution &object = objects_[sets_.cell(cell).object];
        auto lose = [&](Cause cause, uint64_t bytes) {
            object.lost_bytes[static_cast<size_t>(cause)] += visits * bytes;
        };
        object.static_bytes += visits * size_bytes;
        // What was live here at all is lost at some visits only: of that the rest is Time.
        lose(seen.test(cell) ? Cause::Time : Cause::Context, live_[cell]);
        uint64_t never = size_bytes - live_[cell];
        uint64_t unexecuted =
            is_comparable_[cell] ? std::min(never, size_bytes - left_bytes(cell, left)) : 0;
        lose(Cause::UnexecutedPath, unexecuted);
        lose(cause_of(cell, live_[cell] > 0), never - unexecuted);
    }
}

void Attributor::take_instruction(uint32_t instruction, const std::vector<uint32_t> &contexts)
{
    const std::vector<uint64_t> &words = observed_.unions[observed_.shares[instruction]];
    for (unsigned cell = 0; cell < live_.size(); cell++) {
        live_[cell] = is_counted_[cell] ? live_somewhen(cell, words) : 0;
        objects_[sets_.cell(cell).object].best_bytes += observed_.visits[instruction] * live_[cell];
    }
    uint32_t function = resolved_.contexts[contexts.front()].function;
    uint32_t place = instruction - observed_.first_instructions[function];
    std::map<PointKind, uint64_t> visits;
    for (uint32_t context : contexts) {
        const ObservedPoint &point = observed_.points[context][place];
        if (point.visits > 0) {
            uint32_t left =
                part_.sets().live_set(part_contexts_[context], part_.instruction(instruction));
            visits[{point.set, point.seen, left}] += point.visits;
        }
    }
    for (const auto &[kind, count] : visits) {
        take_points(kind, count);
    }
}

Attribution Attributor::run()
{
    std::vector<std::vector<uint32_t>> contexts(numbering_.functions.size());
    for (uint32_t context = 0; context < observed_.points.size(); context++) {
        if (!observed_.points[context].empty()) {
            contexts[resolved_.contexts[context].function].push_back(context);
        }
    }
    for (uint32_t function = 0; function < contexts.size(); function++) {
        uint32_t first = observed_.first_instructions[function];
        uint32_t end = first + numbering_.functions[function]->getInstructionCount();
        for (uint32_t i = first; i < end && !contexts[function].empty(); i++) {
            if (observed_.visits[i] > 0) {
                take_instruction(i, contexts[function]);
            }
        }
    }
    Attribution result;
    for (ObjectAttribution &object : objects_) {
        object.lost_bytes[static_cast<size_t>(Cause::Time)] -= object.dynamic_bytes;
        for (size_t i = 0; i < CAUSES; i++) {
            result.lost_bytes[i] += object.lost_bytes[i];
        }
    }
    result.objects = std::move(objects_);
    auto lost = [](const ObjectAttribution &one) { return one.static_bytes - one.dynamic_bytes; };
    auto loses_more = [&](const ObjectAttribution &one, const ObjectAttribution &other) {
        return std::pair(lost(other), one.object) < std::pair(lost(one), other.object);
    };
    std::ranges::sort(result.objects, loses_more);
    return result;
}

} // namespace

const char *cause_name(Cause cause)
{
    switch (cause) {
    case Cause::Time:
        return "time";
    case Cause::Context:
        return "context";
    case Cause::UnexecutedPath:
        return "unexecuted_path";
    case Cause::Volatile:
        return "volatile";
    case Cause::ArrayRange:
        return "array_range";
    case Cause::Aliasing:
        return "aliasing";
    default:
        return "other";
    }
}

llvm::Expected<Attribution> attribute(
    const Verdict &verdict,
    const Resolved &resolved,
    const llvm::Module &module,
    const Numbering &numbering,
    const StaticSets &sets,
    const StaticSets::Options &options
)
{
    auto part = ExecutedPart::analyse(module, verdict.observed.is_executed, options);
    if (!part) {
        return part.takeError();
    }
    return Attributor(verdict, resolved, numbering, sets, **part).run();
}

} // namespace laxity::workingset::oracle
