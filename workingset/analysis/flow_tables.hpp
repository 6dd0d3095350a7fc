// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/analysis.hpp"

#include <llvm/Support/Error.h>
#include <string>

namespace laxity::workingset {

/*
 * Write loops.csv, blocks.csv, edges.csv and calls.csv into a folder that exists: who goes around
 * what, what follows what, and who calls whom.
 *
 * From them and bounds of the loops follows how often an instruction is executed. Blocks and
 * indices are those of workingset.csv; a loop is named by the block that is its header, and stands
 * where its source begins.
 */
[[nodiscard]] llvm::Error write_flow_tables(const Analysis &analysis, const std::string &folder);

} // namespace laxity::workingset
