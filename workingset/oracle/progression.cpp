// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "progression.hpp"

#include "backward_walk.hpp"
#include "trace_file.hpp"

#include <optional>

namespace laxity::workingset::oracle {

namespace {

class Progression {
  public:
    Progression(
        std::span<const uint64_t> words,
        const Resolved &resolved,
        const Numbering &numbering,
        StaticSets &sets
    )
        : words_(words), resolved_(resolved), numbering_(numbering), sets_(sets),
          contexts_(sets.find_contexts(resolved, numbering)), static_bytes_(contexts_.size())
    {
        for (const llvm::Function *function : numbering.functions) {
            first_instructions_.push_back(numbering.number(function->getEntryBlock().front()));
        }
    }

    std::vector<Stretch> run(uint64_t wanted);

  private:
    [[nodiscard]] bool is_analysed(uint32_t context) const
    {
        return contexts_[context] < IMPOSSIBLE;
    }
    [[nodiscard]] uint64_t count_points() const;
    uint64_t static_bytes_at(uint32_t instruction, uint32_t context);

    std::span<const uint64_t> words_;
    const Resolved &resolved_;
    const Numbering &numbering_;
    StaticSets &sets_;
    std::vector<unsigned> contexts_; // of the trace → of the analysis
    // By traced context, then by instruction of its function.
    std::vector<std::vector<std::optional<uint64_t>>> static_bytes_;
    std::vector<uint32_t> first_instructions_; // by function
};

uint64_t Progression::count_points() const
{
    std::vector<uint64_t> points_before = {0};
    for (const llvm::Instruction *instruction : numbering_.instructions) {
        points_before.push_back(points_before.back() + (is_point(*instruction) ? 1 : 0));
    }
    uint64_t points = 0;
    for (uint64_t word : words_) {
        if (tag_of(word) == LAXITY_TRACE_SEGMENT && is_analysed(lower_payload(word))) {
            uint32_t last = upper_payload(word);
            points += points_before[last + 1] - points_before[numbering_.segment_begin(last)];
        }
    }
    return points;
}

uint64_t Progression::static_bytes_at(uint32_t instruction, uint32_t context)
{
    uint32_t function = resolved_.contexts[context].function;
    std::vector<std::optional<uint64_t>> &known = static_bytes_[context];
    if (known.empty()) {
        known.resize(numbering_.functions[function]->getInstructionCount());
    }
    std::optional<uint64_t> &bytes = known[instruction - first_instructions_[function]];
    if (!bytes) {
        bytes = 0;
        const llvm::Instruction &place = *numbering_.instructions[instruction];
        // Named: what a loop ranges over must outlive the expression that it comes from.
        const llvm::BitVector live = sets_.live_cells(contexts_[context], place);
        for (unsigned cell : live.set_bits()) {
            const StaticObject &object = sets_.object(sets_.cell(cell).object);
            if (!object.has_many_instances && object.size_bytes > 0) {
                *bytes += sets_.cell(cell).size_bytes();
            }
        }
    }
    return *bytes;
}

std::vector<Stretch> Progression::run(uint64_t wanted)
{
    uint64_t points = count_points();
    uint64_t count = std::min(wanted, points);
    std::vector<Stretch> stretches(count);
    uint64_t place = points;
    BackwardWalk walk(words_, resolved_, numbering_, sets_);
    walk.run([&](uint32_t instruction, uint32_t context) {
        if (!is_analysed(context)) {
            return;
        }
        place--;
        uint64_t dynamic_bytes = 0;
        for (uint64_t bytes : walk.live().class_bytes()) {
            dynamic_bytes += bytes;
        }
        Stretch &stretch = stretches[place * count / points];
        stretch.first = place;
        stretch.executed++;
        stretch.dynamic_bytes.add(dynamic_bytes);
        stretch.static_bytes.add(static_bytes_at(instruction, context));
    });
    return stretches;
}

} // namespace

std::vector<Stretch> find_progression(
    std::span<const uint64_t> resolved_words,
    const Resolved &resolved,
    const Numbering &numbering,
    StaticSets &sets,
    uint64_t wanted
)
{
    return Progression(resolved_words, resolved, numbering, sets).run(wanted);
}

void print_progression(llvm::raw_ostream &out, const std::vector<Stretch> &stretches)
{
    out << "first,executed,dynamic_min_bytes,dynamic_max_bytes,static_min_bytes,static_max_bytes\n";
    for (const Stretch &one : stretches) {
        out << one.first << ',' << one.executed << ',' << one.dynamic_bytes.least << ','
            << one.dynamic_bytes.most << ',' << one.static_bytes.least << ','
            << one.static_bytes.most << '\n';
    }
}

} // namespace laxity::workingset::oracle
