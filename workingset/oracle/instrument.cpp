// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "instrument.hpp"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "numbering.hpp"
#include "runtime/trace_words.h"

#include <cstdint>
#include <set>
#include <string>

namespace laxity::workingset::oracle {

namespace {

enum class External : uint8_t {
    Unknown,
    Plain,
    Wrapped,
    Saves
};

External external_kind(llvm::StringRef name)
{
    return llvm::StringSwitch<External>(name)
#define PLAIN(name) .Case(#name, External::Plain)
#define WRAPPED(name) .Case(#name, External::Wrapped)
#define SAVES(name) .Case(#name, External::Saves)
#include "externals.def"
        .Default(External::Unknown);
}

// Of glibc: a jmp_buf with its signal mask, and a va_list.
struct TargetSizes {
    uint64_t jump_buffer_bytes;
    uint64_t va_list_bytes;
};

llvm::Expected<TargetSizes> find_target_sizes(const llvm::Module &module)
{
    const llvm::Triple triple(module.getTargetTriple());
    switch (triple.getArch()) {
    case llvm::Triple::x86_64:
        return TargetSizes{.jump_buffer_bytes = 200, .va_list_bytes = 24};
    case llvm::Triple::x86:
        return TargetSizes{.jump_buffer_bytes = 156, .va_list_bytes = 4};
    case llvm::Triple::arm:
    case llvm::Triple::thumb:
        return TargetSizes{.jump_buffer_bytes = 392, .va_list_bytes = 4};
    case llvm::Triple::aarch64:
        return TargetSizes{.jump_buffer_bytes = 312, .va_list_bytes = 32};
    default:
        return llvm::createStringError(
            "the oracle knows x86, ARM and their 64-bit forms, not " + module.getTargetTriple()
        );
    }
}

class Instrumenter {
  public:
    Instrumenter(llvm::Module &module, TargetSizes sizes)
        : module_(module), layout_(module.getDataLayout()), context_(module.getContext()),
          sizes_(sizes), numbering_(module)
    {
    }

    llvm::Error run();

  private:
    void refuse_unknown();
    void wrap_externals();
    void instrument_function(llvm::Function &function);
    void instrument_instruction(uint32_t number, llvm::Value *context);
    void trace_access(llvm::Instruction &instruction);
    void trace_alloca(llvm::AllocaInst &alloca, uint32_t number);
    void trace_call(llvm::CallBase &call, uint32_t number, llvm::Value *context);
    void trace_intrinsic(llvm::IntrinsicInst &intrinsic);
    void trace_by_value(llvm::CallBase &call);
    void trace_landing(llvm::LandingPadInst &landing);
    void add_registration();

    llvm::Value *word32(uint32_t value)
    {
        return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), value);
    }
    llvm::Value *word64(uint64_t value)
    {
        return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), value);
    }
    // Unwinding must not end in our calls, which a call without this attribute could in the eyes of
    // later passes.
    void call(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> words)
    {
        std::vector<llvm::Type *> types;
        for (llvm::Value *word : words) {
            types.push_back(word->getType());
        }
        auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), types, false);
        builder.CreateCall(module_.getOrInsertFunction(name, type), words)->setDoesNotThrow();
    }

    llvm::Module &module_;
    const llvm::DataLayout &layout_;
    llvm::LLVMContext &context_;
    TargetSizes sizes_;
    Numbering numbering_;
    std::set<std::string> unknown_;
};

// Inline assembler that names no memory is nothing; with a clobber or an operand of it, what it
// does is not known.
bool is_opaque_asm(const llvm::Instruction &instruction)
{
    const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call && call->isInlineAsm() && call->mayReadOrWriteMemory() &&
           !call->onlyAccessesInaccessibleMemory() &&
           !llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString().empty();
}

bool is_harmless_intrinsic(const llvm::IntrinsicInst &intrinsic)
{
    switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::vaend:
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::invariant_start:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::frameaddress:
    case llvm::Intrinsic::returnaddress:
        return true;
    default:
        return !intrinsic.mayReadOrWriteMemory() || intrinsic.onlyAccessesInaccessibleMemory() ||
               traced_as(intrinsic) != Traced::Nothing;
    }
}

void Instrumenter::refuse_unknown()
{
    for (llvm::Function &function : module_) {
        if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
            external_kind(function.getName()) == External::Unknown) {
            unknown_.insert(function.getName().str());
        }
    }
    for (llvm::Instruction *instruction : numbering_.instructions) {
        const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
        if (intrinsic && !is_harmless_intrinsic(*intrinsic)) {
            unknown_.insert(intrinsic->getCalledFunction()->getName().str());
        }
        if (is_opaque_asm(*instruction)) {
            unknown_.insert("inline assembler in " + instruction->getFunction()->getName().str());
        }
        if (llvm::isa<llvm::VAArgInst>(instruction)) {
            unknown_.insert("va_arg instruction in " + instruction->getFunction()->getName().str());
        }
    }
}

void Instrumenter::wrap_externals()
{
    std::vector<llvm::Function *> wrapped;
    for (llvm::Function &function : module_) {
        if (function.isDeclaration() && external_kind(function.getName()) == External::Wrapped) {
            wrapped.push_back(&function);
        }
    }
    for (llvm::Function *function : wrapped) {
        llvm::FunctionCallee wrapper = module_.getOrInsertFunction(
            "laxity_traced_" + function->getName().str(), function->getFunctionType()
        );
        auto *declaration = llvm::cast<llvm::Function>(wrapper.getCallee());
        if (function->hasFnAttribute(llvm::Attribute::ReturnsTwice)) {
            declaration->addFnAttr(llvm::Attribute::ReturnsTwice);
        }
        function->replaceAllUsesWith(declaration);
    }
}

void Instrumenter::trace_access(llvm::Instruction &instruction)
{
    llvm::IRBuilder<> builder(&instruction);
    llvm::Value *address = nullptr;
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        address = load->getPointerOperand();
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        address = store->getPointerOperand();
    } else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
        address = update->getPointerOperand();
    } else {
        address = llvm::cast<llvm::AtomicCmpXchgInst>(instruction).getPointerOperand();
    }
    call(builder, "laxity_trace_access", {address});
}

void Instrumenter::trace_alloca(llvm::AllocaInst &alloca, uint32_t number)
{
    llvm::IRBuilder<> builder(alloca.getNextNode());
    llvm::Value *count = builder.CreateZExtOrTrunc(alloca.getArraySize(), builder.getInt64Ty());
    llvm::Value *size_bytes =
        builder.CreateMul(count, word64(layout_.getTypeAllocSize(alloca.getAllocatedType())));
    llvm::Value *is_constant = word32(numbering_.traced[number] == Traced::Access);
    call(builder, "laxity_trace_alloca", {word32(number), &alloca, size_bytes, is_constant});
}

void Instrumenter::trace_by_value(llvm::CallBase &call_site)
{
    llvm::IRBuilder<> builder(&call_site);
    for (unsigned i = 0; i < call_site.arg_size(); i++) {
        if (call_site.isByValArgument(i)) {
            uint64_t size_bytes = layout_.getTypeAllocSize(call_site.getParamByValType(i));
            call(builder, "laxity_trace_read", {call_site.getArgOperand(i), word64(size_bytes)});
        }
    }
}

// What the runtime of C++ has read to find this handler: of the type information that the clauses
// name, the virtual table and the name. As the block's first words they stand between the call that
// threw and what the block does.
void Instrumenter::trace_landing(llvm::LandingPadInst &landing)
{
    llvm::BasicBlock &block = *landing.getParent();
    llvm::IRBuilder<> builder(&block, block.getFirstInsertionPt());
    for (unsigned i = 0; i < landing.getNumClauses(); i++) {
        llvm::Value *type_info = landing.getClause(i)->stripPointerCasts();
        if (landing.isCatch(i) && llvm::isa<llvm::GlobalVariable>(type_info)) {
            call(
                builder, "laxity_trace_read", {type_info, word64(2ULL * layout_.getPointerSize())}
            );
        }
    }
}

void Instrumenter::trace_intrinsic(llvm::IntrinsicInst &intrinsic)
{
    llvm::IRBuilder<> builder(&intrinsic);
    if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&intrinsic)) {
        llvm::Value *size_bytes =
            builder.CreateZExtOrTrunc(memory->getLength(), builder.getInt64Ty());
        if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(memory)) {
            call(builder, "laxity_trace_read", {transfer->getRawSource(), size_bytes});
        }
        call(builder, "laxity_trace_write", {memory->getRawDest(), size_bytes});
        return;
    }
    switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::vacopy:
        call(
            builder, "laxity_trace_read", {intrinsic.getArgOperand(1), word64(sizes_.va_list_bytes)}
        );
        [[fallthrough]];
    case llvm::Intrinsic::vastart:
        call(
            builder,
            "laxity_trace_write",
            {intrinsic.getArgOperand(0), word64(sizes_.va_list_bytes)}
        );
        return;
    default: { // lifetime markers: -1 means the whole object
        auto *object =
            llvm::dyn_cast<llvm::AllocaInst>(intrinsic.getArgOperand(1)->stripPointerCasts());
        auto size = object ? object->getAllocationSize(layout_) : std::nullopt;
        if (size) {
            call(builder, "laxity_trace_forget", {object, word64(size->getFixedValue())});
        }
    }
    }
}

void Instrumenter::trace_call(llvm::CallBase &call_site, uint32_t number, llvm::Value *context)
{
    llvm::IRBuilder<> builder(&call_site);
    call(builder, "laxity_trace_call", {word32(number), context});
    if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call_site)) {
        trace_intrinsic(*intrinsic);
        return;
    }
    trace_by_value(call_site);
    const llvm::Function *callee = call_site.getCalledFunction();
    if (callee && external_kind(callee->getName()) == External::Saves) {
        call(
            builder,
            "laxity_trace_write",
            {call_site.getArgOperand(0), word64(sizes_.jump_buffer_bytes)}
        );
    }
    if (auto *plain = llvm::dyn_cast<llvm::CallInst>(&call_site)) {
        plain->setTailCallKind(llvm::CallInst::TCK_None);
    }
}

void Instrumenter::instrument_instruction(uint32_t number, llvm::Value *context)
{
    llvm::Instruction &instruction = *numbering_.instructions[number];
    auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    auto *call_site = llvm::dyn_cast<llvm::CallBase>(&instruction);
    Traced traced = numbering_.traced[number];
    if (auto *landing = llvm::dyn_cast<llvm::LandingPadInst>(&instruction)) {
        trace_landing(*landing);
    } else if (alloca) {
        trace_alloca(*alloca, number);
    } else if (call_site && traced != Traced::Nothing) {
        trace_call(*call_site, number, context);
    } else if (traced == Traced::Access) {
        trace_access(instruction);
    } else if (traced == Traced::Terminator) {
        llvm::IRBuilder<> builder(&instruction);
        call(builder, "laxity_trace_segment", {word32(number), context});
    }
}

void Instrumenter::instrument_function(llvm::Function &function)
{
    uint32_t first = numbering_.number(function.getEntryBlock().front());
    uint32_t count = function.getInstructionCount();
    llvm::IRBuilder<> builder(&function.getEntryBlock().front());
    auto *type = llvm::FunctionType::get(builder.getInt32Ty(), {builder.getInt32Ty()}, false);
    auto *context = builder.CreateCall(
        module_.getOrInsertFunction("laxity_trace_enter", type),
        {word32(numbering_.number(function))}
    );
    context->setDoesNotThrow();
    for (uint32_t i = 0; i < numbering_.arguments.size(); i++) {
        llvm::Argument *argument = numbering_.arguments[i];
        if (argument->getParent() == &function) {
            uint64_t size_bytes = layout_.getTypeAllocSize(argument->getParamByValType());
            call(
                builder,
                "laxity_trace_birth",
                {word32(LAXITY_TRACE_ARGUMENT), word32(i), argument, word64(size_bytes)}
            );
            call(builder, "laxity_trace_write", {argument, word64(size_bytes)});
        }
    }
    for (uint32_t i = first; i < first + count; i++) {
        instrument_instruction(i, context);
    }
}

// Before any constructor of the program runs, the trace says where its global variables are.
void Instrumenter::add_registration()
{
    auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), false);
    auto *function = llvm::Function::Create(
        type, llvm::GlobalValue::InternalLinkage, "laxity_trace_globals", module_
    );
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context_, "", function));
    for (uint32_t i = 0; i < numbering_.globals.size(); i++) {
        llvm::GlobalVariable *global = numbering_.globals[i];
        // Two constants at one address would be one object.
        global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::None);
        // What is only declared (stdout) is the environment's, of which no byte is counted.
        if (global->isDeclaration() || !global->getValueType()->isSized() ||
            global->getName().starts_with("llvm.")) {
            continue;
        }
        uint64_t size_bytes = layout_.getTypeAllocSize(global->getValueType());
        call(
            builder,
            "laxity_trace_birth",
            {word32(LAXITY_TRACE_GLOBAL), word32(i), global, word64(size_bytes)}
        );
    }
    builder.CreateRetVoid();
    llvm::appendToGlobalCtors(module_, function, 0);
}

llvm::Error Instrumenter::run()
{
    if (!module_.ifunc_empty()) {
        // The loader calls what chooses it before the program, and the trace, can begin.
        return llvm::createStringError(
            "the indirect function (ifunc) " + module_.ifuncs().begin()->getName() +
            " is chosen before a trace can begin; compile without"
        );
    }
    refuse_unknown();
    if (!unknown_.empty()) {
        std::string names;
        for (const std::string &name : unknown_) {
            names += (names.empty() ? "" : ", ") + name;
        }
        return llvm::createStringError("no wrapper says what these read and write: " + names);
    }
    for (llvm::Function *function : numbering_.functions) {
        // A body from a header (bsearch) is the one that was analysed; the linker would take the C
        // library's.
        if (function->hasAvailableExternallyLinkage()) {
            function->setLinkage(llvm::GlobalValue::InternalLinkage);
        }
        instrument_function(*function);
    }
    wrap_externals();
    add_registration();
    return llvm::Error::success();
}

} // namespace

llvm::Error instrument(llvm::Module &module)
{
    llvm::Expected<TargetSizes> sizes = find_target_sizes(module);
    if (!sizes) {
        return sizes.takeError();
    }
    return Instrumenter(module, *sizes).run();
}

} // namespace laxity::workingset::oracle
