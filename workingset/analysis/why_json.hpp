// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/why.hpp"
#include "analysis/why_query.hpp"

#include <llvm/Support/JSON.h>

namespace laxity::workingset {

/* An answer to OBJECT@LINE as `laxity workingset --why` reads it; places that nobody knows are
 * null. */
[[nodiscard]] llvm::json::Value
why_document(const Analysis &analysis, const WhyQuery &query, const Why &why);

} // namespace laxity::workingset
