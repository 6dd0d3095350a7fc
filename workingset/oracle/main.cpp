// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// laxity-workingset-oracle: makes a program write a trace, and checks the analysis against it.
#include "attribution.hpp"
#include "instrument.hpp"
#include "judge.hpp"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "poison_table.hpp"
#include "poison_values.hpp"
#include "report.hpp"
#include "trace_file.hpp"

#include <memory>
#include <optional>
#include <string>

namespace cl = llvm::cl;
using namespace laxity::workingset::oracle;

namespace {

constexpr int EXIT_VIOLATED = 1;
constexpr int EXIT_USAGE = 2;

cl::OptionCategory category("options of laxity-workingset-oracle");
cl::SubCommand
    instrument_command("instrument", "write a copy of the program that traces its accesses");
cl::SubCommand poison_command(
    "poison-values", "write a copy of the program in which values that die become garbage"
);
cl::SubCommand check_command(
    "check", "compare a trace with the analysis; exit 1 where a live byte is called dead"
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
    cl::desc("bitcode to write"),
    cl::sub(instrument_command),
    cl::sub(poison_command),
    cl::cat(category)
);
cl::opt<std::string>
    check_input(cl::Positional, cl::Required, cl::desc("PROGRAM.bc"), cl::sub(check_command));
cl::opt<std::string>
    check_trace(cl::Positional, cl::Required, cl::desc("TRACE"), cl::sub(check_command));
cl::opt<std::string> check_job(
    "job",
    cl::value_desc("function"),
    cl::desc("check the jobs, which are the calls of this function"),
    cl::sub(check_command),
    cl::cat(category)
);
cl::opt<std::string> check_progress(
    "progress",
    cl::value_desc("file.csv"),
    cl::desc("write live bytes along the trace"),
    cl::sub(check_command),
    cl::cat(category)
);
cl::opt<uint64_t> check_progress_step(
    "progress-step",
    cl::init(1000),
    cl::desc("executed instructions from one row to the next (1000)"),
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

std::unique_ptr<llvm::Module> read_program(const std::string &path, llvm::LLVMContext &context)
{
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module = llvm::parseIRFile(path, problem, context);
    if (!module) {
        fail("reading " + path, problem.getMessage().str());
    }
    return module;
}

int write_program(const llvm::Module &module)
{
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

int write_progress(const std::vector<ProgressPoint> &progress, uint64_t points)
{
    std::error_code code;
    llvm::raw_fd_ostream out(check_progress, code);
    if (code) {
        return fail("writing " + check_progress, code.message());
    }
    print_progress(out, progress, points);
    return 0;
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
    auto sets = StaticSets::analyse(module, {.job = check_job});
    if (!sets) {
        return fail("analysing " + check_input, llvm::toString(sets.takeError()));
    }
    JudgeOptions options;
    options.progress_step = check_progress.empty() ? 0 : check_progress_step.getValue();
    std::vector<ProgressPoint> progress;
    Verdict verdict = judge(scratch.words(), *resolved, numbering, **sets, options, &progress);
    std::optional<Attribution> attribution;
    if (verdict.is_covered()) {
        auto found = attribute(verdict, *resolved, module, numbering, **sets, check_job);
        if (!found) {
            return fail("attributing what is lost", llvm::toString(found.takeError()));
        }
        attribution = std::move(*found);
    }
    print_verdict(llvm::outs(), verdict, attribution, *resolved, numbering, **sets);
    if (!check_progress.empty() && write_progress(progress, verdict.points) != 0) {
        return EXIT_USAGE;
    }
    if (!check_poison.empty() && write_poison(*resolved, numbering, **sets) != 0) {
        return EXIT_USAGE;
    }
    return verdict.is_covered() ? 0 : EXIT_VIOLATED;
}

int run_check()
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
    return check(*module, *trace, *scratch);
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
        return run_check();
    }
    return fail("reading the command line", "no command; see --help");
}
