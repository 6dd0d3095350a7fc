// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/module_copies.hpp"
#include "analysis/objects.hpp"

#include <llvm/ADT/StringSet.h>

namespace laxity::workingset {

/*
 * Give functions one copy per calling situation: which object and byte each pointer argument points
 * to, and the value of each integer argument, as far as its call sites tell.
 *
 * Only functions that nobody but their direct calls can enter, and that are not recursive, so that
 * no two copies are ever active at once and the frames of all are the frame of one. `entries` are
 * entered from outside by name. `objects` are those of the user's module.
 *
 * What a pointer points to only decides which call enters which copy, and no result rests on it:
 * points-to is found over the copies. Integers are put in place of the arguments.
 *
 * Returns of how many functions fewer situations are told apart than there are: too many, or too
 * large.
 */
[[nodiscard]] unsigned
specialise(ModuleCopies &copies, const ObjectTable &objects, const llvm::StringSet<> &entries);

} // namespace laxity::workingset
