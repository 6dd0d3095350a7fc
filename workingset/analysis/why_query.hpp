// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/analysis.hpp"

#include <llvm/Support/Error.h>

namespace laxity::workingset {

/* The object and the instructions that OBJECT@LINE names. */
struct WhyQuery {
    unsigned object;
    std::string file; // as debug information names it
    unsigned line;
    std::vector<const llvm::Instruction *> places; // of the line, in the module's order
};

/*
 * Find what OBJECT@LINE means.
 *
 * OBJECT is a name of objects.csv, FUNC:VARIABLE, or VARIABLE; LINE is FILE:LINE, where the end of
 * a path is enough, or a line of the file in which the root is. Fails where there is none or more
 * than one: the message names candidates.
 */
[[nodiscard]] llvm::Expected<WhyQuery> find_query(const Analysis &analysis, llvm::StringRef text);

} // namespace laxity::workingset
