// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#ifndef LAXITY_WORKINGSET_POISON_TABLE_HPP
#define LAXITY_WORKINGSET_POISON_TABLE_HPP

#include "llvm/Support/raw_ostream.h"
#include "static_sets.hpp"

namespace laxity::workingset::oracle {

// For the contexts of a trace: what the analysis calls dead where a segment ends
// (runtime/poison_table.h). Constants cannot be written to.
void write_poison_table(
    llvm::raw_ostream &out, const Resolved &resolved, const Numbering &numbering, StaticSets &sets
);

} // namespace laxity::workingset::oracle

#endif
