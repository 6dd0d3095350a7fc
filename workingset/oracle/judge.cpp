// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "judge.hpp"

#include "live_bytes.hpp"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IntrinsicInst.h"
#include "trace_file.hpp"

#include <bit>
#include <memory>

namespace laxity::workingset::oracle {

namespace {

// What is kept of an instruction in a context.
struct Point {
    uint64_t visits = 0;
    uint64_t cells_seen = 0; // entry of the log of cells at the last visit
    llvm::BitVector live;    // the analysis's set, and what was reported already
    std::array<uint64_t, MEMORY_CLASSES> static_bytes = {};
};

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
        StaticSets &sets,
        const JudgeOptions &options,
        std::vector<ProgressPoint> *out_progress
    );

    Verdict run();

  private:
    [[nodiscard]] static std::vector<unsigned>
    objects_of_slots(const Resolved &resolved, const Numbering &numbering, const StaticSets &sets);
    void find_shares();
    void find_unknown_allocations();
    size_t take_segment(size_t position);
    void take_access(size_t position, uint32_t instruction);
    void take_range(uint64_t word, size_t position);
    void check(uint32_t instruction, uint32_t context);
    Point &point_of(uint32_t instruction, uint32_t context);
    void check_cell(uint32_t instruction, uint32_t context, Point &point, unsigned cell);
    void check_all_cells(uint32_t instruction, uint32_t context, Point &point);
    void unite(uint32_t instruction);
    void finish();
    [[nodiscard]] const std::vector<bool> *undefined_at(size_t position) const
    {
        auto found = resolved_.undefined.find(position);
        return found == resolved_.undefined.end() ? nullptr : &found->second;
    }

    std::span<const uint64_t> words_;
    const Resolved &resolved_;
    const Numbering &numbering_;
    StaticSets &sets_;
    uint64_t progress_step_;
    std::vector<ProgressPoint> *out_progress_;
    std::vector<unsigned> objects_;
    LiveBytes live_;
    std::vector<MemoryEffect> effects_;
    std::vector<bool> is_point_;
    std::vector<unsigned> contexts_; // of the trace → of the analysis
    std::vector<std::vector<Point>>
        points_; // by traced context, then by instruction of its function
    std::vector<uint32_t> first_instructions_; // by function
    std::vector<uint32_t>
        shares_; // the instruction whose union is this one's, too: no access is between them
    std::vector<Union> unions_;
    std::vector<uint64_t> visits_; // by instruction
    Verdict verdict_;
};

std::vector<unsigned> Judge::objects_of_slots(
    const Resolved &resolved, const Numbering &numbering, const StaticSets &sets
)
{
    std::vector<unsigned> objects;
    for (const Slot &slot : resolved.slots) {
        const llvm::Value *value = nullptr;
        switch (slot.kind) {
        case LAXITY_TRACE_GLOBAL:
            value = numbering.globals[slot.index];
            break;
        case LAXITY_TRACE_ARGUMENT:
            value = numbering.arguments[slot.index];
            break;
        case LAXITY_TRACE_INSTRUCTION:
            value = numbering.instructions[slot.index];
        }
        objects.push_back(sets.object_of(*value).value_or(LiveBytes::NO_OBJECT));
    }
    return objects;
}

Judge::Judge(
    std::span<const uint64_t> words,
    const Resolved &resolved,
    const Numbering &numbering,
    StaticSets &sets,
    const JudgeOptions &options,
    std::vector<ProgressPoint> *out_progress
)
    : words_(words), resolved_(resolved), numbering_(numbering), sets_(sets),
      progress_step_(options.progress_step), out_progress_(out_progress),
      objects_(objects_of_slots(resolved, numbering, sets)), live_(resolved.slots, objects_, sets),
      points_(resolved.contexts.size()), unions_(numbering.instructions.size()),
      visits_(numbering.instructions.size())
{
    for (const llvm::Instruction *instruction : numbering.instructions) {
        effects_.push_back(memory_effect(*instruction));
        // The phis of a block are one step at its head; debug intrinsics are no steps.
        is_point_.push_back(
            !llvm::isa<llvm::PHINode>(instruction) &&
            !llvm::isa<llvm::DbgInfoIntrinsic>(instruction)
        );
    }
    for (const llvm::Function *function : numbering.functions) {
        first_instructions_.push_back(numbering.number(function->getEntryBlock().front()));
    }
    contexts_ = sets.find_contexts(resolved, numbering);
    for (uint32_t i = 1; i < contexts_.size(); i++) {
        if (contexts_[i] == IMPOSSIBLE) {
            verdict_.impossible_contexts.push_back(i);
        }
    }
    find_shares();
    find_unknown_allocations();
}

void Judge::find_unknown_allocations()
{
    llvm::SetVector<uint32_t> sites;
    for (size_t i = 0; i < objects_.size(); i++) {
        if (objects_[i] == LiveBytes::NO_OBJECT) {
            sites.insert(resolved_.slots[i].index);
        }
    }
    verdict_.unknown_allocations.assign(sites.begin(), sites.end());
}

void Judge::find_shares()
{
    shares_.resize(numbering_.instructions.size());
    for (size_t i = shares_.size(); i-- > 0;) {
        bool is_shared = numbering_.traced[i] == Traced::Nothing && i + 1 < shares_.size();
        shares_[i] = is_shared ? shares_[i + 1] : static_cast<uint32_t>(i);
    }
}

Point &Judge::point_of(uint32_t instruction, uint32_t context)
{
    uint32_t function = resolved_.contexts[context].function;
    std::vector<Point> &points = points_[context];
    if (points.empty()) {
        points.resize(numbering_.functions[function]->getInstructionCount());
    }
    Point &point = points[instruction - first_instructions_[function]];
    if (point.visits == 0) {
        if (!sets_.may_execute(contexts_[context], *numbering_.instructions[instruction])) {
            verdict_.impossible_points.push_back({instruction, context});
        }
        point.live = sets_.live_cells(contexts_[context], *numbering_.instructions[instruction]);
        for (unsigned cell : point.live.set_bits()) {
            const StaticObject &object = sets_.object(sets_.cell(cell).object);
            if (!object.has_many_instances && object.size_bytes > 0) {
                point.static_bytes[static_cast<size_t>(object.memory_class)] +=
                    sets_.cell(cell).size_bytes();
            }
        }
    }
    return point;
}

void Judge::check_cell(uint32_t instruction, uint32_t context, Point &point, unsigned cell)
{
    if (live_.cells().test(cell) && !point.live.test(cell)) {
        point.live.set(cell);
        verdict_.violations.push_back({instruction, context, cell, live_.first_live_offset(cell)});
    }
}

void Judge::check_all_cells(uint32_t instruction, uint32_t context, Point &point)
{
    if (!live_.cells().test(point.live)) {
        return;
    }
    for (unsigned cell : live_.cells().set_bits()) {
        check_cell(instruction, context, point, cell);
    }
}

void Judge::check(uint32_t instruction, uint32_t context)
{
    if (!is_point_[instruction]) {
        return;
    }
    if (contexts_[context] >= IMPOSSIBLE) {
        verdict_.points_outside++;
        return;
    }
    Point &point = point_of(instruction, context);
    GainLog &gained = live_.gained_cells();
    if (point.visits == 0 || !gained.reaches_back_to(point.cells_seen)) {
        check_all_cells(instruction, context, point);
    } else {
        for (uint64_t i = point.cells_seen; i < gained.end(); i++) {
            check_cell(instruction, context, point, gained[i]);
        }
    }
    point.cells_seen = gained.close();
    point.visits++;
    visits_[instruction]++;
    unite(shares_[instruction]);
    for (size_t i = 0; i < MEMORY_CLASSES; i++) {
        verdict_.dynamic_bytes[i] += live_.class_bytes()[i];
    }
    if (progress_step_ > 0 && verdict_.points % progress_step_ == 0) {
        ProgressPoint row{verdict_.points, instruction, 0, 0};
        for (size_t i = 0; i < MEMORY_CLASSES; i++) {
            row.dynamic_bytes += live_.class_bytes()[i];
            row.static_bytes += point.static_bytes[i];
        }
        out_progress_->push_back(row);
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

void Judge::take_access(size_t position, uint32_t instruction)
{
    uint64_t word = words_[position];
    uint32_t slot = upper_payload(word);
    if (slot == NO_SLOT) {
        return;
    }
    if (llvm::isa<llvm::AllocaInst>(numbering_.instructions[instruction])) {
        live_.end_life(slot, 0, resolved_.slots[slot].size_bytes);
        return;
    }
    MemoryEffect effect = effects_[instruction];
    live_.end_life(slot, lower_payload(word), effect.written_bytes);
    if (effect.read_bytes > 0) {
        live_.read(slot, lower_payload(word), effect.read_bytes, undefined_at(position));
    }
}

void Judge::take_range(uint64_t word, size_t position)
{
    uint32_t slot = upper_payload(word);
    uint64_t size_bytes = payload_of(words_[position - 1]);
    if (slot == NO_SLOT) {
        return;
    }
    if (tag_of(word) == LAXITY_TRACE_READ) {
        live_.read(slot, lower_payload(word), size_bytes, undefined_at(position));
    } else {
        live_.end_life(slot, lower_payload(word), size_bytes);
    }
}

// From the instruction that ended the segment up to its first; returns where the words of the
// segment begin.
size_t Judge::take_segment(size_t position)
{
    uint32_t last = upper_payload(words_[position]);
    uint32_t context = lower_payload(words_[position]);
    check(last, context);
    for (uint32_t i = last; i-- > numbering_.segment_begin(last);) {
        Traced traced = numbering_.traced[i];
        if (traced == Traced::Access || traced == Traced::SizedAccess) {
            take_access(--position, i);
        }
        if (traced == Traced::SizedAccess) {
            position--;
        }
        check(i, context);
    }
    return position;
}

void Judge::finish()
{
    for (const std::vector<Point> &points : points_) {
        for (const Point &point : points) {
            for (size_t i = 0; i < MEMORY_CLASSES; i++) {
                verdict_.static_bytes[i] += point.visits * point.static_bytes[i];
            }
        }
    }
    for (size_t i = 0; i < visits_.size(); i++) {
        const std::vector<uint64_t> &words = unions_[shares_[i]].words;
        for (size_t word = 0; visits_[i] > 0 && word < words.size(); word++) {
            MemoryClass memory_class = sets_.object(live_.object_of_word(word)).memory_class;
            verdict_.best_bytes[static_cast<size_t>(memory_class)] +=
                visits_[i] * static_cast<uint64_t>(std::popcount(words[word]));
        }
    }
}

Verdict Judge::run()
{
    for (size_t i = words_.size(); i-- > 0;) {
        switch (tag_of(words_[i])) {
        case LAXITY_TRACE_SEGMENT:
            i = take_segment(i);
            break;
        case LAXITY_TRACE_READ:
        case LAXITY_TRACE_WRITE:
        case LAXITY_TRACE_FORGET:
        case LAXITY_TRACE_BIRTH:
            take_range(words_[i], i);
            break;
        default: // sizes and objects belong to the word behind them; contexts are known
            break;
        }
    }
    finish();
    return std::move(verdict_);
}

} // namespace

Verdict judge(
    std::span<const uint64_t> resolved_words,
    const Resolved &resolved,
    const Numbering &numbering,
    StaticSets &sets,
    const JudgeOptions &options,
    std::vector<ProgressPoint> *out_progress
)
{
    Verdict verdict = Judge(resolved_words, resolved, numbering, sets, options, out_progress).run();
    verdict.externals_without_model = sets.externals_without_model();
    return verdict;
}

} // namespace laxity::workingset::oracle
