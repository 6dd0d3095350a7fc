// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// laxity-workingset-oracle: makes a program write a trace, and checks the analysis against it.
#include "analysis/table_file.hpp"
#include "attribution.hpp"
#include "executions.hpp"
#include "instrument.hpp"
#include "judge.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "poison_table.hpp"
#include "poison_values.hpp"
#include "progression.hpp"
#include "report.hpp"
#include "trace_file.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace cl = llvm::cl;
using namespace laxity::workingset::oracle;

namespace {

constexpr int EXIT_VIOLATED = 1;
constexpr int EXIT_USAGE = 2;
// A figure shows no more of them.
constexpr unsigned DEFAULT_STRETCHES = 1000;

cl::OptionCategory category("options of laxity-workingset-oracle");
cl::SubCommand
    instrument_command("instrument", "write a copy of the program that traces its accesses");
cl::SubCommand poison_command(
    "poison-values", "write a copy of the program in which values that die become garbage"
);
cl::SubCommand check_command(
    "check", "compare a trace with the analysis; exit 1 where a live byte is called dead"
);
cl::SubCommand executions_command("executions", "write how often each instruction was executed");
cl::SubCommand progression_command(
    "progression", "write the live bytes along a trace: the analysis's and those that were"
);

cl::opt<std::string> instrument_input(
    cl::Positional,
    cl::Required,
    cl::desc("PROGRAM.bc"),
    cl::sub(instrument_command),
    cl::sub(poison_command)
);
cl::opt<std::string> instrument_output(
    "o",
    cl::Required,
    cl::value_desc("file"),
    cl::desc("file to write: bitcode, or a table"),
    cl::sub(instrument_command),
    cl::sub(poison_command),
    cl::sub(executions_command),
    cl::sub(progression_command),
    cl::cat(category)
);
cl::opt<std::string> check_input(
    cl::Positional,
    cl::Required,
    cl::desc("PROGRAM.bc"),
    cl::sub(check_command),
    cl::sub(executions_command),
    cl::sub(progression_command)
);
cl::opt<std::string> check_trace(
    cl::Positional,
    cl::Required,
    cl::desc("TRACE"),
    cl::sub(check_command),
    cl::sub(executions_command),
    cl::sub(progression_command)
);
cl::opt<std::string> check_job(
    "job",
    cl::value_desc("function"),
    cl::desc("look at the jobs alone, which are the calls of this function"),
    cl::sub(check_command),
    cl::sub(executions_command),
    cl::sub(progression_command),
    cl::cat(category)
);
cl::list<std::string> check_outputs(
    "output",
    cl::value_desc("global"),
    cl::desc("a global that somebody outside reads after each job; may be given several times"),
    cl::sub(check_command),
    cl::sub(progression_command),
    cl::cat(category)
);
cl::opt<unsigned> progression_stretches(
    "stretches",
    cl::init(DEFAULT_STRETCHES),
    cl::desc("at most so many rows, each of a part of the run (1000)"),
    cl::sub(progression_command),
    cl::cat(category)
);
cl::opt<std::string> check_annotations(
    "annotations",
    cl::value_desc("file.json"),
    cl::desc("what is known beyond the code, as for laxity-workingset"),
    cl::sub(check_command),
    cl::cat(category)
);
cl::opt<std::string> check_poison(
    "poison",
    cl::value_desc("file"),
    cl::desc("write what is dead where, for the runtime that overwrites it"),
    cl::sub(check_command),
    cl::cat(category)
);
int fail(const std::string &what, const std::string &why)
{
    llvm::errs() << "laxity-workingset-oracle: " << what << ": " << why << '\n';
    return EXIT_USAGE;
}

/* Whether an instruction has to do with vectors that are as long as the machine's: no trace says
 * how long that was. */
bool is_scalable(const llvm::Instruction &instruction)
{
    const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    const auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
    return instruction.getType()->isScalableTy() ||
           (alloca && alloca->getAllocatedType()->isScalableTy()) ||
           (address && address->getSourceElementType()->isScalableTy()) ||
           llvm::any_of(instruction.operands(), [](const llvm::Use &operand) {
               return operand->getType()->isScalableTy();
           });
}

/* An argument may be one that no instruction uses. */
bool has_scalable(const llvm::Function &function)
{
    return llvm::any_of(
               function.args(),
               [](const llvm::Argument &argument) { return argument.getType()->isScalableTy(); }
           ) ||
           llvm::any_of(llvm::instructions(function), is_scalable);
}

std::unique_ptr<llvm::Module> read_program(const std::string &path, llvm::LLVMContext &context)
{
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module = llvm::parseIRFile(path, problem, context);
    if (!module) {
        fail("reading " + path, problem.getMessage().str());
        return nullptr;
    }
    for (const llvm::Function &function : *module) {
        if (has_scalable(function)) {
            fail(
                "reading " + path,
                function.getName().str() +
                    " has vectors as long as the machine's; compile for one length"
            );
            return nullptr;
        }
    }
    return module;
}

/* Without debug information: in front of a landing pad's label it makes clang-19 -O0 put reloads
 * there, where they are not executed. */
int write_program(llvm::Module &module)
{
    llvm::StripDebugInfo(module);
    std::error_code code;
    llvm::ToolOutputFile out(instrument_output, code, llvm::sys::fs::OF_None);
    if (code) {
        return fail("writing " + instrument_output, code.message());
    }
    llvm::WriteBitcodeToFile(module, out.os());
    out.keep();
    return 0;
}

int run_poison_values()
{
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = read_program(instrument_input, context);
    if (!module) {
        return EXIT_USAGE;
    }
    llvm::outs() << poison_values(*module) << " values die\n";
    return write_program(*module);
}

int run_instrument()
{
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = read_program(instrument_input, context);
    if (!module) {
        return EXIT_USAGE;
    }
    if (llvm::Error problem = instrument(*module)) {
        return fail("instrumenting " + instrument_input, llvm::toString(std::move(problem)));
    }
    return write_program(*module);
}

int write_poison(const Resolved &resolved, const Numbering &numbering, StaticSets &sets)
{
    std::error_code code;
    llvm::raw_fd_ostream out(check_poison, code);
    if (code) {
        return fail("writing " + check_poison, code.message());
    }
    write_poison_table(out, resolved, numbering, sets);
    return 0;
}

int check(llvm::Module &module, const MappedWords &trace, const MappedWords &scratch)
{
    Numbering numbering(module);
    llvm::Expected<Resolved> resolved = resolve(trace.words(), numbering, scratch.words());
    if (!resolved) {
        return fail("reading " + check_trace, llvm::toString(resolved.takeError()));
    }
    StaticSets::Options analysed = {.job = check_job, .outputs = check_outputs};
    if (!check_annotations.empty()) {
        auto annotations = laxity::workingset::read_annotations(check_annotations);
        if (!annotations) {
            return fail("reading annotations", llvm::toString(annotations.takeError()));
        }
        analysed.annotations = std::move(*annotations);
    }
    auto sets = StaticSets::analyse(module, analysed);
    if (!sets) {
        return fail("analysing " + check_input, llvm::toString(sets.takeError()));
    }
    Verdict verdict = judge(scratch.words(), *resolved, numbering, **sets);
    std::optional<Attribution> attribution;
    if (verdict.is_covered()) {
        auto found = attribute(verdict, *resolved, module, numbering, **sets, analysed);
        if (!found) {
            return fail("attributing what is lost", llvm::toString(found.takeError()));
        }
        attribution = std::move(*found);
    }
    print_verdict(llvm::outs(), verdict, attribution, *resolved, numbering, **sets);
    if (!check_poison.empty() && write_poison(*resolved, numbering, **sets) != 0) {
        return EXIT_USAGE;
    }
    return verdict.is_covered() ? 0 : EXIT_VIOLATED;
}

int write_output(const std::function<void(llvm::raw_ostream &)> &writer)
{
    if (llvm::Error problem = laxity::workingset::write_table(instrument_output, writer)) {
        return fail("writing a table", llvm::toString(std::move(problem)));
    }
    return 0;
}

int run_executions()
{
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = read_program(check_input, context);
    if (!module) {
        return EXIT_USAGE;
    }
    llvm::Expected<MappedWords> trace = MappedWords::open_trace(check_trace);
    if (!trace) {
        return fail("reading a trace", llvm::toString(trace.takeError()));
    }
    // Only where there are jobs is there something that the analysis leaves out.
    std::unique_ptr<StaticSets> sets;
    if (!check_job.empty()) {
        auto analysed = StaticSets::analyse(*module, {.job = check_job});
        if (!analysed) {
            return fail("analysing " + check_input, llvm::toString(analysed.takeError()));
        }
        sets = std::move(*analysed);
    }
    Numbering numbering(*module);
    auto executions = count_executions(trace->words(), numbering, sets.get());
    if (!executions) {
        return fail("reading " + check_trace, llvm::toString(executions.takeError()));
    }
    return write_output([&](llvm::raw_ostream &out) {
        print_executions(out, *module, numbering, *executions);
    });
}

int find_and_write_progression(
    llvm::Module &module, const MappedWords &trace, const MappedWords &scratch
)
{
    Numbering numbering(module);
    llvm::Expected<Resolved> resolved = resolve(trace.words(), numbering, scratch.words());
    if (!resolved) {
        return fail("reading " + check_trace, llvm::toString(resolved.takeError()));
    }
    auto sets = StaticSets::analyse(module, {.job = check_job, .outputs = check_outputs});
    if (!sets) {
        return fail("analysing " + check_input, llvm::toString(sets.takeError()));
    }
    std::vector<Stretch> stretches =
        find_progression(scratch.words(), *resolved, numbering, **sets, progression_stretches);
    return write_output([&](llvm::raw_ostream &out) { print_progression(out, stretches); });
}

// What is done with a whole trace, and with room for as many words.
using UseOfTrace = int (*)(llvm::Module &, const MappedWords &, const MappedWords &);

int with_trace(UseOfTrace use)
{
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = read_program(check_input, context);
    if (!module) {
        return EXIT_USAGE;
    }
    llvm::Expected<MappedWords> trace = MappedWords::open_trace(check_trace);
    if (!trace) {
        return fail("reading a trace", llvm::toString(trace.takeError()));
    }
    auto scratch = MappedWords::make_scratch(check_trace, trace->words().size());
    if (!scratch) {
        return fail("making room for the resolved trace", llvm::toString(scratch.takeError()));
    }
    return use(*module, *trace, *scratch);
}

} // namespace

int main(int argc, char **argv)
{
    cl::SetVersionPrinter([](llvm::raw_ostream &out) {
        out << "laxity-workingset-oracle " LAXITY_VERSION "\n";
    });
    cl::ParseCommandLineOptions(
        argc, argv, "laxity-workingset-oracle - the proof of the live working set\n"
    );
    if (instrument_command) {
        return run_instrument();
    }
    if (poison_command) {
        return run_poison_values();
    }
    if (check_command) {
        return with_trace(check);
    }
    if (executions_command) {
        return run_executions();
    }
    if (progression_command) {
        return with_trace(find_and_write_progression);
    }
    return fail("reading the command line", "no command; see --help");
}
