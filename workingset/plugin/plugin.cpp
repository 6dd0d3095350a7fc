// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/flow_tables.hpp"
#include "analysis/tables.hpp"

#include <cstdlib>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

/*
 * The analysis as a pass of opt and clang. It is linked with the shared LLVM, as they are: with a
 * copy of its own there would be two of everything.
 */
namespace {

constexpr const char *PASS = "laxity-workingset";
constexpr const char *HELP =
    "laxity-workingset<out=DIR;job=FUNC;output=GLOBAL;form=NAME;contexts=N>";

struct Settings {
    std::string out, form = "as-given";
    laxity::workingset::Options options;
};

/* Returns false if the word is none of ours. */
bool set(Settings &settings, llvm::StringRef name, llvm::StringRef value)
{
    if (name == "out") {
        settings.out = value;
    } else if (name == "job") {
        settings.options.job = value;
    } else if (name == "output") {
        settings.options.outputs.push_back(value.str());
    } else if (name == "form") {
        settings.form = value;
    } else {
        return name == "contexts" && !value.getAsInteger(10, settings.options.context_limit) &&
               settings.options.context_limit > 0;
    }
    return !value.empty();
}

llvm::Error write(const llvm::Module &module, const Settings &settings)
{
    auto analysis = laxity::workingset::Analysis::run(module, settings.options);
    if (!analysis) {
        return analysis.takeError();
    }
    if (const std::error_code code = llvm::sys::fs::create_directories(settings.out)) {
        return llvm::createStringError(code, "make " + settings.out + ": " + code.message());
    }
    if (llvm::Error error =
            laxity::workingset::write_tables(**analysis, settings.form, settings.out)) {
        return error;
    }
    return laxity::workingset::write_flow_tables(**analysis, settings.out);
}

/* Writes the tables of a module and leaves it as it is. */
class WorkingSetPass : public llvm::PassInfoMixin<WorkingSetPass> {
  public:
    WorkingSetPass(Settings settings, bool is_asked_for)
        : settings_(std::move(settings)), is_asked_for_(is_asked_for)
    {
    }

    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager & /*manager*/)
    {
        if (llvm::Error error = write(module, settings_)) {
            const std::string text = std::string(PASS) + ": " + module.getSourceFileName() + ": " +
                                     llvm::toString(std::move(error));
            // A part of a program has no root; that must not end the compilation of the program.
            if (is_asked_for_) {
                module.getContext().emitError(text);
            } else {
                llvm::errs() << text << '\n';
            }
        }
        return llvm::PreservedAnalyses::all();
    }

    static bool isRequired()
    {
        return true; // also of functions that are marked optnone
    }

  private:
    Settings settings_;
    bool is_asked_for_;
};

/* opt -passes='laxity-workingset<...>' */
bool add_named(llvm::StringRef name, llvm::ModulePassManager &manager)
{
    if (!name.consume_front(PASS)) {
        return false;
    }
    Settings settings;
    if (name.consume_front("<") && name.consume_back(">")) {
        llvm::SmallVector<llvm::StringRef, 4> words;
        name.split(words, ';');
        for (const llvm::StringRef word : words) {
            const auto [option, value] = word.split('=');
            if (!set(settings, option, value)) {
                llvm::errs() << PASS << ": \"" << word << "\" is not known; " << HELP << '\n';
                return false;
            }
        }
        name = "";
    }
    if (!name.empty() || settings.out.empty()) {
        llvm::errs() << PASS << ": names no folder for the tables; " << HELP << '\n';
        return false;
    }
    manager.addPass(WorkingSetPass(std::move(settings), true));
    return true;
}

const char *environment(const char *name)
{
    const char *value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nobody sets one
    return value == nullptr ? "" : value;
}

/* In clang's own pipeline, whose passes take no options: the environment has them. */
class FromEnvironment : public llvm::PassInfoMixin<FromEnvironment> {
  public:
    explicit FromEnvironment(const char *form) : form_(form) {}

    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &manager)
    {
        Settings settings;
        settings.form = form_;
        settings.options.job = environment("LAXITY_WORKINGSET_JOB");
        llvm::SmallString<128> folder(environment("LAXITY_WORKINGSET_OUT"));
        llvm::sys::path::append(folder, llvm::sys::path::stem(module.getSourceFileName()));
        settings.out = folder.str();
        return WorkingSetPass(std::move(settings), false).run(module, manager);
    }

    static bool isRequired()
    {
        return true;
    }

  private:
    const char *form_;
};

void add_to(llvm::PassBuilder &builder)
{
    builder.registerPipelineParsingCallback([](llvm::StringRef name,
                                               llvm::ModulePassManager &manager,
                                               llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        return add_named(name, manager);
    });
    if (*environment("LAXITY_WORKINGSET_OUT") == '\0') {
        return;
    }
    if (llvm::StringRef(environment("LAXITY_WORKINGSET_AT")) == "last") {
        builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager &manager,
                                                   llvm::OptimizationLevel) {
            manager.addPass(FromEnvironment("pipeline-end"));
        });
        return;
    }
    builder.registerPipelineStartEPCallback([](llvm::ModulePassManager &manager,
                                               llvm::OptimizationLevel) {
        manager.addPass(FromEnvironment("pipeline-start"));
    });
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, PASS, LAXITY_VERSION, add_to};
}
