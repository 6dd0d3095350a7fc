// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/byte_runs.hpp"
#include "analysis/constraints.hpp"

#include <llvm/IR/Instruction.h>
#include <llvm/IR/IntrinsicInst.h>

namespace laxity::workingset {

class IndexRanges;

/* One way in which an instruction touches memory. */
struct Access {
    llvm::SmallVector<Location, 2> places;
    std::optional<uint64_t> length_bytes; // nullopt: not known
    // Where from each place on it may go, if it is not one stretch of length_bytes right there.
    std::optional<ByteRuns> reach;
    bool is_read = false;
    bool is_write = false;
    bool is_certain = false; // a write that happens in full whenever the instruction ends normally
    bool is_volatile = false;
    bool is_scalar = false; // a load or a store, no copy of a block
};

struct InstructionAccesses {
    llvm::SmallVector<Access, 1> accesses; // nearly always
    bool touches_escaped = false;          // reads and may write everything that has escaped
};

/* What an instruction itself touches; of a call: what functions outside of the module do, not those
 * in it. Without `ranges` (of its function), a variable offset is any. */
[[nodiscard]] InstructionAccesses find_accesses(
    const llvm::Instruction &instruction,
    const PointerAnalysis &pointers,
    IndexRanges *ranges = nullptr
);

/* Loads or stores those elements of a vector that a mask names: the address is the first argument
 * of a load and the second of a store, behind what is stored. */
[[nodiscard]] bool is_masked(const llvm::IntrinsicInst &call);

} // namespace laxity::workingset
