// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/annotations.hpp"
#include "analysis/contexts.hpp"

#include <llvm/Support/Error.h>
#include <memory>
#include <string>
#include <vector>

namespace laxity::workingset {

struct Options {
    // Function that is one job; empty: benchmark_execution if the module has it, else the program
    // from main on.
    std::string job;
    std::vector<std::string>
        outputs; // globals that are read after a job by somebody who is not in the module
    // Contexts of one function that are told apart; further ones are joined and say so.
    unsigned context_limit = 4096;
    Annotations annotations;
    PointerAnalysis::Budget pointer_budget = {};
};

/* An annotation that says nothing of what it names, or what cannot be. */
struct Misapplied {
    std::string name;
    std::string reason;
};

/* One calling context: the calls on the stack have become what is live after them. */
struct CallingContext {
    const llvm::Function *function;
    LiveAfter after;
    uint64_t caller_ssa_bits = 0;
    const llvm::Function *copy = nullptr; // of the function, as the analysed module has it here
};

/*
 * The live working set of a module at every instruction.
 *
 * Call order: run() once, then any query. The module must not change and must outlive the analysis.
 *
 * What is analysed is a copy of the module (copies()), in which functions have a body per calling
 * situation. All questions and answers here are about the user's module, but for pointers() and
 * effects of cells(), which go by the instructions of the copy.
 */
class Analysis {
  public:
    /* Fails if there is no such root. */
    [[nodiscard]] static llvm::Expected<std::unique_ptr<Analysis>>
    run(const llvm::Module &module, const Options &options);

    [[nodiscard]] const llvm::Module &module() const
    {
        return module_;
    }
    [[nodiscard]] const ModuleIndex &index() const
    {
        return index_;
    }
    [[nodiscard]] const ObjectTable &objects() const
    {
        return *objects_;
    }
    [[nodiscard]] const PointerAnalysis &pointers() const
    {
        return *pointers_;
    }
    /* Of the user's functions. */
    [[nodiscard]] const CallGraph &graph() const
    {
        return *original_graph_;
    }
    [[nodiscard]] const ModuleCopies &copies() const
    {
        return *copies_;
    }
    /* Whether a path of the context's function leads there; constants may make it impossible. */
    [[nodiscard]] bool
    is_reached(const CallingContext &context, const llvm::Instruction &instruction) const;
    [[nodiscard]] const Cells &cells() const
    {
        return *cells_;
    }
    /* By number of the instruction. */
    [[nodiscard]] const Rows &rows() const
    {
        return rows_;
    }
    /* Of an instruction in one of the copies of its function; nullopt: the copy lacks it. */
    [[nodiscard]] std::optional<Row> row_of(const llvm::Function &copy, unsigned instruction) const;
    [[nodiscard]] bool is_job_mode() const
    {
        return is_job_mode_;
    }
    /* Names in the annotations that the module has nothing for. */
    [[nodiscard]] const std::vector<std::string> &unmatched_annotations() const
    {
        return unmatched_annotations_;
    }
    /* Those that name something, of which they cannot say that. */
    [[nodiscard]] const std::vector<Misapplied> &misapplied_annotations() const
    {
        return misapplied_annotations_;
    }
    /* What the figures rest on, in words: assumptions, annotations and fallbacks. */
    [[nodiscard]] const std::vector<std::string> &notes() const
    {
        return notes_;
    }

    /* The contexts in which functions are entered from outside: main, or the job and its hooks,
     * constructors, exit handlers. */
    [[nodiscard]] std::vector<CallingContext> root_contexts() const;
    /* The context of `callee` when `call`, in `context`, enters it; without a copy if it cannot. */
    [[nodiscard]] CallingContext enter(
        const CallingContext &context, const llvm::CallBase &call, const llvm::Function &callee
    ) const;
    /* Exactly what is live before an instruction of the context's function; of phis: after all phis
     * of the block. */
    [[nodiscard]] LiveSet
    live_before(const CallingContext &context, const llvm::Instruction &instruction) const;

    /* The cells of live_before() for all instructions of a block of the context's copy, in their
     * order. */
    [[nodiscard]] std::vector<CellSet>
    live_in_block(const CallingContext &context, const llvm::BasicBlock &block) const;

    /* All parts of the analysis, for those who look at the paths behind a live set. */
    [[nodiscard]] Solution solution() const;

  private:
    explicit Analysis(const llvm::Module &module);

    void copy_module(const Options &options);
    void find_original_graph();
    void solve(const Options &options);
    void mark_recursion();
    void mark_volatile(const Options &options);
    void solve_pointers(const Options &options, PointerAnalysis::Devices devices);
    void find_known_to_devices(const Options &options);
    [[nodiscard]] std::vector<unsigned>
    ask_for_devices(const Options &options, std::vector<unsigned> annotated) const;
    [[nodiscard]] PointerAnalysis ask_pointers(
        const Options &options, std::vector<unsigned> known, PointerAnalysis::Question question
    ) const;
    void mark_known_to_devices();
    void doubt_branches(const Options &options);
    void annotate_recursion();
    void annotate_objects();
    void annotate_object(Object &object, const ObjectBound &bound);
    void annotate_sharing();
    void annotate_registers();
    void annotate_buffers();
    void misapply(const std::string &name, const std::string &reason);
    [[nodiscard]] std::vector<Object *> find_memory(const std::string &name);
    void find_roots(const Options &options);
    void add_program_roots(const llvm::Function &main);
    void add_exit_roots(const LiveAfter &after);
    void add_job_roots(const llvm::Function &job, const Options &options);
    [[nodiscard]] llvm::SetVector<const llvm::Function *> find_handlers() const;
    void add_concurrent_roots();
    [[nodiscard]] CellSet live_after_process() const;
    [[nodiscard]] CellSet live_in(const llvm::Function *function) const;
    /* The copy of an instruction that a context goes through; nullptr: it cannot. */
    [[nodiscard]] const llvm::Instruction *
    find_copy(const CallingContext &context, const llvm::Instruction &instruction) const;
    [[nodiscard]] CellSet
    live_after(const CallingContext &context, const llvm::Instruction &instruction) const;
    [[nodiscard]] CellSet defined_before(const llvm::Instruction &instruction) const;

    const llvm::Module &module_;
    ModuleIndex index_;
    std::unique_ptr<ModuleCopies> copies_;
    std::unique_ptr<ModuleIndex> copy_index_;
    std::vector<unsigned> origins_; // by number in it
    std::unique_ptr<ObjectTable> objects_;
    std::unique_ptr<PointerAnalysis> pointers_;
    std::unique_ptr<CallGraph> graph_, original_graph_;
    std::unique_ptr<Cells> cells_;
    std::unique_ptr<Summaries> summaries_;
    std::unique_ptr<MayDefined> defined_;
    std::unique_ptr<SsaLiveness> ssa_;
    std::vector<Root> roots_;
    Rows rows_;
    std::vector<std::string> notes_, unmatched_annotations_;
    std::vector<Misapplied> misapplied_annotations_;
    std::map<unsigned, bool> volatile_; // objects, and whether somebody else may touch them
    std::vector<unsigned> known_to_devices_, given_by_code_; // objects, ascending
    Annotations annotations_;
    CellSet defined_before_roots_;
    bool is_job_mode_ = false;
};

/* Names for a note: no more than a reader looks at. */
[[nodiscard]] std::string join_first(llvm::ArrayRef<std::string> names);

} // namespace laxity::workingset
