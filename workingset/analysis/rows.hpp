// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/interned.hpp"
#include "analysis/results.hpp"
#include "analysis/ssa_liveness.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/Hashing.h>
#include <vector>

namespace laxity::workingset {

[[nodiscard]] llvm::hash_code hash_value(const Row &row);

/*
 * A row per instruction: of the analysed module, and of the user's over their copies.
 *
 * Rows are large, and the same memory is live before many instructions. So a row is kept without
 * the values of the instruction's own function, and rows that are equal then are kept once.
 */
class Rows {
  public:
    Rows() = default;
    /* `origins`: by number of an instruction of the analysed module, that of the user's, which
     * `ssa` goes by. Both must outlive the rows. */
    Rows(const SsaLiveness &ssa, const std::vector<unsigned> &origins);

    /* The rows of instructions of the analysed module from `first` on, without values of their own
     * functions; those that were never set are not reached. */
    void get(unsigned first, llvm::MutableArrayRef<Row> rows) const;
    void set(unsigned first, llvm::ArrayRef<Row> rows);
    /* Call once all are set, before what follows. */
    void join_copies();

    /* Of instructions of the user's. */
    [[nodiscard]] unsigned size() const
    {
        return static_cast<unsigned>(joined_.size());
    }
    [[nodiscard]] Row operator[](unsigned instruction) const
    {
        return with_values(joined_[instruction], instruction);
    }
    /* Of one of the analysed module. */
    [[nodiscard]] Row of_copy(unsigned number) const
    {
        return with_values(copies_[number], (*origins_)[number]);
    }

  private:
    /* Numbers of rows: of those that no path leads to, and of those that are none yet. */
    static constexpr unsigned UNREACHED = ~0U;

    [[nodiscard]] Row with_values(unsigned row, unsigned instruction) const;

    const SsaLiveness *ssa_ = nullptr;
    const std::vector<unsigned> *origins_ = nullptr;
    Interned<Row> rows_;
    std::vector<unsigned> copies_; // numbers of the rows of the analysed module's instructions
    std::vector<unsigned> joined_; // of the user's
};

} // namespace laxity::workingset
