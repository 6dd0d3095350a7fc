// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/faults.hpp"

#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/ADT/Twine.h>

namespace laxity::workingset {

namespace {

// One process makes one faulty analysis: this stands in for what the tool that users get has as
// constants, so it is no parameter.
Fault selected = Fault::None;

llvm::StringSet<> &dropped()
{
    static llvm::StringSet<> words;
    return words;
}

} // namespace

bool select_fault(llvm::StringRef name)
{
    selected = llvm::StringSwitch<Fault>(name)
                   .Case("weak-store-kills", Fault::WeakStoreKills)
                   .Case("loop-kills-read-first", Fault::LoopKillsReadFirst)
                   .Case("either-path-kills", Fault::EitherPathKills)
                   .Case("callee-writes-dropped", Fault::CalleeWritesDropped)
                   .Case("callee-reads-dropped", Fault::CalleeReadsDropped)
                   .Case("recursion-solved-once", Fault::RecursionSolvedOnce)
                   .Case("after-return-dropped", Fault::AfterReturnDropped)
                   .Case("after-unwind-dropped", Fault::AfterUnwindDropped)
                   .Case("after-exit-dropped", Fault::AfterExitDropped)
                   .Case("next-job-dropped", Fault::NextJobDropped)
                   .Case("widened-targets-lost", Fault::WidenedTargetsLost)
                   .Case("byval-reads-dropped", Fault::ByvalReadsDropped)
                   .Case("block-reads-dropped", Fault::BlockReadsDropped)
                   .Case("external-reads-dropped", Fault::ExternalReadsDropped)
                   .Case("situations-mixed", Fault::SituationsMixed)
                   .Case("edge-dropped", Fault::EdgeDropped)
                   .Case("undefined-trusted", Fault::UndefinedTrusted)
                   .Case("range-too-short", Fault::RangeTooShort)
                   .Case("loop-writes-first", Fault::LoopWritesFirst)
                   .Case("stored-values-dropped", Fault::StoredValuesDropped)
                   .Case("phi-operands-dropped", Fault::PhiOperandsDropped)
                   .Case("device-reads-dropped", Fault::DeviceReadsDropped)
                   .Case("device-reach-dropped", Fault::DeviceReachDropped)
                   .Case("device-writes-dropped", Fault::DeviceWritesDropped)
                   .Default(Fault::None);
    return selected != Fault::None;
}

void drop_from_table(llvm::StringRef word)
{
    dropped().insert(word);
}

bool has_fault(Fault fault)
{
    return fault == selected;
}

bool is_dropped_row(llvm::StringRef row)
{
    return dropped().contains(row);
}

bool is_dropped_column(llvm::StringRef row, llvm::StringRef column)
{
    return dropped().contains((row + llvm::Twine(":") + column).str());
}

} // namespace laxity::workingset
