// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#ifndef LAXITY_WORKINGSET_MARK_HPP
#define LAXITY_WORKINGSET_MARK_HPP

#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>

namespace laxity::workingset {

/*
 * Put a record into section laxity_hints at each point: include/laxity/hints.h says what it holds.
 *
 * The record is written by inline assembly whose label stands where the point does. So the address
 * is right on every target and whatever is done to the code afterwards: who inlines a function or
 * unrolls a loop copies the assembly with it, and a point then has a record per copy. The assembly
 * counts as reading and writing memory: what the analysis calls dead there is dead at the address,
 * too, for no access is moved across. (A blockaddress is not allowed for entry blocks, and stack
 * maps do not exist on 32-bit ARM and PowerPC.)
 *
 * points: "number,function,block,index,live_bits,cost_ns" under a header, cost_ns may be empty.
 */
[[nodiscard]] llvm::Error mark_points(llvm::Module &module, llvm::StringRef points);

} // namespace laxity::workingset

#endif
