// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <llvm/ADT/StringRef.h>

namespace laxity::workingset {

/*
 * Deliberate faults of the analysis: the proof must notice each of them. The sources are compiled
 * once for all tools; only laxity-workingset-oracle-faulty, which nobody installs, has options that
 * select a fault.
 */
enum class Fault : uint8_t {
    None,
    WeakStoreKills,       // a store through a pointer to one of several objects overwrites them all
    LoopKillsReadFirst,   // what a loop writes is dead before it, though it is read there first
    EitherPathKills,      // an overwrite on one of two paths is one on both
    CalleeWritesDropped,  // what a callee defines is not defined
    CalleeReadsDropped,   // nothing is live because a callee reads it
    RecursionSolvedOnce,  // one pass over recursive functions
    AfterReturnDropped,   // of a context: what is live after the callee returned
    AfterUnwindDropped,   // the same after an exception
    AfterExitDropped,     // the same after exit()
    NextJobDropped,       // nothing is live after a job
    WidenedTargetsLost,   // a pointer whose offset is not known points to nothing
    ByvalReadsDropped,    // copying a struct for a callee reads nothing
    BlockReadsDropped,    // memcpy and memmove as intrinsics read nothing
    ExternalReadsDropped, // no row of the model table reads anything
    SituationsMixed,      // all calls of a function enter the copy that is made for one of them
    EdgeDropped,          // one of two ways that a comparison decides about is called impossible
    UndefinedTrusted,     // a value that is undefined is whatever suits
    RangeTooShort,        // an index is never the last of those that it can be
    LoopWritesFirst,      // in each turn of a loop all writes come before the reads
    StoredValuesDropped,  // what memory holds is its first value, whatever is stored
    PhiOperandsDropped,   // a value that a phi takes over is not live before
    DeviceReadsDropped,   // a device reads nothing of what it was given
    DeviceReachDropped,   // nor what that leads to
    DeviceWritesDropped   // a device writes nothing
};

/* One process makes one analysis: both are set before it and never after, so they are no parameters
 * of all that asks. */
extern Fault selected_fault;
/* A word of a row is the name and the column ("qsort:reads"), or the name alone for the whole row.
 */
void drop_from_table(llvm::StringRef word);

[[nodiscard]] inline bool has_fault(Fault fault)
{
    return fault == selected_fault;
}
[[nodiscard]] bool is_dropped_row(llvm::StringRef row);
[[nodiscard]] bool is_dropped_column(llvm::StringRef row, llvm::StringRef column);

} // namespace laxity::workingset
