// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/analysis.hpp"

#include "analysis/constants.hpp"
#include "analysis/entries.hpp"
#include "analysis/external_models.hpp"
#include "analysis/faults.hpp"
#include "analysis/outside.hpp"
#include "analysis/process_end.hpp"
#include "analysis/specialise.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

namespace laxity::workingset {

std::string join_first(llvm::ArrayRef<std::string> names)
{
    constexpr size_t NAMED = 8;
    const std::string text = llvm::join(names.take_front(NAMED), ", ");
    return names.size() > NAMED ? text + " and " + std::to_string(names.size() - NAMED) + " more"
                                : text;
}

namespace {

constexpr const char *DEFAULT_JOB = "benchmark_execution";
constexpr const char *JOB_INIT = "benchmark_init";
constexpr const char *JOB_TEARDOWN = "benchmark_teardown";
constexpr const char *LOG_HEADER = "benchmark_log_header";
constexpr const char *LOG_DATA = "benchmark_log_data";

/* Of the functions that are entered from outside, whatever their linkage. */
llvm::StringSet<> entry_names(const Options &options)
{
    llvm::StringSet<> names;
    for (const char *name : {"main", DEFAULT_JOB, JOB_INIT, JOB_TEARDOWN, LOG_HEADER, LOG_DATA}) {
        names.insert(name);
    }
    names.insert(options.job);
    return names;
}

/* Cells as ranges of bytes, neighbours joined. */
std::vector<CellRange> ranges_of(const CellSet &live, const Cells &cells)
{
    std::vector<CellRange> ranges;
    for (unsigned number : live) {
        const Cell &cell = cells[number];
        const bool continues = !ranges.empty() && ranges.back().object == cell.object &&
                               ranges.back().end_byte == cell.first_byte;
        if (continues) {
            ranges.back().end_byte = cell.end_byte;
        } else {
            ranges.push_back(
                {.object = cell.object, .first_byte = cell.first_byte, .end_byte = cell.end_byte}
            );
        }
    }
    return ranges;
}

} // namespace

Analysis::Analysis(const llvm::Module &module) : module_(module), index_(module) {}

llvm::Expected<std::unique_ptr<Analysis>>
Analysis::run(const llvm::Module &module, const Options &options)
{
    const std::string root = options.job.empty() ? DEFAULT_JOB : options.job;
    if (find_defined(module, root) == nullptr &&
        (!options.job.empty() || find_defined(module, "main") == nullptr)) {
        const std::string wanted = options.job.empty() ? "main nor " + root : options.job;
        return llvm::createStringError(
            "the module defines no function " + wanted +
            "; name the function that is one job with --job"
        );
    }
    for (const std::string &output : options.outputs) {
        if (module.getNamedGlobal(output) == nullptr) {
            return llvm::createStringError(
                "the module has no global \"" + output +
                "\"; --output names one, as objects.csv does"
            );
        }
    }
    if (const llvm::Function *coroutine = find_unsplit_coroutine(module)) {
        return llvm::createStringError(
            "the coroutine " + coroutine->getName() +
            " is not split into the functions that go on in it; run opt-19 "
            "-passes='coro-early,cgscc(coro-split),coro-cleanup' before"
        );
    }
    if (const llvm::Function *jump = find_builtin_jump(module)) {
        return llvm::createStringError(
            "jumps by " + jump->getName() +
            " are not followed; use setjmp and longjmp, not __builtin_setjmp and __builtin_longjmp"
        );
    }
    if (const llvm::Function *function = find_funclets(module)) {
        return llvm::createStringError(
            "exceptions of " + function->getName() +
            " are handled in funclets, which are not followed; compile without exceptions, or for "
            "a "
            "target that unwinds by tables (x86_64-pc-linux-gnu)"
        );
    }
    if (const llvm::Function *function = find_value_without_size(module)) {
        return llvm::createStringError(
            "a value of " + function->getName() +
            " has no size that is known (a vector as long as the machine's, or more than 2^40 "
            "bytes); compile for one length of vectors (-msve-vector-bits, -mrvv-vector-bits)"
        );
    }
    std::unique_ptr<Analysis> analysis(new Analysis(module));
    analysis->solve(options);
    return analysis;
}

void Analysis::copy_module(const Options &options)
{
    annotations_ = options.annotations;
    objects_ = std::make_unique<ObjectTable>(module_, index_);
    copies_ = std::make_unique<ModuleCopies>(module_, index_);
    const llvm::StringSet<> entries = entry_names(options);
    if (const unsigned joined = specialise(*copies_, *objects_, entries)) {
        notes_.push_back(
            "situations: of " + std::to_string(joined) +
            " functions not all are told apart by what is passed, since there would be too many "
            "copies"
        );
    }
    propagate_constants(*copies_, entries);
    copy_index_ = std::make_unique<ModuleIndex>(copies_->module());
    objects_->add_copies(*copies_, *copy_index_);
    for (unsigned number = 0; number < copy_index_->size(); number++) {
        origins_.push_back(copies_->origin(copy_index_->instruction(number)));
    }
}

void Analysis::solve(const Options &options)
{
    copy_module(options);
    solve_pointers(options, {});
    find_known_to_devices(options);
    mark_known_to_devices();
    doubt_branches(options);
    annotate_recursion();
    annotate_objects();
    annotate_sharing();
    annotate_registers();
    annotate_buffers();
    cells_ = std::make_unique<Cells>(*objects_, *pointers_, *copy_index_, annotations_);
    summaries_ = std::make_unique<Summaries>(*graph_, *cells_, *pointers_, *copy_index_);
    find_roots(options);
    add_concurrent_roots();
    MayDefined::Roots roots;
    for (Root &root : roots_) {
        for (const Exit left : {Exit::Return, Exit::Unwind}) { // its own frame goes with it
            root.after[static_cast<size_t>(left)].subtract(cells_->frame(*root.function));
        }
        (root.is_late ? roots.late_functions : roots.functions).push_back(root.function);
    }
    roots.defined = defined_before_roots_;
    roots.is_everything = pointers_->has_second_returns();
    defined_ =
        std::make_unique<MayDefined>(roots, *objects_, *graph_, *cells_, *summaries_, *copy_index_);
    // Of the user's instructions: what became a constant here is in a register there.
    ssa_ = std::make_unique<SsaLiveness>(module_, index_);
    if (pointers_->is_fallback()) {
        notes_.emplace_back(
            "points-to: beyond its budget, every pointer may point to every object: "
            "all memory is always live"
        );
    } else if (pointers_->collapsed_objects() != 0) {
        notes_.push_back(
            "points-to: sets beyond their budget, " +
            std::to_string(pointers_->collapsed_objects()) +
            " objects (functions among them) are told apart no more: they are always live"
        );
    }
    if (pointers_->is_concurrent() && !annotations_.shared) {
        notes_.emplace_back(
            "threads or signals: all globals, what escapes and what these lead to are always live"
        );
    }
    if (const auto names = find_unknown_allocators(module_); !names.empty()) {
        notes_.push_back(
            "outside: what memory is handed out by " + join_first(names) +
            " is in no figure; the model table has no row for them"
        );
    }
    rows_ = evaluate_contexts(solution(), roots_, options.context_limit);
}

/* What every pointer may point to, and what rests on that alone. */
void Analysis::solve_pointers(const Options &options, PointerAnalysis::Devices devices)
{
    pointers_ = std::make_unique<PointerAnalysis>(
        copies_->module(), *objects_, options.pointer_budget, std::move(devices)
    );
    graph_ = std::make_unique<CallGraph>(copies_->module(), *copy_index_, *pointers_);
    find_original_graph();
    mark_recursion();
    mark_volatile(options);
}

Solution Analysis::solution() const
{
    return {
        .objects = *objects_,
        .graph = *graph_,
        .cells = *cells_,
        .summaries = *summaries_,
        .defined = *defined_,
        .ssa = *ssa_,
        .index = *copy_index_,
        .annotations = annotations_,
        .origins = origins_
    };
}

/* A call that no path leads to calls what it names. */
void Analysis::find_original_graph()
{
    const auto targets = [this](const llvm::CallBase &call) {
        llvm::SetVector<const llvm::Function *> callees;
        bool is_copied = false;
        for (const llvm::Function *function : copies_->copies(*call.getFunction())) {
            const llvm::Instruction *copy = copies_->find(*function, call);
            if (copy == nullptr) {
                continue;
            }
            is_copied = true;
            for (const llvm::Function *callee :
                 graph_->callees(llvm::cast<llvm::CallBase>(*copy))) {
                callees.insert(&copies_->original(*callee));
            }
        }
        if (!is_copied && call.getCalledFunction() != nullptr) {
            callees.insert(call.getCalledFunction());
        }
        return callees;
    };
    original_graph_ = std::make_unique<CallGraph>(module_, index_, targets);
}

/* What only the call graph tells: frames of recursive functions exist more than once. */
void Analysis::mark_recursion()
{
    const auto twice = find_entered_at_exit(*copies_, *copy_index_, *graph_, *pointers_);
    for (unsigned number = 0; number < objects_->size(); number++) {
        Object &object = objects_->at(number);
        if (object.storage != StorageClass::Stack) {
            continue;
        }
        for (const llvm::Function *copy : copies_->copies(*object.function)) {
            object.has_many_instances = object.has_many_instances || graph_->is_recursive(*copy);
        }
        if (!object.has_many_instances && twice.contains(object.function)) {
            object.has_many_instances = true;
            object.most_instances = 2;
        }
    }
}

/* What any access calls volatile, and somebody else may touch. */
void Analysis::mark_volatile(const Options &options)
{
    const Outside outside(module_, *objects_, *pointers_, *original_graph_, entry_names(options));
    volatile_ = find_volatile(*copy_index_, *pointers_, *objects_, outside);
    for (const auto &[number, is_touched] : volatile_) {
        Object &object = objects_->at(number);
        object.is_volatile = annotations_.registers
                                 ? llvm::is_contained(*annotations_.registers, object.name)
                                 : is_touched;
    }
}

CellSet Analysis::live_in(const llvm::Function *function) const
{
    return function == nullptr ? CellSet() : summaries_->entry(*function).live;
}

/* What exit() and the return from main still read. */
CellSet Analysis::live_after_process() const
{
    CellSet live;
    for (const llvm::Function *function : find_exit_functions(copies_->module(), *pointers_)) {
        live |= live_in(function);
    }
    for (const llvm::GlobalVariable *pointer : find_entry_pointers(copies_->module())) {
        live |= cells_->object_cells(objects_->number(*pointer));
    }
    // Code that nobody knows may have left an exit handler, or a stream one of our buffers.
    if (pointers_->has_unknown_functions()) {
        live |= cells_->escaped();
    }
    return live;
}

void Analysis::find_roots(const Options &options)
{
    const llvm::Module &module = copies_->module();
    const llvm::Function *job =
        find_defined(module, options.job.empty() ? DEFAULT_JOB : options.job);
    is_job_mode_ = job != nullptr;
    if (is_job_mode_) {
        add_job_roots(*job, options);
    } else {
        add_program_roots(*find_defined(module, "main"));
    }
}

void Analysis::add_program_roots(const llvm::Function &main)
{
    const CellSet ended = live_after_process();
    const LiveAfter after = {ended, CellSet(), ended};
    roots_.push_back({.function = &main, .after = after});
    CellSet after_constructors = live_at(summaries_->entry(main), after);
    const auto constructors = find_constructors(copies_->module());
    for (const llvm::Function *constructor : constructors) {
        after_constructors |= live_in(constructor);
    }
    after_constructors |= ended;
    for (const llvm::Function *constructor : constructors) {
        roots_.push_back({.function = constructor, .after = {after_constructors, CellSet(), ended}}
        );
        defined_before_roots_ |= summaries_->written(*constructor);
    }
    add_exit_roots(after);
    notes_.emplace_back("program mode: live from main to the last exit handler");
}

void Analysis::add_exit_roots(const LiveAfter &after)
{
    for (const llvm::Function *function : find_exit_functions(copies_->module(), *pointers_)) {
        roots_.push_back({.function = function, .after = after, .is_late = true});
    }
}

/*
 * A job is followed by the next one: what that reads before it writes is live after this one. With
 * L = what hooks and declared outputs read, the least fixpoint of X = L ∪ live ∪ (X \ killed) is L
 * ∪ live.
 */
void Analysis::add_job_roots(const llvm::Function &job, const Options &options)
{
    const llvm::Module &module = copies_->module();
    const llvm::Function *init = find_defined(module, JOB_INIT);
    const llvm::Function *teardown = find_defined(module, JOB_TEARDOWN);
    const llvm::Function *hooks[] = {
        find_defined(module, LOG_HEADER), find_defined(module, LOG_DATA)
    };
    const CellSet ended = live_after_process();
    CellSet live = ended;
    live |= live_in(&job);
    live |= live_in(teardown);
    for (const llvm::Function *hook : hooks) {
        live |= live_in(hook);
    }
    for (const std::string &name : options.outputs) {
        if (const llvm::GlobalVariable *output = module_.getNamedGlobal(name)) {
            live |= cells_->object_cells(objects_->number(*output));
            notes_.push_back("declared output, live after each job: " + name);
        }
    }
    if (has_fault(Fault::NextJobDropped)) {
        live.clear();
    }
    // Whoever catches an exception that leaves a job goes on with the next one, too.
    CellSet caught = live;
    caught |= cells_->escaped();
    const LiveAfter after = {live, caught, ended};
    for (const llvm::Function *function : {&job, init, hooks[0], hooks[1]}) {
        if (function != nullptr) {
            roots_.push_back({.function = function, .after = after});
        }
    }
    if (teardown != nullptr) {
        roots_.push_back({.function = teardown, .after = {ended, CellSet(), ended}});
    }
    add_exit_roots({ended, CellSet(), ended});
    // Whatever runs around the jobs may have made what they read.
    for (const llvm::Function &function : copies_->module()) {
        defined_before_roots_ |= summaries_->written(function);
    }
    notes_.push_back(
        "job mode: each job of " + job.getName().str() +
        " is followed by another or by teardown; what else is read of its results does not count"
    );
}

/*
 * What threads and signals begin with: functions that were named to who starts them, and those
 * that sigaction found in memory. Of the latter we know no more than that they escape, and that
 * nothing else enters them.
 */
llvm::SetVector<const llvm::Function *> Analysis::find_handlers() const
{
    llvm::SetVector<const llvm::Function *> handlers = pointers_->concurrent_functions();
    llvm::SetVector<const llvm::Function *> entered = handlers;
    for (const Root &root : roots_) {
        entered.insert(root.function);
    }
    for (size_t next = 0; next < entered.size(); next++) {
        const llvm::ArrayRef<const llvm::Function *> callees = graph_->callees(*entered[next]);
        entered.insert(callees.begin(), callees.end());
    }
    for (const llvm::Function *function : pointers_->escaped_functions()) {
        if (pointers_->is_concurrent() && function->hasAddressTaken() &&
            !entered.contains(function)) {
            handlers.insert(function);
        }
    }
    handlers.remove_if([](const llvm::Function *function) { return function->isDeclaration(); });
    return handlers;
}

void Analysis::add_concurrent_roots()
{
    std::vector<std::string> names;
    CellSet started;
    for (const llvm::Function *function : find_handlers()) {
        roots_.push_back({.function = function, .after = {}, .is_late = true});
        names.push_back(copies_->original(*function).getName().str());
        started |= live_in(function);
        defined_before_roots_ |= summaries_->written(*function);
    }
    // Each may begin once more: what is not shared it reads again.
    for (Root &root : roots_) {
        for (CellSet &after : root.after) {
            after |= started;
        }
    }
    if (!names.empty()) {
        notes_.push_back(
            "threads or signals: rows of " + join_first(names) +
            " and what they call are without what the function keeps that a signal interrupts"
        );
    }
}

std::vector<CallingContext> Analysis::root_contexts() const
{
    std::vector<CallingContext> contexts;
    contexts.reserve(roots_.size());
    for (const Root &root : roots_) {
        contexts.push_back(
            {.function = &copies_->original(*root.function),
             .after = root.after,
             .copy = root.function}
        );
    }
    return contexts;
}

std::optional<Row> Analysis::row_of(const llvm::Function &copy, unsigned instruction) const
{
    const llvm::Instruction *copied = copies_->find(copy, instruction);
    return copied == nullptr ? std::nullopt
                             : std::optional(rows_.of_copy(copy_index_->number(*copied)));
}

const llvm::Instruction *
Analysis::find_copy(const CallingContext &context, const llvm::Instruction &instruction) const
{
    return context.copy == nullptr ? nullptr : copies_->find(*context.copy, instruction);
}

bool Analysis::is_reached(const CallingContext &context, const llvm::Instruction &instruction) const
{
    const llvm::Instruction *copy = find_copy(context, instruction);
    return copy != nullptr && defined_->block_start(*copy->getParent()) != nullptr;
}

/* Of an instruction of a copy. */
CellSet
Analysis::live_after(const CallingContext &context, const llvm::Instruction &instruction) const
{
    const Solution all = solution();
    CellSet live = live_at_end(all, *instruction.getParent(), context.after);
    for (const llvm::Instruction &other : llvm::reverse(*instruction.getParent())) {
        if (&other == &instruction) {
            break;
        }
        step_back(all, other, context.after, live);
    }
    return live;
}

CallingContext Analysis::enter(
    const CallingContext &context, const llvm::CallBase &call, const llvm::Function &callee
) const
{
    CallingContext entered{.function = &callee, .after = {}};
    entered.caller_ssa_bits = context.caller_ssa_bits + ssa_->bits_across(index_.number(call));
    const auto *copied_call = llvm::cast_or_null<llvm::CallBase>(find_copy(context, call));
    if (copied_call == nullptr) {
        return entered;
    }
    for (const llvm::Function *copy : graph_->callees(*copied_call)) {
        if (&copies_->original(*copy) == &callee) {
            entered.copy = copy;
            entered.after = after_callee(
                solution(), *copied_call, *copy, live_after(context, *copied_call), context.after
            );
        }
    }
    return entered;
}

CellSet Analysis::defined_before(const llvm::Instruction &instruction) const
{
    CellSet defined;
    if (const CellSet *start = defined_->block_start(*instruction.getParent())) {
        defined = *start;
    }
    for (const llvm::Instruction &other : *instruction.getParent()) {
        if (&other == &instruction) {
            break;
        }
        defined_->step(other, defined);
    }
    return defined;
}

std::vector<CellSet>
Analysis::live_in_block(const CallingContext &context, const llvm::BasicBlock &block) const
{
    const Solution all = solution();
    std::vector<CellSet> sets;
    CellSet live = live_at_end(all, block, context.after);
    for (const llvm::Instruction &instruction : llvm::reverse(block)) {
        step_back(all, instruction, context.after, live);
        sets.push_back(live);
    }
    std::ranges::reverse(sets);
    CellSet defined;
    if (const CellSet *start = defined_->block_start(block)) {
        defined = *start;
    }
    for (auto [instruction, cells] : llvm::zip_equal(block, sets)) {
        cells &= defined;
        cells |= cells_->pinned();
        defined_->step(instruction, defined);
    }
    return sets;
}

LiveSet
Analysis::live_before(const CallingContext &context, const llvm::Instruction &instruction) const
{
    CellSet live;
    if (const llvm::Instruction *copy = find_copy(context, instruction)) {
        live = live_after(context, *copy);
        step_back(solution(), *copy, context.after, live);
        live &= defined_before(*copy);
    }
    live |= cells_->pinned();
    return {
        .ssa_bits = ssa_->bits_before(index_.number(instruction)),
        .caller_ssa_bits = context.caller_ssa_bits,
        .cells = ranges_of(live, *cells_)
    };
}

} // namespace laxity::workingset
