// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/rows.hpp"

#include <utility>

namespace laxity::workingset {

namespace {

// In a list of copies: there is no other.
constexpr unsigned END = ~0U;

} // namespace

/* What it leaves out hardly ever differs alone. */
llvm::hash_code hash_value(const Row &row)
{
    llvm::hash_code hash =
        llvm::hash_combine(row.most_total, row.least_total, row.contexts.value_or(0));
    for (const LiveBits *live : {&row.most, &row.least}) {
        hash = llvm::hash_combine(
            hash, llvm::hash_combine_range(live->bits.begin(), live->bits.end())
        );
    }
    return hash;
}

Rows::Rows(const SsaLiveness &ssa, const std::vector<unsigned> &origins)
    : ssa_(&ssa), origins_(&origins), copies_(origins.size(), UNREACHED)
{
}

void Rows::get(unsigned first, llvm::MutableArrayRef<Row> rows) const
{
    for (Row &row : rows) {
        const unsigned known = copies_[first++];
        row = known == UNREACHED ? Row() : rows_[known];
    }
}

void Rows::set(unsigned first, llvm::ArrayRef<Row> rows)
{
    const Row *before = nullptr;
    for (const Row &row : rows) {
        const bool is_repeated = before != nullptr && *before == row;
        before = &row;
        if (is_repeated) {
            copies_[first] = copies_[first - 1];
        } else {
            copies_[first] = row.is_reached ? rows_.number_of(row) : UNREACHED;
        }
        first++;
    }
}

/* Copies of one instruction have the same values of their function. */
void Rows::join_copies()
{
    std::vector<unsigned> first_copies(ssa_->size(), END);
    std::vector<unsigned> next_copies(copies_.size(), END);
    for (unsigned copy = 0; copy < copies_.size(); copy++) {
        if (copies_[copy] != UNREACHED) {
            next_copies[copy] = std::exchange(first_copies[(*origins_)[copy]], copy);
        }
    }
    joined_.reserve(first_copies.size());
    for (const unsigned first : first_copies) {
        joined_.push_back(first == END ? UNREACHED : copies_[first]);
        if (first == END || next_copies[first] == END) {
            continue;
        }
        Row row = rows_[copies_[first]];
        for (unsigned copy = next_copies[first]; copy != END; copy = next_copies[copy]) {
            widen(row, rows_[copies_[copy]]);
        }
        joined_.back() = rows_.number_of(row);
    }
}

Row Rows::with_values(unsigned row, unsigned instruction) const
{
    if (row == UNREACHED) {
        return {};
    }
    constexpr auto SSA = static_cast<size_t>(StorageClass::Ssa);
    const uint64_t value_bits = ssa_->bits_before(instruction);
    Row result = rows_[row];
    result.most.bits[SSA] += value_bits;
    result.least.bits[SSA] += value_bits;
    result.most_total += value_bits;
    result.least_total += value_bits;
    return result;
}

} // namespace laxity::workingset
