// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/analysis.hpp"
#include "analysis/flow_tables.hpp"
#include "analysis/tables.hpp"
#include "analysis/why_json.hpp"

#include <cstdint>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace {

// The project's exit codes: design of the command line, shared with every other tool.
enum ExitCode : uint8_t {
    ExitDone = 0,
    ExitUsage = 2,
    ExitLacks = 3
};

constexpr const char *USAGE = R"(usage: laxity-workingset PROGRAM.bc --out DIR [options]
       laxity-workingset PROGRAM.bc --why OBJECT@[FILE:]LINE [options]
Live bits at every instruction of a program, over all its calling contexts.

  --out DIR         folder for workingset.csv, functions.csv, objects.csv, summary.json; made if absent
  --job FUNC        one job is one call of FUNC (default: benchmark_execution if there is one, else the program from main on)
  --output GLOBAL   a global that is read after each job by somebody outside; may be given several times
  --form NAME       how the bitcode was made, copied into every table (default: as-given)
  --annotations FILE
                    what code does not say: activations of recursions, blocks of the heap, what threads share (JSON)
  --contexts N      contexts of one function that are told apart (default: 4096); further ones are joined
  --why OBJ@LINE    instead of tables, print as JSON why an object is live at a source line, or why not
  --version         print the version
  --help            print this text
)";

struct Command {
    std::string program, out, why, form = "as-given", annotations;
    laxity::workingset::Options options;
};

int fail(int code, const llvm::Twine &message)
{
    llvm::errs() << "laxity-workingset: " << message << '\n';
    return code;
}

/* Returns ExitDone, or ExitUsage after a message. */
int parse(llvm::ArrayRef<const char *> words, Command &command)
{
    for (size_t i = 0; i < words.size(); i++) {
        const llvm::StringRef word = words[i];
        if (!word.starts_with("--")) {
            if (!command.program.empty()) {
                return fail(
                    ExitUsage,
                    "read options: a second program \"" + word + "\"; link them by llvm-link first"
                );
            }
            command.program = word;
            continue;
        }
        if (i + 1 == words.size()) {
            return fail(
                ExitUsage,
                "read options: \"" + word + "\" is unknown or lacks its value; see --help"
            );
        }
        const llvm::StringRef value = words[++i];
        if (word == "--out") {
            command.out = value;
        } else if (word == "--why") {
            command.why = value;
        } else if (word == "--job") {
            command.options.job = value;
        } else if (word == "--output") {
            command.options.outputs.push_back(value.str());
        } else if (word == "--annotations") {
            command.annotations = value;
        } else if (word == "--form") {
            command.form = value;
        } else if (word == "--contexts" && !value.getAsInteger(10, command.options.context_limit) &&
                   command.options.context_limit > 0) {
            continue;
        } else {
            return fail(
                ExitUsage, "read options: \"" + word + " " + value + "\" is not known; see --help"
            );
        }
    }
    if (command.program.empty() || command.out.empty() == command.why.empty()) {
        return fail(
            ExitUsage,
            "read options: a program and either --out DIR or --why are needed; see --help"
        );
    }
    return ExitDone;
}

int print_why(const laxity::workingset::Analysis &analysis, const std::string &text)
{
    using namespace laxity::workingset;
    llvm::Expected<WhyQuery> query = find_query(analysis, text);
    if (!query) {
        return fail(ExitUsage, llvm::toString(query.takeError()));
    }
    const PathFinder finder(analysis);
    const Why why = explain(analysis, finder, query->object, query->places);
    llvm::outs() << llvm::formatv("{0:2}", why_document(analysis, *query, why)) << '\n';
    return ExitDone;
}

int analyse(Command command)
{
    if (!command.annotations.empty()) {
        auto annotations = laxity::workingset::read_annotations(command.annotations);
        if (!annotations) {
            return fail(ExitUsage, llvm::toString(annotations.takeError()));
        }
        command.options.annotations = std::move(*annotations);
    }
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    const std::unique_ptr<llvm::Module> module =
        llvm::parseIRFile(command.program, diagnostic, context);
    if (!module) {
        return fail(
            ExitUsage,
            "read " + command.program + ": " + diagnostic.getMessage() + "; give bitcode of LLVM 19"
        );
    }
    auto analysis = laxity::workingset::Analysis::run(*module, command.options);
    if (!analysis) {
        return fail(
            ExitUsage, "analyse " + command.program + ": " + llvm::toString(analysis.takeError())
        );
    }
    if (!command.why.empty()) {
        return print_why(**analysis, command.why);
    }
    if (const std::error_code code = llvm::sys::fs::create_directories(command.out)) {
        return fail(
            ExitLacks, "make " + command.out + ": " + code.message() + "; choose another folder"
        );
    }
    if (llvm::Error error =
            laxity::workingset::write_tables(**analysis, command.form, command.out)) {
        return fail(
            ExitLacks, llvm::toString(std::move(error)) + "; make room or choose another folder"
        );
    }
    if (llvm::Error error = laxity::workingset::write_flow_tables(**analysis, command.out)) {
        return fail(
            ExitLacks, llvm::toString(std::move(error)) + "; make room or choose another folder"
        );
    }
    return ExitDone;
}

} // namespace

int main(int argc, char **argv)
{
    const llvm::ArrayRef<const char *> words(
        argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0)
    );
    if (words.size() == 1 && llvm::StringRef(words[0]) == "--version") {
        llvm::outs() << "laxity-workingset " << LAXITY_VERSION << '\n';
        return ExitDone;
    }
    if (words.size() == 1 && llvm::StringRef(words[0]) == "--help") {
        llvm::outs() << USAGE;
        return ExitDone;
    }
    Command command;
    const int code = parse(words, command);
    return code == ExitDone ? analyse(std::move(command)) : code;
}
