// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "poison_table.hpp"

#include "runtime/poison_table.h"

#include <map>
#include <string>

namespace laxity::workingset::oracle {

namespace {

class PoisonTable {
  public:
    PoisonTable(const Numbering &numbering, StaticSets &sets);

    void add_row(unsigned context, const std::vector<uint32_t> &instructions);
    void add_empty_row()
    {
        rows_.resize(rows_.size() + numbering_.instructions.size(), LAXITY_POISON_NOTHING);
    }
    void write(llvm::raw_ostream &out, uint64_t contexts) const;

  private:
    void name_object(const llvm::Value &value, laxity_trace_object kind, size_t index);
    [[nodiscard]] uint32_t set_of(const llvm::BitVector &live);

    const Numbering &numbering_;
    StaticSets &sets_;
    std::vector<std::vector<uint64_t>> traced_names_; // by the analysis's object
    std::vector<uint32_t> rows_;
    std::map<std::string, uint32_t> known_sets_; // by the words of the bit vector
    std::vector<uint64_t> set_starts_ = {0};
    std::vector<laxity_poison_range> ranges_;
};

PoisonTable::PoisonTable(const Numbering &numbering, StaticSets &sets)
    : numbering_(numbering), sets_(sets), traced_names_(sets.object_count())
{
    for (size_t i = 0; i < numbering.globals.size(); i++) {
        if (!numbering.globals[i]->isConstant() && !numbering.globals[i]->isDeclaration()) {
            name_object(*numbering.globals[i], LAXITY_TRACE_GLOBAL, i);
        }
    }
    for (size_t i = 0; i < numbering.arguments.size(); i++) {
        name_object(*numbering.arguments[i], LAXITY_TRACE_ARGUMENT, i);
    }
    for (size_t i = 0; i < numbering.instructions.size(); i++) {
        name_object(*numbering.instructions[i], LAXITY_TRACE_INSTRUCTION, i);
    }
}

void PoisonTable::name_object(const llvm::Value &value, laxity_trace_object kind, size_t index)
{
    if (std::optional<unsigned> object = sets_.object_of(value)) {
        traced_names_[*object].push_back(static_cast<uint64_t>(kind) << 32 | index);
    }
}

uint32_t PoisonTable::set_of(const llvm::BitVector &live)
{
    llvm::ArrayRef<uintptr_t> words = live.getData();
    std::string key(reinterpret_cast<const char *>(words.data()), words.size() * sizeof(words[0]));
    auto [known, is_new] = known_sets_.try_emplace(key, static_cast<uint32_t>(known_sets_.size()));
    if (!is_new) {
        return known->second;
    }
    for (unsigned number = 0; number < sets_.cell_count(); number++) {
        const StaticCell &cell = sets_.cell(number);
        for (uint64_t name :
             live.test(number) ? std::vector<uint64_t>() : traced_names_[cell.object]) {
            ranges_.push_back({name, cell.first_byte, cell.end_byte});
        }
    }
    set_starts_.push_back(ranges_.size());
    return known->second;
}

void PoisonTable::add_row(unsigned context, const std::vector<uint32_t> &instructions)
{
    size_t start = rows_.size();
    add_empty_row();
    for (uint32_t instruction : instructions) {
        rows_[start + instruction] =
            set_of(sets_.live_cells(context, *numbering_.instructions[instruction]));
    }
}

void PoisonTable::write(llvm::raw_ostream &out, uint64_t contexts) const
{
    uint64_t rows_bytes = (rows_.size() * sizeof(rows_[0]) + 7) / 8 * 8;
    laxity_poison_header header = {
        .context_count = contexts,
        .instruction_count = numbering_.instructions.size(),
        .set_starts_offset = sizeof(header) + rows_bytes,
        .ranges_offset = sizeof(header) + rows_bytes + set_starts_.size() * sizeof(set_starts_[0]),
    };
    out.write(reinterpret_cast<const char *>(&header), sizeof(header));
    out.write(reinterpret_cast<const char *>(rows_.data()), rows_.size() * sizeof(rows_[0]));
    out.write_zeros(static_cast<unsigned>(rows_bytes - rows_.size() * sizeof(rows_[0])));
    out.write(
        reinterpret_cast<const char *>(set_starts_.data()),
        set_starts_.size() * sizeof(set_starts_[0])
    );
    out.write(reinterpret_cast<const char *>(ranges_.data()), ranges_.size() * sizeof(ranges_[0]));
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
            continue;
        }
        const llvm::Function &function = *numbering.functions[resolved.contexts[i].function];
        std::vector<uint32_t> ends;
        uint32_t first = numbering.number(function.getEntryBlock().front());
        for (uint32_t k = first; k < first + function.getInstructionCount(); k++) {
            if (numbering.traced[k] == Traced::Call || numbering.traced[k] == Traced::Terminator) {
                ends.push_back(k);
            }
        }
        table.add_row(contexts[i], ends);
    }
    table.write(out, contexts.size());
}

} // namespace laxity::workingset::oracle
