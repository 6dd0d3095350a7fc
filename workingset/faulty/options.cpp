// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// Options of the faulty oracle that the tools of users lack.
#include "analysis/faults.hpp"

#include <cstdlib>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <string>

namespace cl = llvm::cl;

using laxity::workingset::Fault;

namespace {

constexpr int EXIT_USAGE = 2;

Fault find_fault(llvm::StringRef name)
{
    return llvm::StringSwitch<Fault>(name)
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
}

void select_or_refuse(const std::string &name)
{
    laxity::workingset::selected_fault = find_fault(name);
    if (laxity::workingset::selected_fault == Fault::None) {
        llvm::errs() << "selecting a fault: \"" << name
                     << "\" is none; see workingset/faulty/options.cpp\n";
        std::exit(EXIT_USAGE); // NOLINT(concurrency-mt-unsafe): before any thread exists
    }
}

cl::opt<std::string> fault(
    "fault",
    cl::desc("make this fault in the analysis"),
    cl::callback([](const std::string &name) { select_or_refuse(name); }),
    cl::sub(cl::SubCommand::getAll())
);
cl::list<std::string> dropped(
    "drop",
    cl::value_desc("row[:column]"),
    cl::desc("forget this part of the model table"),
    cl::callback([](const std::string &word) { laxity::workingset::drop_from_table(word); }),
    cl::sub(cl::SubCommand::getAll())
);

} // namespace
