// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/analysis.hpp"
#include "analysis/flow_tables.hpp"
#include "analysis/tables.hpp"
#include "analysis/why_json.hpp"
#include "analysis/why_query.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <optional>

namespace {

// The project's exit codes: design of the command line, shared with every other tool.
enum ExitCode : uint8_t {
    ExitDone = 0,
    ExitUsage = 2,
    ExitLacks = 3,
    ExitIncomplete = 4
};

constexpr const char *USAGE = R"(usage: laxity-workingset PROGRAM.bc... --out DIR [options]
       laxity-workingset PROGRAM.bc --why OBJECT@[FILE:]LINE [options]
Live bits at every instruction of a program, over all its calling contexts.

  --out DIR         folder for workingset.csv, functions.csv, objects.csv, summary.json; made if absent.
                    Of several programs each gets DIR/STEM of its own; one that fails leaves a summary.json
                    that says so, the others go on, and the exit code is 4
  --job FUNC        one job is one call of FUNC (default: benchmark_execution if there is one, else the program from main on)
  --output GLOBAL   a global that is read after each job by somebody outside; may be given several times
  --form NAME       how the bitcode was made, copied into every table (default: as-given)
  --annotations FILE
                    what code does not say: activations of recursions, blocks of the heap, what threads share (JSON)
  --why OBJ@LINE    instead of tables, print as JSON why an object is live at a source line, or why not
  --contexts N      contexts of one function that are told apart (default: 4096, fewer in large programs);
                    further ones are joined
  --progress        print "start STEM", then "end STEM NANOSECONDS", of each program on stdout
  --points-to-budget N  16-byte pieces of points-to sets to keep; beyond, all memory is called live
  --places-budget N     targets of all accesses together; beyond, objects of the largest sets are called live
  --version         print the version
  --help            print this text
)";

struct Command {
    std::vector<std::string> programs;
    std::string out, why, form = "as-given", annotations;
    bool shows_progress = false;
    laxity::workingset::Options options;
};

/* Why there is no answer, and the exit code if nothing else was asked for. */
struct Failure {
    ExitCode code = ExitDone;
    std::string message;
};

int fail(ExitCode code, const llvm::Twine &message)
{
    llvm::errs() << "laxity-workingset: " << message << '\n';
    return code;
}

llvm::StringRef stem_of(const std::string &program)
{
    return llvm::sys::path::stem(program);
}

/* Of an option with a value. Returns false if it is not known. */
bool set_option(llvm::StringRef word, llvm::StringRef value, Command &command)
{
    laxity::workingset::Options &options = command.options;
    if (word == "--out") {
        command.out = value;
    } else if (word == "--why") {
        command.why = value;
    } else if (word == "--annotations") {
        command.annotations = value;
    } else if (word == "--job") {
        options.job = value;
    } else if (word == "--output") {
        options.outputs.push_back(value.str());
    } else if (word == "--form") {
        command.form = value;
    } else if (word == "--contexts") {
        return !value.getAsInteger(10, options.context_limit) && options.context_limit > 0;
    } else if (word == "--points-to-budget") {
        return !value.getAsInteger(10, options.pointer_budget.sets);
    } else if (word == "--places-budget") {
        return !value.getAsInteger(10, options.pointer_budget.places);
    } else {
        return false;
    }
    return true;
}

/* Returns ExitDone, or ExitUsage after a message. */
int parse(llvm::ArrayRef<const char *> words, Command &command)
{
    llvm::StringSet<> stems;
    for (size_t i = 0; i < words.size(); i++) {
        const llvm::StringRef word = words[i];
        if (word == "--progress") {
            command.shows_progress = true;
            continue;
        }
        if (!word.starts_with("--")) {
            command.programs.push_back(word.str());
            if (!stems.insert(stem_of(command.programs.back())).second) {
                return fail(
                    ExitUsage,
                    "read options: a second program \"" + stem_of(command.programs.back()) +
                        "\" would overwrite the first one's files; rename it, or link both by "
                        "llvm-link if they are one program"
                );
            }
            continue;
        }
        if (i + 1 == words.size()) {
            return fail(
                ExitUsage,
                "read options: \"" + word + "\" is unknown or lacks its value; see --help"
            );
        }
        const llvm::StringRef value = words[++i];
        if (!set_option(word, value, command)) {
            return fail(
                ExitUsage, "read options: \"" + word + " " + value + "\" is not known; see --help"
            );
        }
    }
    const bool is_one_of_both = command.out.empty() != command.why.empty();
    if (command.programs.empty() || !is_one_of_both) {
        return fail(
            ExitUsage,
            "read options: a program and either --out DIR or --why are needed; see --help"
        );
    }
    if (!command.why.empty() && command.programs.size() > 1) {
        return fail(ExitUsage, "read options: --why asks about one program; name one");
    }
    return ExitDone;
}

Failure print_why(const laxity::workingset::Analysis &analysis, const std::string &text)
{
    using namespace laxity::workingset;
    llvm::Expected<WhyQuery> query = find_query(analysis, text);
    if (!query) {
        return {ExitUsage, llvm::toString(query.takeError())};
    }
    const PathFinder finder(analysis);
    const Why why = explain(analysis, finder, query->object, query->places);
    llvm::outs() << llvm::formatv("{0:2}", why_document(analysis, *query, why)) << '\n';
    return {};
}

/* What nobody asks for afterwards, in a program with debug information a fifth of its memory: types
 * of accesses, which nearly every load and store has, and which value each variable is at a point.
 */
void drop_unasked(llvm::Function &function)
{
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
        instruction.setMetadata(llvm::LLVMContext::MD_tbaa, nullptr);
        for (llvm::DbgVariableRecord &record :
             llvm::make_early_inc_range(llvm::filterDbgVars(instruction.getDbgRecordRange()))) {
            if (record.isDbgValue()) {
                record.eraseFromParent();
            }
        }
    }
}

/* Function by function, so that what nobody asks for never exists of all of them, and is not looked
 * at when LLVM verifies the whole. */
llvm::Expected<std::unique_ptr<llvm::Module>>
read_program(const std::string &path, llvm::LLVMContext &context)
{
    llvm::SMDiagnostic diagnostic;
    std::unique_ptr<llvm::Module> module = llvm::getLazyIRFileModule(path, diagnostic, context);
    if (!module) {
        return llvm::createStringError(diagnostic.getMessage());
    }
    for (llvm::Function &function : *module) {
        if (llvm::Error error = function.materialize()) {
            return error;
        }
        drop_unasked(function);
    }
    if (llvm::Error error = module->materializeAll()) {
        return error;
    }
    return module;
}

/* One program while it is looked at. */
struct Program {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module;
    std::unique_ptr<laxity::workingset::Analysis> analysis;
};

Failure make_folder(const std::string &folder)
{
    if (const std::error_code code = llvm::sys::fs::create_directories(folder)) {
        return {ExitLacks, "make " + folder + ": " + code.message() + "; choose another folder"};
    }
    return {};
}

Failure
analyse(const std::string &path, const std::string &out, const Command &command, Program &program)
{
    Failure failure = command.why.empty() ? make_folder(out) : Failure();
    if (failure.code != ExitDone) {
        return failure;
    }
    llvm::Expected<std::unique_ptr<llvm::Module>> module = read_program(path, program.context);
    if (!module) {
        return {
            ExitUsage,
            "read " + path + ": " + llvm::toString(module.takeError()) + "; give bitcode of LLVM 19"
        };
    }
    program.module = std::move(*module);
    auto analysis = laxity::workingset::Analysis::run(*program.module, command.options);
    if (!analysis) {
        return {ExitUsage, "analyse " + path + ": " + llvm::toString(analysis.takeError())};
    }
    program.analysis = std::move(*analysis);
    if (!command.why.empty()) {
        const auto &misapplied = program.analysis->misapplied_annotations();
        if (!misapplied.empty()) {
            const auto &[name, reason] = misapplied.front();
            return {ExitUsage, "annotation of \"" + name + "\": " + reason};
        }
        return print_why(*program.analysis, command.why);
    }
    if (llvm::Error error =
            laxity::workingset::write_tables(*program.analysis, command.form, out)) {
        return {
            ExitLacks, llvm::toString(std::move(error)) + "; make room or choose another folder"
        };
    }
    if (llvm::Error error = laxity::workingset::write_flow_tables(*program.analysis, out)) {
        return {
            ExitLacks, llvm::toString(std::move(error)) + "; make room or choose another folder"
        };
    }
    return {};
}

/* What others find in place of an answer; the message is on stderr in any case. */
void write_failure(const std::string &folder, const Failure &failure)
{
    std::error_code code;
    llvm::raw_fd_ostream out(folder + "/summary.json", code);
    if (!code) {
        llvm::json::Object summary{{"status", "failed"}, {"message", failure.message}};
        out << llvm::formatv("{0:2}", llvm::json::Value(std::move(summary))) << '\n';
        out.close();
        out.clear_error();
    }
}

/* Returns the exit code. `last` keeps the last program: whoever ends the process need not free it.
 */
int run(Command command, std::optional<Program> &last)
{
    if (!command.annotations.empty()) {
        auto annotations = laxity::workingset::read_annotations(command.annotations);
        if (!annotations) {
            return fail(ExitUsage, llvm::toString(annotations.takeError()));
        }
        command.options.annotations = std::move(*annotations);
    }
    const bool is_single = command.programs.size() == 1;
    bool has_failed = false;
    for (const std::string &program : command.programs) {
        const std::string folder =
            is_single ? command.out : command.out + "/" + stem_of(program).str();
        if (command.shows_progress) {
            llvm::outs() << "start " << stem_of(program) << '\n';
            llvm::outs().flush();
        }
        const auto started = std::chrono::steady_clock::now();
        const Failure failure = analyse(program, folder, command, last.emplace());
        if (&program != &command.programs.back()) {
            last.reset();
        }
        const auto took = std::chrono::steady_clock::now() - started;
        if (failure.code != ExitDone) {
            fail(failure.code, failure.message);
            if (is_single) {
                return failure.code;
            }
            has_failed = true;
            write_failure(folder, failure);
        }
        if (command.shows_progress) {
            llvm::outs() << "end " << stem_of(program) << ' '
                         << std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()
                         << '\n';
            llvm::outs().flush();
        }
    }
    return has_failed ? ExitIncomplete : ExitDone;
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
    int code = parse(words, command);
    if (code != ExitDone) {
        return code;
    }
    std::optional<Program> last;
    code = run(std::move(command), last);
    // From here and not by a return: freeing millions of parts one by one takes a tenth of the
    // time, and all files are closed. (What a check for leaks would report is what nobody refers
    // to.)
    std::exit(code); // NOLINT(concurrency-mt-unsafe): there is one thread
}
