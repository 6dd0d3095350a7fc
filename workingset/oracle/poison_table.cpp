// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "poison_table.hpp"

#include "runtime/poison_table.h"

#include <algorithm>
#include <map>
#include <utility>

namespace laxity::workingset::oracle {

namespace {

class PoisonTable {
  public:
    PoisonTable(const Numbering &numbering, StaticSets &sets);

    // The next context of the trace, by the analysis's: what is dead at the ends of segments of the
    // function.
    void add_context(unsigned context, const llvm::Function &function);
    void add_unknown_context()
    {
        row_starts_.push_back(LAXITY_POISON_NO_ROW);
    }
    void write(llvm::raw_ostream &out) const;

  private:
    using Bytes =
        std::vector<std::pair<uint64_t, uint64_t>>; // ranges, ascending, none touches another

    void name_object(const llvm::Value &value, laxity_trace_object kind, size_t index);
    [[nodiscard]] uint32_t set_of(uint32_t number);
    [[nodiscard]] uint32_t pattern_of(uint32_t name, const Bytes &dead);

    const Numbering &numbering_;
    StaticSets &sets_;
    std::vector<std::vector<uint64_t>> traced_names_; // by the analysis's object
    std::vector<std::vector<unsigned>> cells_;        // by the analysis's object, ascending
    std::vector<uint64_t> objects_;
    std::vector<uint32_t> ends_;
    std::vector<uint64_t> row_starts_;        // by context of the trace
    std::map<unsigned, uint64_t> known_rows_; // by context of the analysis
    std::vector<uint32_t> rows_;
    std::vector<uint32_t> known_sets_; // by number of the analysis's set
    uint32_t set_count_ = 0;
    std::map<std::pair<uint32_t, Bytes>, uint32_t> known_patterns_;
    std::vector<uint64_t> set_starts_ = {0}, pattern_starts_ = {0};
    std::vector<uint32_t> set_patterns_, pattern_objects_;
    std::vector<laxity_poison_range> ranges_;
};

bool ends_segment(Traced traced)
{
    return traced == Traced::Call || traced == Traced::Terminator;
}

PoisonTable::PoisonTable(const Numbering &numbering, StaticSets &sets)
    : numbering_(numbering), sets_(sets), traced_names_(sets.object_count()),
      cells_(sets.object_count())
{
    for (size_t i = 0; i < numbering.globals.size(); i++) {
        if (!numbering.globals[i]->isConstant() && !numbering.globals[i]->isDeclaration()) {
            name_object(*numbering.globals[i], LAXITY_TRACE_GLOBAL, i);
        }
    }
    for (size_t i = 0; i < numbering.arguments.size(); i++) {
        name_object(*numbering.arguments[i], LAXITY_TRACE_ARGUMENT, i);
    }
    const llvm::Function *function = nullptr;
    uint32_t end = 0;
    for (size_t i = 0; i < numbering.instructions.size(); i++) {
        name_object(*numbering.instructions[i], LAXITY_TRACE_INSTRUCTION, i);
        if (std::exchange(function, numbering.instructions[i]->getFunction()) !=
            numbering.instructions[i]->getFunction()) {
            end = 0;
        }
        ends_.push_back(ends_segment(numbering.traced[i]) ? end++ : LAXITY_POISON_NOTHING);
    }
    std::ranges::sort(objects_);
    for (unsigned cell = 0; cell < sets.cell_count(); cell++) {
        cells_[sets.cell(cell).object].push_back(cell);
    }
    for (std::vector<unsigned> &cells : cells_) {
        std::ranges::sort(cells, {}, [&](unsigned cell) { return sets.cell(cell).first_byte; });
    }
}

void PoisonTable::name_object(const llvm::Value &value, laxity_trace_object kind, size_t index)
{
    if (std::optional<unsigned> object = sets_.object_of(value)) {
        objects_.push_back(static_cast<uint64_t>(kind) << 32 | index);
        traced_names_[*object].push_back(objects_.back());
    }
}

uint32_t PoisonTable::pattern_of(uint32_t name, const Bytes &dead)
{
    auto [known, is_new] =
        known_patterns_.try_emplace({name, dead}, static_cast<uint32_t>(known_patterns_.size()));
    if (is_new) {
        for (auto [first_byte, end_byte] : dead) {
            ranges_.push_back({first_byte, end_byte});
        }
        pattern_starts_.push_back(ranges_.size());
        pattern_objects_.push_back(name);
    }
    return known->second;
}

uint32_t PoisonTable::set_of(uint32_t number)
{
    if (number >= known_sets_.size()) {
        known_sets_.resize(sets_.sets().size(), LAXITY_POISON_NOTHING);
    }
    uint32_t &known = known_sets_[number];
    if (known != LAXITY_POISON_NOTHING) {
        return known;
    }
    known = set_count_++;
    const llvm::BitVector &live = sets_.sets()[number];
    for (unsigned object = 0; object < traced_names_.size(); object++) {
        Bytes dead;
        for (unsigned cell : cells_[object]) {
            if (live.test(cell)) {
                continue;
            }
            if (!dead.empty() && dead.back().second == sets_.cell(cell).first_byte) {
                dead.back().second = sets_.cell(cell).end_byte;
            } else {
                dead.emplace_back(sets_.cell(cell).first_byte, sets_.cell(cell).end_byte);
            }
        }
        for (uint64_t name : dead.empty() ? std::vector<uint64_t>() : traced_names_[object]) {
            auto place = std::ranges::lower_bound(objects_, name) - objects_.begin();
            set_patterns_.push_back(pattern_of(static_cast<uint32_t>(place), dead));
        }
    }
    set_starts_.push_back(set_patterns_.size());
    return known;
}

void PoisonTable::add_context(unsigned context, const llvm::Function &function)
{
    auto [known, is_new] = known_rows_.try_emplace(context, rows_.size());
    row_starts_.push_back(known->second);
    if (!is_new) {
        return;
    }
    uint32_t first = numbering_.number(function.getEntryBlock().front());
    uint32_t end = numbering_.number(function.back().back()) + 1;
    for (uint32_t i = first; i < end; i++) {
        if (ends_[i] != LAXITY_POISON_NOTHING) {
            rows_.push_back(set_of(sets_.live_set(context, *numbering_.instructions[i])));
        }
    }
}

template <typename Item> llvm::StringRef bytes_of(const std::vector<Item> &items)
{
    return {reinterpret_cast<const char *>(items.data()), items.size() * sizeof(Item)};
}

void PoisonTable::write(llvm::raw_ostream &out) const
{
    // In the order of laxity_poison_array.
    const std::array<llvm::StringRef, LAXITY_POISON_ARRAYS> arrays = {
        bytes_of(objects_),
        bytes_of(row_starts_),
        bytes_of(ends_),
        bytes_of(rows_),
        bytes_of(set_starts_),
        bytes_of(set_patterns_),
        bytes_of(pattern_starts_),
        bytes_of(pattern_objects_),
        bytes_of(ranges_),
    };
    laxity_poison_header header = {
        .context_count = row_starts_.size(),
        .instruction_count = ends_.size(),
        .object_count = objects_.size(),
        .starts = {},
    };
    uint64_t start = sizeof(header);
    for (size_t i = 0; i < arrays.size(); i++) {
        header.starts[i] = start;
        start += (arrays[i].size() + 7) / 8 * 8;
    }
    out.write(reinterpret_cast<const char *>(&header), sizeof(header));
    for (llvm::StringRef array : arrays) {
        out << array;
        out.write_zeros((8 - array.size() % 8) % 8);
    }
}

} // namespace

void write_poison_table(
    llvm::raw_ostream &out, const Resolved &resolved, const Numbering &numbering, StaticSets &sets
)
{
    std::vector<unsigned> contexts = sets.find_contexts(resolved, numbering);
    PoisonTable table(numbering, sets);
    for (size_t i = 0; i < contexts.size(); i++) {
        if (contexts[i] >= IMPOSSIBLE) {
            table.add_unknown_context();
        } else {
            table.add_context(contexts[i], *numbering.functions[resolved.contexts[i].function]);
        }
    }
    table.write(out);
}

} // namespace laxity::workingset::oracle
