// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/objects.hpp"

#include "analysis/byte_runs.hpp"
#include "analysis/external_models.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

namespace laxity::workingset {

namespace {

/* malloc(n), calloc(n, m): the bytes of one call, if they are constants. */
std::optional<uint64_t> requested_bytes(const llvm::CallBase &call, const ExternalModel &model)
{
    uint64_t bytes = 1;
    for (unsigned argument : model.size_arguments) {
        const auto *constant = argument < call.arg_size()
                                   ? llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(argument))
                                   : nullptr;
        if (constant == nullptr) {
            return std::nullopt;
        }
        bytes = llvm::SaturatingMultiply(bytes, constant->getLimitedValue());
    }
    const bool is_known =
        !model.size_arguments.empty() && bytes <= static_cast<uint64_t>(MAX_SPAN_BYTES);
    return is_known ? std::optional(bytes) : std::nullopt;
}

/* What the source calls the variable at this address; clang gives values no names of their own. */
std::string declared_name(const llvm::Value &value)
{
    // LLVM looks for what describes a value through pointers that could change it, and does not.
    auto &address =
        const_cast<llvm::Value &>(value); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    for (const llvm::DbgVariableRecord *record : llvm::findDVRDeclares(&address)) {
        return record->getVariable()->getName().str();
    }
    for (const llvm::DbgDeclareInst *declare : llvm::findDbgDeclares(&address)) {
        return declare->getVariable()->getName().str();
    }
    // Optimising clang keeps track of assignments instead of one address.
    if (const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&value)) {
        for (const llvm::DbgVariableRecord *record : llvm::at::getDVRAssignmentMarkers(alloca)) {
            return record->getVariable()->getName().str();
        }
    }
    return value.getName().str();
}

std::string declared_name(const llvm::GlobalVariable &global)
{
    llvm::SmallVector<llvm::DIGlobalVariableExpression *, 1> descriptions;
    global.getDebugInfo(descriptions);
    return descriptions.empty() ? global.getName().str()
                                : descriptions.front()->getVariable()->getName().str();
}

std::string value_name(const llvm::Value &value)
{
    const std::string name = value.hasName() ? value.getName().str() : declared_name(value);
    return name.empty() ? "" : ":" + name;
}

} // namespace

std::string Object::variable() const
{
    if (value == nullptr || kind == ObjectKind::Heap) {
        return "";
    }
    const auto *global = llvm::dyn_cast<llvm::GlobalVariable>(value);
    return global == nullptr ? declared_name(*value) : declared_name(*global);
}

ObjectTable::ObjectTable(const llvm::Module &module, const ModuleIndex &index)
{
    add(
        {.kind = ObjectKind::Environment,
         .storage = StorageClass::Heap,
         .value = nullptr,
         .function = nullptr,
         .name = "environment",
         .size_bytes = std::nullopt}
    );
    add_globals(module);
    has_allocator_in_memory_ = llvm::any_of(module, [](const llvm::Function &function) {
        const ExternalModel *model = find_external_model(function);
        return model != nullptr && model->returns_new && function.hasAddressTaken();
    });
    for (const llvm::Function &function : module) {
        if (!function.isDeclaration()) {
            add_frame(function, index);
        }
    }
    device_ = add(
        {.kind = ObjectKind::Environment,
         .storage = StorageClass::Heap,
         .value = nullptr,
         .function = nullptr,
         .name = "device",
         .size_bytes = std::nullopt}
    );
}

unsigned ObjectTable::add(Object object)
{
    const auto number = static_cast<unsigned>(objects_.size());
    if (object.value != nullptr) {
        numbers_[object.value] = number;
    }
    objects_.push_back(std::move(object));
    return number;
}

std::optional<unsigned> ObjectTable::find(const llvm::Value &value) const
{
    auto found = numbers_.find(&value);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<unsigned> ObjectTable::find_varargs(const llvm::Function &function) const
{
    auto found = varargs_.find(&function);
    return found == varargs_.end() ? std::nullopt : std::optional(found->second);
}

void ObjectTable::add_copies(const ModuleCopies &copies, const ModuleIndex &index)
{
    const auto add_copy = [&](const llvm::Value &copy) {
        const llvm::Value *original = copies.original(copy);
        if (const auto found = numbers_.find(original); found != numbers_.end()) {
            const unsigned number = found->second; // what is added next may move the entry
            numbers_[&copy] = number;
        }
    };
    for (const llvm::GlobalVariable &global : copies.module().globals()) {
        add_copy(global);
    }
    for (const llvm::Function &function : copies.module()) {
        const llvm::Function &original = copies.original(function);
        add_copy(function);
        originals_[&function] = &original;
        functions_.try_emplace(&original, &function);
        if (const std::optional<unsigned> unnamed = find_varargs(original)) {
            varargs_[&function] = *unnamed;
        }
        for (const llvm::Argument &argument : function.args()) {
            add_copy(argument);
        }
        for (const llvm::Instruction *site : index.calls_and_allocas(function)) {
            add_copy(*site);
        }
    }
}

const llvm::Function *ObjectTable::find_function(unsigned object) const
{
    const auto *function = llvm::cast<llvm::Function>(objects_[object].value);
    return originals_.empty() ? function : functions_.lookup(function);
}

void ObjectTable::add_globals(const llvm::Module &module)
{
    for (const llvm::Function &function : module) {
        add(
            {.kind = ObjectKind::Function,
             .storage = StorageClass::Constant,
             .value = &function,
             .function = nullptr,
             .name = function.getName().str(),
             .size_bytes = 0}
        );
    }
    for (const llvm::GlobalVariable &global : module.globals()) {
        llvm::Type *type = global.getValueType();
        const bool is_ours = !global.isDeclaration() && type->isSized();
        add(
            {.kind = is_ours ? ObjectKind::Global : ObjectKind::Environment,
             .storage = global.isConstant() ? StorageClass::Constant : StorageClass::Global,
             .value = &global,
             .function = nullptr,
             .name = global.getName().str(),
             .size_bytes = is_ours ? allocated_bytes(*type, module.getDataLayout()) : std::nullopt,
             // One variable per thread of one name.
             .has_many_instances = global.isThreadLocal()}
        );
    }
}

void ObjectTable::add_frame(const llvm::Function &function, const ModuleIndex &index)
{
    const llvm::DataLayout &layout = function.getParent()->getDataLayout();
    const std::string prefix = function.getName().str() + ":";
    for (const llvm::Argument &argument : function.args()) {
        if (argument.hasByValAttr()) {
            add(
                {.kind = ObjectKind::ByvalCopy,
                 .storage = StorageClass::Stack,
                 .value = &argument,
                 .function = &function,
                 .name =
                     prefix + "byval" + std::to_string(argument.getArgNo()) + value_name(argument),
                 .size_bytes = allocated_bytes(*argument.getParamByValType(), layout)}
            );
        }
    }
    if (function.isVarArg()) {
        varargs_[&function] = add(
            {.kind = ObjectKind::Varargs,
             .storage = StorageClass::Stack,
             .value = nullptr,
             .function = &function,
             .name = prefix + "varargs",
             .size_bytes = std::nullopt,
             .has_many_instances = true}
        );
    }
    unsigned allocas = 0;
    unsigned calls = 0;
    for (const llvm::Instruction *site : index.calls_and_allocas(function)) {
        if (const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(site)) {
            add(
                {.kind = ObjectKind::Alloca,
                 .storage = StorageClass::Stack,
                 .value = alloca,
                 .function = &function,
                 .name = prefix + std::to_string(allocas++) + value_name(*alloca),
                 .size_bytes = allocated_bytes(*alloca, layout),
                 .has_many_instances = !alloca->isStaticAlloca()}
            );
        } else {
            add_heap_site(*llvm::cast<llvm::CallBase>(site), calls++);
        }
    }
}

void ObjectTable::add_heap_site(const llvm::CallBase &call, unsigned number)
{
    const auto *callee =
        llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    const ExternalModel *model = callee == nullptr ? nullptr : find_external_model(*callee);
    const bool is_allocator = model != nullptr && model->returns_new;
    const bool may_be_allocator = callee == nullptr && has_allocator_in_memory_ &&
                                  !call.isInlineAsm() && call.getType()->isPointerTy();
    if (!is_allocator && !may_be_allocator) {
        return;
    }
    add(
        {.kind = ObjectKind::Heap,
         .storage = StorageClass::Heap,
         .value = &call,
         .function = call.getFunction(),
         .name = call.getFunction()->getName().str() + ":" +
                 (is_allocator ? callee->getName().str() : "call") + ":" + std::to_string(number),
         .size_bytes = is_allocator ? requested_bytes(call, *model) : std::nullopt,
         .has_many_instances = true}
    );
}

} // namespace laxity::workingset
