// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/analysis.hpp"

#include "analysis/constants.hpp"
#include "analysis/faults.hpp"
#include "analysis/specialise.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace laxity::workingset {

namespace {

constexpr const char *DEFAULT_JOB = "benchmark_execution";
constexpr const char *JOB_INIT = "benchmark_init";
constexpr const char *JOB_TEARDOWN = "benchmark_teardown";
constexpr const char *LOG_HEADER = "benchmark_log_header";
constexpr const char *LOG_DATA = "benchmark_log_data";

const llvm::Function *find_defined(const llvm::Module &module, llvm::StringRef name)
{
    const llvm::Function *function = module.getFunction(name);
    return function == nullptr || function->isDeclaration() ? nullptr : function;
}

/* The functions of llvm.global_ctors or llvm.global_dtors. */
std::vector<const llvm::Function *> listed_functions(const llvm::Module &module, const char *list)
{
    std::vector<const llvm::Function *> functions;
    const llvm::GlobalVariable *variable = module.getNamedGlobal(list);
    if (variable == nullptr || !variable->hasInitializer()) {
        return functions;
    }
    for (const llvm::Use &entry : variable->getInitializer()->operands()) {
        const auto *fields = llvm::dyn_cast<llvm::ConstantStruct>(entry);
        const auto *function =
            fields == nullptr ? nullptr : llvm::dyn_cast<llvm::Function>(fields->getOperand(1));
        if (function != nullptr && !function->isDeclaration()) {
            functions.push_back(function);
        }
    }
    return functions;
}

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

bool calls_setjmp(const llvm::Module &module)
{
    for (const llvm::Function &function : module) {
        if (function.hasFnAttribute(llvm::Attribute::ReturnsTwice)) {
            return true;
        }
    }
    return false;
}

/* What earlier parts have freed lies between what is kept, so nothing large fits in there. */
void return_free_memory()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
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
    std::unique_ptr<Analysis> analysis(new Analysis(module));
    analysis->solve(options);
    return analysis;
}

void Analysis::copy_module(const Options &options)
{
    annotations_ = options.annotations;
    objects_ = std::make_unique<ObjectTable>(module_);
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
    objects_->add_copies(*copies_);
    copy_index_ = std::make_unique<ModuleIndex>(copies_->module());
    for (unsigned number = 0; number < copy_index_->size(); number++) {
        origins_.push_back(copies_->origin(copy_index_->instruction(number)));
    }
}

void Analysis::solve(const Options &options)
{
    copy_module(options);
    pointers_ =
        std::make_unique<PointerAnalysis>(copies_->module(), *objects_, options.pointer_budget);
    graph_ = std::make_unique<CallGraph>(copies_->module(), *pointers_);
    find_original_graph();
    mark_objects();
    annotate_recursion();
    annotate_objects();
    annotate_sharing();
    cells_ = std::make_unique<Cells>(*objects_, *pointers_, *copy_index_, annotations_);
    summaries_ = std::make_unique<Summaries>(*graph_, *cells_, *pointers_, *copy_index_);
    find_roots(options);
    for (const llvm::Function *function : pointers_->concurrent_functions()) {
        if (!function->isDeclaration()) {
            roots_.push_back({.function = function, .after = {}, .is_late = true});
        }
    }
    MayDefined::Roots roots;
    for (Root &root : roots_) {
        for (const Exit left : {Exit::Return, Exit::Unwind}) { // its own frame goes with it
            root.after[static_cast<size_t>(left)].subtract(cells_->frame(*root.function));
        }
        (root.is_late ? roots.late_functions : roots.functions).push_back(root.function);
    }
    roots.defined = defined_before_roots_;
    roots.is_everything = calls_setjmp(module_);
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
        notes_.emplace_back("threads or signals: all globals and what escapes are always live");
    }
    return_free_memory(); // the rows are the largest part of all
    rows_ = Rows(evaluate_contexts(solution(), roots_, options.context_limit), solution());
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
    original_graph_ = std::make_unique<CallGraph>(module_, targets);
}

/* What only the call graph tells: frames of recursive functions exist more than once; and what any
 * access calls volatile. */
void Analysis::mark_objects()
{
    for (unsigned number = 0; number < objects_->size(); number++) {
        Object &object = objects_->at(number);
        if (object.storage != StorageClass::Stack) {
            continue;
        }
        for (const llvm::Function *copy : copies_->copies(*object.function)) {
            object.has_many_instances = object.has_many_instances || graph_->is_recursive(*copy);
        }
    }
    for (unsigned number = 0; number < copy_index_->size(); number++) {
        for (const Access &access :
             find_accesses(copy_index_->instruction(number), *pointers_).accesses) {
            for (const Location &place : access.places) {
                Object &object = objects_->at(place.object);
                const bool is_register = !annotations_.registers ||
                                         llvm::is_contained(*annotations_.registers, object.name);
                object.is_volatile = object.is_volatile || (access.is_volatile && is_register);
            }
        }
    }
}

void Analysis::annotate_recursion()
{
    for (const auto &[name, activations] : annotations_.recursion) {
        const llvm::Function *function = find_defined(module_, name);
        // A recursive function has one copy.
        if (function == nullptr || !graph_->is_recursive(*copies_->copies(*function).front())) {
            unmatched_annotations_.push_back(name);
            continue;
        }
        for (unsigned number = 0; number < objects_->size(); number++) {
            Object &object = objects_->at(number);
            // A variable of run-time size may be made in a loop, too.
            const auto *alloca = llvm::dyn_cast_if_present<llvm::AllocaInst>(object.value);
            const bool is_per_activation = alloca == nullptr || alloca->isStaticAlloca();
            if (object.function == function && object.storage == StorageClass::Stack &&
                object.kind != ObjectKind::Varargs && is_per_activation) {
                object.most_instances = activations;
            }
        }
        notes_.push_back(
            "annotated: at most " + std::to_string(activations) + " activations of " + name +
            " at once"
        );
    }
}

void Analysis::annotate_objects()
{
    for (const auto &[name, bound] : annotations_.objects) {
        bool is_known = false;
        for (unsigned number = 0; number < objects_->size(); number++) {
            Object &object = objects_->at(number);
            if (object.name != name || object.kind == ObjectKind::Function ||
                object.kind == ObjectKind::Environment) {
                continue;
            }
            is_known = true;
            if (bound.instances && object.has_many_instances) {
                object.most_instances = bound.instances;
                notes_.push_back(
                    "annotated: at most " + std::to_string(*bound.instances) + " of " + name
                );
            }
            if (bound.bytes && !object.size_bytes) {
                object.size_bytes = bound.bytes;
                notes_.push_back(
                    "annotated: " + name + " has at most " + std::to_string(*bound.bytes) + " bytes"
                );
            }
        }
        if (!is_known) {
            unmatched_annotations_.push_back(name);
        }
    }
}

/* Names as one text; those that the program has no object for are noted. */
std::string Analysis::match_objects(const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names) {
        const bool is_known = llvm::any_of(llvm::seq(0U, objects_->size()), [&](unsigned number) {
            return (*objects_)[number].name == name;
        });
        if (!is_known) {
            unmatched_annotations_.push_back(name);
        }
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

void Analysis::annotate_sharing()
{
    if (annotations_.shared) {
        const std::string names = match_objects(*annotations_.shared);
        if (pointers_->is_concurrent()) {
            notes_.push_back(
                "annotated: threads and signals share " +
                (names.empty() ? "nothing" : "only " + names)
            );
        }
    }
    if (annotations_.registers) {
        const std::string names = match_objects(*annotations_.registers);
        notes_.push_back(
            "annotated: registers of devices are " + (names.empty() ? "none" : "only " + names) +
            "; other volatile objects are memory"
        );
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
    for (const llvm::Function *function : pointers_->exit_functions()) {
        live |= live_in(function);
    }
    for (const llvm::Function *function :
         listed_functions(copies_->module(), "llvm.global_dtors")) {
        live |= live_in(function);
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
    const auto constructors = listed_functions(copies_->module(), "llvm.global_ctors");
    for (const llvm::Function *constructor : constructors) {
        after_constructors |= live_in(constructor);
    }
    after_constructors |= ended;
    for (const llvm::Function *constructor : constructors) {
        roots_.push_back({.function = constructor, .after = {after_constructors, CellSet(), ended}}
        );
    }
    for (const llvm::Function *function : pointers_->exit_functions()) {
        if (!function->isDeclaration()) {
            roots_.push_back({.function = function, .after = after, .is_late = true});
        }
    }
    for (const llvm::Function *function :
         listed_functions(copies_->module(), "llvm.global_dtors")) {
        roots_.push_back({.function = function, .after = after, .is_late = true});
    }
    notes_.emplace_back("program mode: live from main to the last exit handler");
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
    const LiveAfter after = {live, CellSet(), ended};
    for (const llvm::Function *function : {&job, init, hooks[0], hooks[1]}) {
        if (function != nullptr) {
            roots_.push_back({.function = function, .after = after});
            defined_before_roots_ |= summaries_->written(*function);
        }
    }
    if (teardown != nullptr) {
        roots_.push_back({.function = teardown, .after = {ended, CellSet(), ended}});
        defined_before_roots_ |= summaries_->written(*teardown);
    }
    notes_.push_back(
        "job mode: each job of " + job.getName().str() + " is followed by another or by teardown"
    );
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

const Row *Analysis::row_of(const llvm::Function &copy, const llvm::Instruction &instruction) const
{
    const llvm::Instruction *copied = copies_->find(copy, instruction);
    return copied == nullptr ? nullptr : &rows_.of_copy(copy_index_->number(*copied));
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
