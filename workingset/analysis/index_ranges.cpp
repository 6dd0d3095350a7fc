// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/index_ranges.hpp"

#include "analysis/faults.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace laxity::workingset {

namespace {

// Fields of more elements, or rows, are taken together with what lies between them.
constexpr size_t MAX_RUNS = 128;

constexpr unsigned MAX_INDEX_BITS = 64;

std::optional<int64_t> small_value(const llvm::APInt &value)
{
    if (value.getSignificantBits() > MAX_INDEX_BITS) {
        return std::nullopt;
    }
    const int64_t number = value.getSExtValue();
    return number > -MAX_SPAN_BYTES && number < MAX_SPAN_BYTES ? std::optional(number)
                                                               : std::nullopt;
}

uint64_t shortened(uint64_t count)
{
    return has_fault(Fault::RangeTooShort) && count > 1 ? count - 1 : count;
}

/* Of numbers with one distance, those between two bounds; all if none is. */
void keep_within(int64_t smallest, int64_t largest, Sweep &numbers)
{
    Repetition &steps = numbers.repetitions.front();
    const auto stride = static_cast<int64_t>(steps.stride_bytes);
    const int64_t last = numbers.first_byte + stride * static_cast<int64_t>(steps.count - 1);
    const int64_t below =
        std::max<int64_t>(0, (smallest - numbers.first_byte + stride - 1) / stride);
    const int64_t above = std::max<int64_t>(0, (last - largest + stride - 1) / stride);
    if (below + above < static_cast<int64_t>(steps.count)) {
        numbers.first_byte += below * stride;
        steps.count -= static_cast<uint64_t>(below + above);
    }
}

} // namespace

IndexRanges::IndexRanges(const llvm::Function &function, const StoredRanges *stored)
    : function_(function), stored_(stored), layout_(function.getParent()->getDataLayout())
{
}

ScalarFacts &IndexRanges::facts()
{
    if (!facts_) {
        facts_ = std::make_unique<ScalarFacts>(function_, stored_);
    }
    return *facts_;
}

std::optional<Reach>
IndexRanges::reach(const llvm::Value &pointer, uint64_t length_bytes, const llvm::Instruction &at)
{
    if (length_bytes == 0 || length_bytes >= static_cast<uint64_t>(MAX_SPAN_BYTES)) {
        return std::nullopt;
    }
    std::optional<Reach> reach = reach_by_sums(pointer, length_bytes, at);
    if (!reach || llvm::isa<llvm::PHINode>(reach->base)) {
        if (std::optional<Reach> by_turns = reach_by_turns(pointer, length_bytes, at)) {
            return by_turns;
        }
    }
    return reach;
}

std::optional<Reach> IndexRanges::reach_by_turns(
    const llvm::Value &pointer, uint64_t length_bytes, const llvm::Instruction &at
)
{
    const llvm::Value *base = &pointer;
    while (const auto *gep = llvm::dyn_cast<llvm::GEPOperator>(base)) {
        base = gep->getPointerOperand();
    }
    const auto *phi = llvm::dyn_cast<llvm::PHINode>(base);
    const llvm::Loop *loop =
        phi == nullptr ? nullptr : facts().loops().getLoopFor(phi->getParent());
    const uint64_t turns = loop == nullptr ? 0 : most_turns(*loop);
    // Behind the loop the pointer is that of its last turn.
    if (turns == 0 || turns > TurnValues::MAX_TURNS || !loop->contains(at.getParent())) {
        return std::nullopt;
    }
    std::unique_ptr<TurnValues> &values = turn_values_[loop];
    if (!values) {
        values = std::make_unique<TurnValues>(facts().loops(), *loop, static_cast<unsigned>(turns));
    }
    const std::optional<TurnPlaces> places = values->places(pointer);
    if (!places) {
        return std::nullopt;
    }
    const unsigned bits = layout_.getIndexTypeSizeInBits(pointer.getType());
    Reach reach{.base = places->start, .runs = {}};
    for (const int64_t offset : places->offsets_bytes) {
        const int64_t end = offset + static_cast<int64_t>(length_bytes);
        if (!llvm::isIntN(bits, offset) || !llvm::isIntN(bits, end)) {
            return std::nullopt;
        }
        reach.runs.push_back({offset, end});
    }
    merge_runs(reach.runs);
    return reach;
}

std::optional<Reach> IndexRanges::reach_by_sums(
    const llvm::Value &pointer, uint64_t length_bytes, const llvm::Instruction &at
)
{
    Sweep sweep{.first_byte = 0, .width_bytes = length_bytes, .repetitions = {}};
    const llvm::Value *base = &pointer;
    while (const auto *gep = llvm::dyn_cast<llvm::GEPOperator>(base)) {
        if (!add_indices(*gep, at, sweep)) {
            return std::nullopt;
        }
        base = gep->getPointerOperand();
    }
    if (llvm::isa<llvm::PHINode>(base) && !add_walk(base, sweep)) {
        return std::nullopt;
    }
    // An offset is a number of the index type; beyond it would begin anew.
    const ByteRun hull = hull_of(sweep);
    const unsigned bits = layout_.getIndexTypeSizeInBits(pointer.getType());
    if (!llvm::isIntN(bits, hull.first_byte) || !llvm::isIntN(bits, hull.end_byte)) {
        return std::nullopt;
    }
    return Reach{.base = base, .runs = runs_around(std::move(sweep), MAX_RUNS)};
}

bool IndexRanges::add_indices(
    const llvm::GEPOperator &gep, const llvm::Instruction &at, Sweep &sweep
)
{
    const unsigned bits = layout_.getIndexTypeSizeInBits(gep.getType());
    llvm::MapVector<llvm::Value *, llvm::APInt> indices;
    llvm::APInt constant(bits, 0);
    if (gep.getType()->isVectorTy() || !gep.collectOffset(layout_, bits, indices, constant)) {
        return false;
    }
    const std::optional<int64_t> offset = small_value(constant);
    if (!offset) {
        return false;
    }
    sweep.first_byte += *offset;
    for (const auto &[index, stride] : indices) {
        if (index->getType()->getIntegerBitWidth() > bits ||
            !add_index(*index, stride, at, sweep)) {
            return false;
        }
    }
    return true;
}

/* All that an index may be, in steps of one: by the turns of its loops, or between its smallest and
 * its largest value, whichever spans less. */
std::optional<Sweep> IndexRanges::values_of(const llvm::Value &index, const llvm::Instruction &at)
{
    std::optional<Sweep> best;
    // Turns are counted without an end, an index wraps around at the end of its type.
    Sweep by_turns{.first_byte = 0, .width_bytes = 1, .repetitions = {}};
    if (add_turns(*facts().scev(index), by_turns)) {
        const ByteRun hull = hull_of(by_turns);
        const unsigned bits = index.getType()->getIntegerBitWidth();
        if (llvm::isIntN(bits, hull.first_byte) && llvm::isIntN(bits, hull.end_byte - 1)) {
            best = by_turns;
        }
    }
    const llvm::ConstantRange values = facts().range(index, *at.getParent());
    const std::optional<int64_t> smallest = small_value(values.getSignedMin());
    const std::optional<int64_t> largest = small_value(values.getSignedMax());
    if (values.isEmptySet() || !smallest || !largest) {
        return best;
    }
    const auto distance = static_cast<uint64_t>(*largest - *smallest);
    if (best && best->repetitions.size() == 1) {
        keep_within(*smallest, *largest, *best);
    }
    const ByteRun hull = best ? hull_of(*best) : ByteRun(0, 2 * MAX_SPAN_BYTES);
    Sweep by_values{.first_byte = *smallest, .width_bytes = 1, .repetitions = {}};
    if (distance + 1 < static_cast<uint64_t>(hull.end_byte - hull.first_byte) &&
        repeat(by_values, 1, shortened(distance + 1))) {
        best = by_values;
    }
    return best;
}

bool IndexRanges::add_index(
    const llvm::Value &index, const llvm::APInt &stride, const llvm::Instruction &at, Sweep &sweep
)
{
    const std::optional<int64_t> bytes = small_value(stride);
    const std::optional<Sweep> values = values_of(index, at);
    int64_t first_byte = 0;
    if (!bytes || !values || llvm::MulOverflow(values->first_byte, *bytes, first_byte) ||
        std::abs(first_byte) >= MAX_SPAN_BYTES) {
        return false;
    }
    sweep.first_byte += first_byte;
    return llvm::all_of(values->repetitions, [&](const Repetition &values_apart) {
        int64_t bytes_apart = 0;
        return !llvm::MulOverflow(
                   static_cast<int64_t>(values_apart.stride_bytes), *bytes, bytes_apart
               ) &&
               std::abs(bytes_apart) < MAX_SPAN_BYTES &&
               repeat(sweep, bytes_apart, values_apart.count);
    });
}

/* A pointer that loops move on: by the turns of the loops. What it starts from becomes the base. */
bool IndexRanges::add_walk(const llvm::Value *&pointer, Sweep &sweep)
{
    llvm::ScalarEvolution &evolution = facts().evolution();
    const llvm::SCEV *place = facts().scev(*pointer);
    while (const std::optional<ScalarFacts::Walk> walk = facts().find_walk(*place)) {
        if (!add_steps(*walk, sweep)) {
            return false;
        }
        place = walk->start;
    }
    const auto *base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution.getPointerBase(place));
    if (base == nullptr || !add_turns(*evolution.getMinusSCEV(place, base), sweep)) {
        return false;
    }
    pointer = base->getValue();
    return true;
}

/* What an expression counts, added to a sweep. */
bool IndexRanges::add_turns(const llvm::SCEV &offset, Sweep &sweep)
{
    if (const auto *constant = llvm::dyn_cast<llvm::SCEVConstant>(&offset)) {
        const std::optional<int64_t> number = small_value(constant->getAPInt());
        sweep.first_byte += number.value_or(0);
        return number && std::abs(sweep.first_byte) < MAX_SPAN_BYTES;
    }
    if (const auto *sum = llvm::dyn_cast<llvm::SCEVAddExpr>(&offset)) {
        return llvm::all_of(sum->operands(), [&](const llvm::SCEV *term) {
            return add_turns(*term, sweep);
        });
    }
    const auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(&offset);
    return recurrence != nullptr && recurrence->isAffine() &&
           add_steps(
               {.loop = recurrence->getLoop(),
                .start = recurrence->getStart(),
                .step = recurrence->getOperand(1)},
               sweep
           ) &&
           add_turns(*recurrence->getStart(), sweep);
}

bool IndexRanges::add_steps(const ScalarFacts::Walk &walk, Sweep &sweep)
{
    const auto *step = llvm::dyn_cast<llvm::SCEVConstant>(walk.step);
    const std::optional<int64_t> number =
        step == nullptr ? std::nullopt : small_value(step->getAPInt());
    const uint64_t turns = most_turns(*walk.loop);
    return number && turns > 0 && repeat(sweep, *number, turns);
}

/* How often the header of a loop runs at most; 0: not known. */
uint64_t IndexRanges::most_turns(const llvm::Loop &loop)
{
    const auto *back_edges = llvm::dyn_cast<llvm::SCEVConstant>(
        facts().evolution().getConstantMaxBackedgeTakenCount(&loop)
    );
    if (back_edges == nullptr || back_edges->getAPInt().getActiveBits() >= MAX_INDEX_BITS) {
        return 0;
    }
    return shortened(back_edges->getAPInt().getZExtValue() + 1);
}

} // namespace laxity::workingset
