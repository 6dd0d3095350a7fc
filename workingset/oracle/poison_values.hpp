// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#ifndef LAXITY_WORKINGSET_POISON_VALUES_HPP
#define LAXITY_WORKINGSET_POISON_VALUES_HPP

#include "llvm/IR/Module.h"

namespace laxity::workingset::oracle {

// Gives every SSA value a place in memory, and has that place overwritten with changing garbage
// where the value dies. A program that behaves as before has no use of a value that ValueLiveness
// calls dead. Returns in how many places it is done. Functions with exceptions or setjmp are left
// as they are.
[[nodiscard]] unsigned poison_values(llvm::Module &module);

} // namespace laxity::workingset::oracle

#endif
