// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/constraints.hpp"
#include "analysis/module_index.hpp"
#include "analysis/scalar_facts.hpp"

namespace laxity::workingset {

/*
 * The integers that memory can hold, whatever the path: its first value, and all that is stored.
 *
 * Memory is looked at in slots: an integer at one place of an object, or all integers of one width
 * in it where an access has a variable offset. A slot is known if nothing but plain stores of
 * such integers writes it, if nobody outside of the module can, and if it has a first value: a
 * global has; of a stack object, all that a load reaches must have been stored before it. What is
 * stored may have been loaded, so the intervals are a fixpoint: that no load has met anything else
 * yet makes what is stored next lie in them, too. They rest on what IndexRanges does, that
 * arithmetic with undefined results is in no address.
 *
 * Only loads are looked at that an index, or what one is compared with, is computed from.
 */
[[nodiscard]] StoredRanges find_stored_ranges(
    const ObjectTable &objects, const PointerAnalysis &pointers, const ModuleIndex &index
);

} // namespace laxity::workingset
