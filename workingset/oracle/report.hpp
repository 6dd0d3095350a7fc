// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#ifndef LAXITY_WORKINGSET_REPORT_HPP
#define LAXITY_WORKINGSET_REPORT_HPP

#include "attribution.hpp"
#include "judge.hpp"
#include "llvm/Support/raw_ostream.h"

namespace laxity::workingset::oracle {

// One JSON object: violations by name, points, sums of bytes by class, precision and its ceiling.
void print_verdict(
    llvm::raw_ostream &out,
    const Verdict &verdict,
    const std::optional<Attribution> &attribution,
    const Resolved &resolved,
    const Numbering &numbering,
    const StaticSets &sets
);

} // namespace laxity::workingset::oracle

#endif
