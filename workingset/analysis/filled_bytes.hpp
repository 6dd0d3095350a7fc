// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/constraints.hpp"
#include "analysis/scalar_facts.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/IR/Instructions.h>
#include <optional>

namespace laxity::workingset {

/* A write of an object; `store` where it is one, else nobody knows what is written. */
struct StoredWrite {
    Location place;
    std::optional<uint64_t> length_bytes; // nullopt: not known
    const llvm::StoreInst *store;
};

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
