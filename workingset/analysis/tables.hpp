// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/analysis.hpp"

#include <llvm/Support/Error.h>
#include <string>

namespace laxity::workingset {

/*
 * Write workingset.csv, functions.csv, objects.csv and summary.json into a folder that exists.
 *
 * An absent figure is an empty field or null: unbounded, or of an instruction that no root reaches.
 * `form` says how the bitcode was made, in the words of whoever made it.
 */
[[nodiscard]] llvm::Error
write_tables(const Analysis &analysis, const std::string &form, const std::string &folder);

} // namespace laxity::workingset
