// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// How often each instruction was executed, of a trace or of one that holds counts alone.
#ifndef LAXITY_WORKINGSET_EXECUTIONS_HPP
#define LAXITY_WORKINGSET_EXECUTIONS_HPP

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include "numbering.hpp"
#include "static_sets.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace laxity::workingset::oracle {

// By number of the instruction. `sets`: only what is executed in a context of the analysis counts,
// which leaves out what is around the jobs; nullptr: everything.
[[nodiscard]] llvm::Expected<std::vector<uint64_t>>
count_executions(std::span<const uint64_t> trace, const Numbering &numbering, StaticSets *sets);

// function,block,index,executions: every instruction under the names of workingset.csv.
void print_executions(
    llvm::raw_ostream &out,
    const llvm::Module &module,
    const Numbering &numbering,
    const std::vector<uint64_t> &executions
);

} // namespace laxity::workingset::oracle

#endif
