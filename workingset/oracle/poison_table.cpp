// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "poison_table.hpp"

#include "runtime/poison_table.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace laxity::workingset::oracle {

namespace {

class PoisonTable {
  public:
    PoisonTable(const Numbering &numbering, StaticSets &sets);

    // What is dead at the ends of segments of the function, in this context.
    void add_row(unsigned context, const llvm::Function &function);
    void add_empty_row()
    {
        row_starts_.push_back(rows_.size());
    }
    void write(llvm::raw_ostream &out) const;

  private:
    using Bytes =
        std::vector<std::pair<uint64_t, uint64_t>>; // ranges, ascending, none touches another

    void name_object(const llvm::Value &value, laxity_trace_object kind, size_t index);
    [[nodiscard]] uint32_t set_of(const llvm::BitVector &live);
    [[nodiscard]] uint32_t pattern_of(uint32_t name, const Bytes &dead);

    const Numbering &numbering_;
    StaticSets &sets_;
    std::vector<std::vector<uint64_t>> traced_names_; // by the analysis's object
    std::vector<std::vector<unsigned>> cells_;        // by the analysis's object, ascending
    std::vector<uint64_t> objects_;
    std::vector<uint32_t> ends_;
    std::vector<uint64_t> row_starts_;
    std::vector<uint32_t> rows_;
    std::map<std::string, uint32_t> known_sets_; // by the words of the bit vector
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

uint32_t PoisonTable::set_of(const llvm::BitVector &live)
{
    llvm::ArrayRef<uintptr_t> words = live.getData();
    std::string key(reinterpret_cast<const char *>(words.data()), words.size() * sizeof(words[0]));
    auto [known, is_new] = known_sets_.try_emplace(key, static_cast<uint32_t>(known_sets_.size()));
    if (!is_new) {
        return known->second;
    }
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
    return known->second;
}

void PoisonTable::add_row(unsigned context, const llvm::Function &function)
{
    add_empty_row();
    uint32_t first = numbering_.number(function.getEntryBlock().front());
    for (uint32_t i = first; i < first + function.getInstructionCount(); i++) {
        if (ends_[i] != LAXITY_POISON_NOTHING) {
            rows_.push_back(set_of(sets_.live_cells(context, *numbering_.instructions[i])));
        }
    }
}

template <typename Item> llvm::StringRef bytes_of(const std::vector<Item> &items)
{
    return {reinterpret_cast<const char *>(items.data()), items.size() * sizeof(Item)};
}

void PoisonTable::write(llvm::raw_ostream &out) const
{
    std::vector<uint64_t> row_starts = row_starts_;
    row_starts.push_back(rows_.size());
    // In the order of laxity_poison_array.
    const std::array<llvm::StringRef, LAXITY_POISON_ARRAYS> arrays = {
        bytes_of(objects_),
        bytes_of(row_starts),
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
            table.add_empty_row();
        } else {
            table.add_row(contexts[i], *numbering.functions[resolved.contexts[i].function]);
        }
    }
    table.write(out);
}

} // namespace laxity::workingset::oracle
