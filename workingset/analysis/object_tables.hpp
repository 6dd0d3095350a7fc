// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/live_objects.hpp"

#include <llvm/Support/raw_ostream.h>

namespace laxity::workingset {

/* functions.csv and objects.csv, of tables.hpp. */
void write_functions(llvm::raw_ostream &out, const Analysis &analysis);
void write_objects(llvm::raw_ostream &out, const Analysis &analysis, const LiveObjects &live);

} // namespace laxity::workingset
