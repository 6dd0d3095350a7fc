// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#ifndef LAXITY_WORKINGSET_INSTRUMENT_HPP
#define LAXITY_WORKINGSET_INSTRUMENT_HPP

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace laxity::workingset::oracle {

// Makes a program write a trace (runtime/trace_words.h) of each of its accesses. Instructions have
// the numbers that they had before. Fails with the names of external functions and intrinsics whose
// reads and writes are not known.
[[nodiscard]] llvm::Error instrument(llvm::Module &module);

} // namespace laxity::workingset::oracle

#endif
