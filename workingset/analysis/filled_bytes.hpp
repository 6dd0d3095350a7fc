// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/stored_ranges.hpp"

#include <llvm/ADT/BitVector.h>

namespace laxity::workingset {

/*
 * The bytes of a stack object that its function has surely stored something in whenever it comes to
 * `at`: by stores that lie on every way there, and by loops with constant turns that do.
 *
 * The object has one instance, `writes` are of it. Where its life may begin anew behind a store,
 * the store does not count.
 */
[[nodiscard]] llvm::BitVector filled_bytes(
    unsigned object,
    const ObjectTable &objects,
    const PointerAnalysis &pointers,
    llvm::ArrayRef<StoredWrite> writes,
    const llvm::Instruction &at,
    ScalarFacts &facts
);

} // namespace laxity::workingset
