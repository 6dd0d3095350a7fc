// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "judge.hpp"

#include "backward_walk.hpp"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "value_liveness.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace laxity::workingset::oracle {

namespace {

// What is kept of an instruction over all contexts.
struct Union {
    uint64_t words_seen = 0;
    std::vector<uint64_t> words; // empty: never visited
};

class Judge {
  public:
    Judge(
        std::span<const uint64_t> words,
        const Resolved &resolved,
        const Numbering &numbering,
        StaticSets &sets
    );

    Verdict run();

  private:
    void find_shares();
    void find_unknown_allocations();
    void check(uint32_t instruction, uint32_t context);
    ObservedPoint &point_of(uint32_t instruction, uint32_t context);
    bool is_new_to(const ObservedPoint &point);
    void see(ObservedPoint &point);
    void find_violations(uint32_t instruction, uint32_t context, ObservedPoint &point);
    const std::array<uint64_t, MEMORY_CLASSES> &static_bytes_of(uint32_t set);
    void note_access(uint32_t instruction, uint32_t slot, uint64_t offset, uint64_t size_bytes);
    void note_range(uint32_t slot, uint64_t offset, uint64_t size_bytes);
    void unite(uint32_t instruction);
    void finish();
    void hand_over();

    const Resolved &resolved_;
    const Numbering &numbering_;
    StaticSets &sets_;
    BackwardWalk walk_;
    LiveBytes &live_; // the walk's
    // By number of the set.
    std::vector<std::optional<std::array<uint64_t, MEMORY_CLASSES>>> static_bytes_;
    std::vector<std::pair<unsigned, uint64_t>> last_places_; // by instruction: object and offset
    std::vector<Union> unions_;
    Verdict verdict_;
    Observation &observed_;
};

Judge::Judge(
    std::span<const uint64_t> words,
    const Resolved &resolved,
    const Numbering &numbering,
    StaticSets &sets
)
    : resolved_(resolved), numbering_(numbering), sets_(sets),
      walk_(words, resolved, numbering, sets), live_(walk_.live()),
      last_places_(numbering.instructions.size(), {LiveBytes::NO_OBJECT, 0}),
      unions_(numbering.instructions.size()), observed_(verdict_.observed)
{
    observed_.points.resize(resolved.contexts.size());
    observed_.is_executed.resize(numbering.instructions.size());
    observed_.visits.resize(numbering.instructions.size());
    observed_.is_touched_in_parts.resize(sets.cell_count());
    observed_.is_indexed.resize(sets.object_count());
    for (const llvm::Function *function : numbering.functions) {
        observed_.first_instructions.push_back(numbering.number(function->getEntryBlock().front()));
    }
    observed_.contexts = sets.find_contexts(resolved, numbering);
    for (uint32_t i = 1; i < observed_.contexts.size(); i++) {
        if (observed_.contexts[i] == IMPOSSIBLE) {
            verdict_.impossible_contexts.push_back(i);
        }
    }
    find_shares();
    find_unknown_allocations();
}

void Judge::find_unknown_allocations()
{
    llvm::SetVector<uint32_t> sites;
    for (size_t i = 0; i < walk_.objects().size(); i++) {
        if (walk_.objects()[i] == LiveBytes::NO_OBJECT) {
            sites.insert(resolved_.slots[i].index);
        }
    }
    verdict_.unknown_allocations.assign(sites.begin(), sites.end());
}

void Judge::find_shares()
{
    observed_.shares.resize(numbering_.instructions.size());
    for (size_t i = observed_.shares.size(); i-- > 0;) {
        bool is_shared = numbering_.traced[i] == Traced::Nothing && i + 1 < observed_.shares.size();
        observed_.shares[i] = is_shared ? observed_.shares[i + 1] : static_cast<uint32_t>(i);
    }
}

const std::array<uint64_t, MEMORY_CLASSES> &Judge::static_bytes_of(uint32_t set)
{
    if (set >= static_bytes_.size()) {
        static_bytes_.resize(sets_.sets().size());
    }
    auto &known = static_bytes_[set];
    if (!known) {
        known.emplace();
        for (unsigned cell : sets_.sets()[set].set_bits()) {
            const StaticObject &object = sets_.object(sets_.cell(cell).object);
            if (!object.has_many_instances && object.size_bytes > 0) {
                (*known)[static_cast<size_t>(object.memory_class)] += sets_.cell(cell).size_bytes();
            }
        }
    }
    return *known;
}

ObservedPoint &Judge::point_of(uint32_t instruction, uint32_t context)
{
    uint32_t function = resolved_.contexts[context].function;
    std::vector<ObservedPoint> &points = observed_.points[context];
    if (points.empty()) {
        points.resize(numbering_.functions[function]->getInstructionCount());
    }
    ObservedPoint &point = points[instruction - observed_.first_instructions[function]];
    if (point.visits == 0) {
        const llvm::Instruction &at = *numbering_.instructions[instruction];
        if (!sets_.may_execute(observed_.contexts[context], at)) {
            verdict_.impossible_points.push_back({instruction, context});
        }
        point.set = sets_.live_set(observed_.contexts[context], at);
    }
    return point;
}

// Whether something is live that was not at any earlier visit.
bool Judge::is_new_to(const ObservedPoint &point)
{
    if (point.visits == 0) {
        return true;
    }
    const llvm::BitVector &live = live_.cells();
    const llvm::BitVector &seen = sets_.sets()[point.seen];
    GainLog &gained = live_.gained_cells();
    if (!gained.reaches_back_to(point.cells_noticed)) {
        return live.test(seen);
    }
    for (uint64_t i = point.cells_noticed; i < gained.end(); i++) {
        if (live.test(gained[i]) && !seen.test(gained[i])) {
            return true;
        }
    }
    return false;
}

// Takes what is live now to what was live at earlier visits.
void Judge::see(ObservedPoint &point)
{
    llvm::BitVector seen = live_.cells();
    if (point.visits > 0) {
        seen |= sets_.sets()[point.seen];
    }
    point.seen = sets_.number_of(std::move(seen));
}

// What was reported is in the point's set from then on.
void Judge::find_violations(uint32_t instruction, uint32_t context, ObservedPoint &point)
{
    llvm::BitVector missed = live_.cells();
    missed.reset(sets_.sets()[point.set]);
    if (missed.none()) {
        return;
    }
    for (unsigned cell : missed.set_bits()) {
        verdict_.violations.push_back({instruction, context, cell, live_.first_live_offset(cell)});
    }
    point.set = sets_.number_of(missed |= sets_.sets()[point.set]);
}

void Judge::check(uint32_t instruction, uint32_t context)
{
    observed_.is_executed[instruction] = true;
    if (observed_.contexts[context] >= IMPOSSIBLE) {
        verdict_.points_outside++;
        return;
    }
    ObservedPoint &point = point_of(instruction, context);
    if (is_new_to(point)) {
        see(point);
        find_violations(instruction, context, point);
    }
    point.cells_noticed = live_.gained_cells().close();
    point.visits++;
    observed_.visits[instruction]++;
    live_.count_point();
    unite(observed_.shares[instruction]);
    for (size_t i = 0; i < MEMORY_CLASSES; i++) {
        verdict_.dynamic_bytes[i] += live_.class_bytes()[i];
    }
    verdict_.points++;
}

void Judge::unite(uint32_t instruction)
{
    Union &seen = unions_[instruction];
    GainLog &gained = live_.gained_words();
    if (seen.words.empty() || !gained.reaches_back_to(seen.words_seen)) {
        seen.words.resize(live_.words().size());
        for (size_t i = 0; i < seen.words.size(); i++) {
            seen.words[i] |= live_.words()[i];
        }
    } else {
        for (uint64_t i = seen.words_seen; i < gained.end(); i++) {
            seen.words[gained[i]] |= live_.words()[gained[i]];
        }
    }
    seen.words_seen = gained.close();
}

void Judge::note_range(uint32_t slot, uint64_t offset, uint64_t size_bytes)
{
    unsigned object = walk_.objects()[slot];
    for (uint64_t at = offset; object != LiveBytes::NO_OBJECT && at < offset + size_bytes;) {
        unsigned number = sets_.cell_of(object, at);
        const StaticCell &cell = sets_.cell(number);
        if (offset > cell.first_byte || offset + size_bytes < cell.end_byte) {
            observed_.is_touched_in_parts[number] = true;
        }
        if (cell.end_byte <= at || cell.end_byte == UINT64_MAX) {
            return;
        }
        at = cell.end_byte;
    }
}

void Judge::note_access(uint32_t instruction, uint32_t slot, uint64_t offset, uint64_t size_bytes)
{
    unsigned object = walk_.objects()[slot];
    auto &[last_object, last_offset] = last_places_[instruction];
    if (object == LiveBytes::NO_OBJECT || (object == last_object && offset == last_offset)) {
        return;
    }
    if (object == last_object) {
        observed_.is_indexed[object] = true;
    }
    last_object = object;
    last_offset = offset;
    note_range(slot, offset, size_bytes);
}

void Judge::finish()
{
    for (const std::vector<ObservedPoint> &points : observed_.points) {
        for (const ObservedPoint &point : points) {
            if (point.visits == 0) {
                continue;
            }
            const auto &static_bytes = static_bytes_of(point.set);
            for (size_t i = 0; i < MEMORY_CLASSES; i++) {
                verdict_.static_bytes[i] += point.visits * static_bytes[i];
            }
        }
    }
    for (size_t i = 0; i < observed_.visits.size(); i++) {
        const std::vector<uint64_t> &words = unions_[observed_.shares[i]].words;
        for (size_t word = 0; observed_.visits[i] > 0 && word < words.size(); word++) {
            MemoryClass memory_class = sets_.object(live_.object_of_word(word)).memory_class;
            verdict_.best_bytes[static_cast<size_t>(memory_class)] +=
                observed_.visits[i] * static_cast<uint64_t>(std::popcount(words[word]));
        }
    }
}

// What outlives the judge.
void Judge::hand_over()
{
    for (Union &seen : unions_) {
        observed_.unions.push_back(std::move(seen.words));
    }
    for (unsigned object = 0; object < sets_.object_count(); object++) {
        observed_.dynamic_byte_points.push_back(live_.byte_points(object));
        observed_.first_words.push_back(live_.first_word(object));
    }
}

Verdict Judge::run()
{
    walk_.run(
        [this](uint32_t instruction, uint32_t context) { check(instruction, context); },
        [this](
            std::optional<uint32_t> instruction, uint32_t slot, uint64_t offset, uint64_t size_bytes
        ) {
            if (instruction) {
                note_access(*instruction, slot, offset, size_bytes);
            } else {
                note_range(slot, offset, size_bytes);
            }
        }
    );
    finish();
    hand_over();
    return std::move(verdict_);
}

// Every path counts, so blocks that none leads to are left out.
void compare_values(
    llvm::Function &function, const Numbering &numbering, const StaticSets &sets, Verdict &verdict
)
{
    if (function.hasFnAttribute(llvm::Attribute::Naked)) {
        return; // its assembly reads what no instruction names
    }
    const ValueLiveness liveness(function);
    const auto compare =
        [&](const llvm::Instruction &instruction, bool is_across, uint64_t reported, uint64_t live
        ) {
            // What waits for a second return may be kept longer than needed, never shorter.
            if (liveness.has_second_returns() ? reported < live : reported != live) {
                verdict.wrong_values.push_back(
                    {numbering.number(instruction), is_across, reported, live}
                );
            }
        };
    for (const llvm::BasicBlock *block : llvm::depth_first(&function.getEntryBlock())) {
        for (const auto &[instruction, bits] : llvm::zip_equal(*block, liveness.bits_in(*block))) {
            if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) {
                continue;
            }
            verdict.value_points++;
            compare(instruction, false, sets.value_bits(instruction), bits.before);
            if (llvm::isa<llvm::CallBase>(instruction)) {
                compare(instruction, true, sets.value_bits_across(instruction), bits.across);
            }
        }
    }
}

} // namespace

Verdict judge(
    std::span<const uint64_t> resolved_words,
    const Resolved &resolved,
    const Numbering &numbering,
    StaticSets &sets
)
{
    Verdict verdict = Judge(resolved_words, resolved, numbering, sets).run();
    for (llvm::Function *function : numbering.functions) {
        compare_values(*function, numbering, sets, verdict);
    }
    verdict.externals_without_model = sets.externals_without_model();
    return verdict;
}

} // namespace laxity::workingset::oracle
