// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/accesses.hpp"
#include "analysis/constraints.hpp"
#include "analysis/type_infos.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IntrinsicInst.h>

/* What calls add to the constraints: arguments, results, and what the model table says of functions
 * that are only declared. */
namespace laxity::workingset {

namespace {

/* The environment keeps what argument `number` points to. */
bool escapes(const llvm::CallBase &call, unsigned number, const ExternalModel &model)
{
    return llvm::any_of(model.escapes, [&](unsigned escape) {
        return escape == number ||
               (escape == ModelAccess::VARIADIC && is_unnamed(call, number, model));
    });
}

/* What the runtime of C++ reads of the types that the call names. */
TypeInfos compared_types(const llvm::CallBase &call, const ExternalModel &model)
{
    TypeInfos types;
    for (const ModelAccess &read : model.reads) {
        if (read.extent.kind == Extent::Kind::TypeInfo) {
            const TypeInfos infos = find_type_infos(*call.getArgOperand(read.argument));
            types.insert(infos.begin(), infos.end());
        }
    }
    return types;
}

/* Of those that touch memory some do no more than to name it. */
bool moves_content(const llvm::IntrinsicInst &call)
{
    switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::vaend:
        return false;
    default:
        return call.mayReadOrWriteMemory() && !call.isLifetimeStartOrEnd() &&
               !call.isAssumeLikeIntrinsic() && !llvm::isa<llvm::AnyMemSetInst>(call);
    }
}

} // namespace

void PointerAnalysis::copy_contents(
    const llvm::Value &from_pointer,
    const llvm::Value &to_pointer,
    const llvm::Instruction &by,
    bool is_shared
)
{
    const unsigned between = solver_.make_node();
    solver_.add_load(node_of(from_pointer), between);
    add_indices(from_pointer, between);
    add_store(to_pointer, between, by, is_shared);
}

void PointerAnalysis::add_call(const llvm::CallBase &call)
{
    if (const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
        add_intrinsic(*intrinsic);
        return;
    }
    if (call.isInlineAsm()) {
        bind_unknown(call);
        give_to_device(call);
        return;
    }
    const llvm::Value *target = call.getCalledOperand()->stripPointerCastsAndAliases();
    if (const auto *callee = llvm::dyn_cast<llvm::Function>(target)) {
        bind(call, *callee);
        return;
    }
    indirect_calls_.insert(&call);
    watch(node_of(*call.getCalledOperand()), WatchKind::Call, &call);
}

void PointerAnalysis::add_intrinsic(const llvm::IntrinsicInst &call)
{
    if (const auto *transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(&call)) {
        copy_contents(
            *transfer->getRawSource(),
            *transfer->getRawDest(),
            call,
            transfer->isVolatile() || llvm::isa<llvm::AtomicMemIntrinsic>(call)
        );
        return;
    }
    if (const auto *fill = llvm::dyn_cast<llvm::AnyMemSetInst>(&call); fill && is_asked()) {
        add_store(
            *fill->getRawDest(),
            node_of(*fill->getValue()),
            call,
            fill->isVolatile() || llvm::isa<llvm::AtomicMemIntrinsic>(call)
        );
        return;
    }
    if (const auto *start = llvm::dyn_cast<llvm::VAStartInst>(&call)) {
        const std::optional<unsigned> varargs = objects_.find_varargs(*call.getFunction());
        const unsigned address = solver_.make_node();
        if (varargs) {
            solver_.add_address(address, *varargs);
        }
        solver_.add_store(node_of(*start->getArgList()), address);
        return;
    }
    if (const auto *copy = llvm::dyn_cast<llvm::VACopyInst>(&call)) {
        copy_contents(*copy->getSrc(), *copy->getDest(), call);
        return;
    }
    if (is_masked(call)) {
        add_masked(call);
    } else {
        add_other_intrinsic(call);
    }
}

/* Elements of vectors that are loaded and stored only where a mask says so. */
void PointerAnalysis::add_masked(const llvm::IntrinsicInst &call)
{
    if (call.getType()->isVoidTy()) {
        add_store(*call.getArgOperand(1), node_of(*call.getArgOperand(0)), call, false);
        return;
    }
    solver_.add_load(node_of(*call.getArgOperand(0)), node_of(call));
    const llvm::Value &otherwise = *call.getArgOperand(call.arg_size() - 1);
    solver_.add_copy(node_of(otherwise), node_of(call), 0);
}

/* The result may be made of any argument; of one that touches memory, of what is there, too, where
 * all of it may end up. */
void PointerAnalysis::add_other_intrinsic(const llvm::IntrinsicInst &call)
{
    const unsigned between = solver_.make_node();
    for (const llvm::Use &argument : call.args()) {
        if (!carries_pointer(*argument->getType())) {
            continue;
        }
        solver_.add_copy(node_of(*argument), between, std::nullopt);
        if (moves_content(call) &&
            (argument->getType()->isPointerTy() || argument->getType()->isVectorTy())) {
            solver_.add_load(node_of(*argument), between);
            add_store(*argument, between, call, false);
        }
    }
    if (moves_content(call)) {
        give_to_device(call);
    }
    if (carries_pointer(*call.getType())) {
        solver_.add_copy(between, node_of(call), std::nullopt);
    }
}

void PointerAnalysis::bind(const llvm::CallBase &call, const llvm::Function &callee)
{
    if (!callees_[&call].insert(&callee)) {
        return;
    }
    if (!callee.isDeclaration()) {
        bind_defined(call, callee);
        return;
    }
    const ExternalModel *model = find_external_model(callee);
    if (model != nullptr && holds_for(*model, call)) {
        bind_model(call, *model);
        return;
    }
    is_concurrent_ = is_concurrent_ || goes_on_beside_caller(callee);
    bind_unknown(call, &callee);
}

void PointerAnalysis::bind_defined(const llvm::CallBase &call, const llvm::Function &callee)
{
    add_entry(call, callee);
    for (unsigned i = 0; i < call.arg_size(); i++) {
        const llvm::Value &actual = *call.getArgOperand(i);
        if (!carries_pointer(*actual.getType())) {
            continue;
        }
        if (i >= callee.arg_size()) {
            bind_unnamed(call, i, callee);
        } else if (callee.getArg(i)->hasByValAttr()) {
            copy_contents(actual, *callee.getArg(i), call);
        } else {
            solver_.add_copy(node_of(actual), node_of(*callee.getArg(i)), 0);
        }
    }
    if (carries_pointer(*call.getType())) {
        solver_.add_copy(return_node(callee), node_of(call), 0);
    }
}

/* What va_arg finds: the argument, or the struct that is passed by value. */
void PointerAnalysis::bind_unnamed(
    const llvm::CallBase &call, unsigned number, const llvm::Function &callee
)
{
    const std::optional<unsigned> varargs = objects_.find_varargs(callee);
    if (!varargs) {
        return;
    }
    const unsigned actual = node_of(*call.getArgOperand(number));
    if (call.isByValArgument(number)) {
        solver_.add_load(actual, solver_.content(*varargs));
    } else {
        solver_.add_copy(actual, solver_.content(*varargs), 0);
    }
}

void PointerAnalysis::bind_model(const llvm::CallBase &call, const ExternalModel &model)
{
    const unsigned result = node_of(call);
    if (model.returned_argument && *model.returned_argument < call.arg_size()) {
        solver_.add_copy(
            node_of(*call.getArgOperand(*model.returned_argument)), result, std::nullopt
        );
    }
    if (model.returns_new) {
        if (const std::optional<unsigned> object = objects_.find(call)) {
            solver_.add_address(result, *object);
        } else {
            solver_.add_copy(escaped_, result, std::nullopt); // called through a pointer
        }
        // realloc hands on what the old block contained.
        if (model.returned_argument) {
            copy_contents(*call.getArgOperand(*model.returned_argument), call, call);
        }
    }
    if (model.returns_environment) {
        solver_.add_copy(escaped_, result, std::nullopt);
    }
    // What is read may turn up in what is written.
    for (const ModelAccess &read : model.reads) {
        for (const ModelAccess &write : model.writes) {
            if (std::max(read.argument, write.argument) < call.arg_size()) {
                copy_contents(
                    *call.getArgOperand(read.argument), *call.getArgOperand(write.argument), call
                );
            }
        }
    }
    for (const llvm::GlobalVariable *info : compared_types(call, model)) {
        node_of(*info);
    }
    for (unsigned i = 0; i < call.arg_size(); i++) {
        if (escapes(call, i, model)) {
            solver_.add_copy(node_of(*call.getArgOperand(i)), escaped_, 0);
        }
    }
    bind_effect(call, model);
}

void PointerAnalysis::bind_effect(const llvm::CallBase &call, const ExternalModel &model)
{
    const unsigned number = model.effect_arguments[0];
    const auto argument = [&](unsigned i) { return node_of(*call.getArgOperand(i)); };
    switch (model.effect) {
    case ExternalEffect::Calls:
        watch(argument(number), WatchKind::Callback, &call);
        break;
    case ExternalEffect::Atexit:
        watch(argument(number), WatchKind::Atexit, &call);
        break;
    case ExternalEffect::Stores: {
        const unsigned derived = solver_.make_node();
        solver_.add_copy(argument(number), derived, std::nullopt);
        add_store(*call.getArgOperand(model.effect_arguments[1]), derived, call, false);
        break;
    }
    case ExternalEffect::Concurrent:
        is_concurrent_ = true;
        if (number == ExternalModel::ANY) {
            solver_.add_load(argument(model.escapes.front()), escaped_);
        } else {
            watch(argument(number), WatchKind::Concurrent, &call);
        }
        break;
    default:
        break;
    }
}

/* `callee`: the function that is called; nullptr: none that this module knows. */
void PointerAnalysis::bind_unknown(const llvm::CallBase &call, const llvm::Function *callee)
{
    if (callee != nullptr ? may_hand_out_memory(*callee) : !is_empty_assembly(call)) {
        note_unknown_function();
    }
    const bool is_naked = call.getFunction()->hasFnAttribute(llvm::Attribute::Naked);
    if (!call.isInlineAsm() || is_naked || !call.doesNotAccessMemory()) {
        unknown_calls_.insert(&call);
    }
    for (const llvm::Use &argument : call.args()) {
        if (carries_pointer(*argument->getType())) {
            solver_.add_copy(node_of(*argument), escaped_, 0);
        }
    }
    if (carries_pointer(*call.getType())) {
        solver_.add_copy(escaped_, node_of(call), std::nullopt);
    }
}

void PointerAnalysis::bind_callback(const llvm::CallBase &call, const llvm::Function &callee)
{
    if (!callees_[&call].insert(&callee)) {
        return;
    }
    if (callee.isDeclaration()) {
        bind_unknown(call, &callee);
        return;
    }
    add_entry(call, callee);
    const std::optional<unsigned> varargs = objects_.find_varargs(callee);
    for (const llvm::Use &argument : call.args()) {
        if (!carries_pointer(*argument->getType())) {
            continue;
        }
        for (const llvm::Argument &parameter : callee.args()) {
            solver_.add_copy(node_of(*argument), node_of(parameter), std::nullopt);
        }
        if (varargs) {
            solver_.add_copy(node_of(*argument), solver_.content(*varargs), std::nullopt);
        }
    }
}

void PointerAnalysis::escape_function(const llvm::Function &function)
{
    if (!escaped_functions_.insert(&function) || function.isDeclaration()) {
        return;
    }
    for (const llvm::Argument &parameter : function.args()) {
        solver_.add_copy(escaped_, node_of(parameter), std::nullopt);
    }
    if (const std::optional<unsigned> varargs = objects_.find_varargs(function)) {
        solver_.add_copy(escaped_, solver_.content(*varargs), std::nullopt);
    }
    solver_.add_copy(return_node(function), escaped_, 0);
}

void PointerAnalysis::on_target(unsigned tag, unsigned object)
{
    const Watch watched = watches_[tag];
    if (watched.kind >= WatchKind::Store) {
        on_device_target(watched, object);
        return;
    }
    if (object == ObjectTable::ENVIRONMENT) {
        if (watched.kind == WatchKind::Call || watched.kind == WatchKind::Callback) {
            bind_unknown(*watched.call);
        }
        return;
    }
    if (objects_[object].kind != ObjectKind::Function) {
        return;
    }
    const llvm::Function *found = objects_.find_function(object);
    if (found == nullptr) {
        return;
    }
    const llvm::Function &function = *found;
    switch (watched.kind) {
    case WatchKind::Call:
        bind(*watched.call, function);
        break;
    case WatchKind::Callback:
        bind_callback(*watched.call, function);
        break;
    case WatchKind::Escape:
        escape_function(function);
        break;
    case WatchKind::Concurrent:
        concurrent_functions_.insert(&function);
        escape_function(function);
        break;
    case WatchKind::Atexit:
        exit_functions_.insert(&function);
        escape_function(function);
        break;
    default:
        break;
    }
}

bool PointerAnalysis::bind_unresolved()
{
    bool has_changed = false;
    for (const llvm::CallBase *call : indirect_calls_) {
        if (!callees_[call].empty() || unknown_calls_.contains(call)) {
            continue;
        }
        has_changed = true;
        bind_unknown(*call);
        for (const llvm::Function &function : module_) {
            if (function.hasAddressTaken()) {
                bind(*call, function);
            }
        }
    }
    return has_changed;
}

} // namespace laxity::workingset
