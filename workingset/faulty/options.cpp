// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// What the faulty tools have beside the options of those that users get.
#include "analysis/faults.hpp"

#include <cstdlib>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <string>

namespace cl = llvm::cl;

namespace {

constexpr int EXIT_USAGE = 2;

void select_or_refuse(const std::string &name)
{
    if (!laxity::workingset::select_fault(name)) {
        llvm::errs() << "selecting a fault: \"" << name
                     << "\" is none; see workingset/faulty/faults.cpp\n";
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
