// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/constraints.hpp"

#include "analysis/assembly_names.hpp"
#include "analysis/entries.hpp"
#include "analysis/type_infos.hpp"

#include <algorithm>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace laxity::workingset {

namespace {

using Nodes = llvm::DenseMap<const llvm::Value *, unsigned>;
using SetUses = llvm::MapVector<unsigned, uint64_t>; // per set

void add_uses(
    const llvm::Instruction &instruction,
    const PointsToSolver &solver,
    const Nodes &nodes,
    SetUses &uses
)
{
    if (!instruction.mayReadOrWriteMemory()) {
        return;
    }
    for (const llvm::Use &operand : instruction.operands()) {
        if (auto node = nodes.find(operand.get()); node != nodes.end()) {
            uses[solver.set_number(node->second)]++;
        }
    }
}

/* How often accesses use each set. */
SetUses count_uses(const llvm::Module &module, const PointsToSolver &solver, const Nodes &nodes)
{
    SetUses uses;
    for (const llvm::Function &function : module) {
        for (const llvm::Instruction &instruction : llvm::instructions(function)) {
            add_uses(instruction, solver, nodes, uses);
        }
    }
    return uses;
}

/* What other modules may name, and the assembly beside the functions of this one, has escaped. */
void add_named_outside(
    const llvm::Module &module, const ObjectTable &objects, unsigned escaped, PointsToSolver &solver
)
{
    const AssemblyNames assembly(module);
    for (const llvm::GlobalValue &global : module.global_values()) {
        // main is called once, by the start-up code.
        const bool is_outer =
            !global.hasLocalLinkage() && !global.isDeclaration() && global.getName() != "main";
        const llvm::GlobalObject *named = global.getAliaseeObject();
        const std::optional<unsigned> object =
            named == nullptr ? std::nullopt : objects.find(*named);
        if (object && (is_outer || assembly.contains(global))) {
            solver.add_address(escaped, *object);
        }
    }
}

/* The hardware enters it at any time: __attribute__((interrupt)), however the target says it. */
bool is_interrupt_handler(const llvm::Function &function)
{
    switch (function.getCallingConv()) {
    case llvm::CallingConv::X86_INTR:
    case llvm::CallingConv::MSP430_INTR:
    case llvm::CallingConv::AVR_INTR:
    case llvm::CallingConv::AVR_SIGNAL:
    case llvm::CallingConv::M68k_INTR:
        return true;
    default:
        return function.hasFnAttribute("interrupt") || function.hasFnAttribute("signal");
    }
}

} // namespace

/* Values of this type may hold a pointer or a piece of one; a device may get it bit by bit. */
bool PointerAnalysis::carries_pointer(const llvm::Type &type) const
{
    return !type.isVoidTy() && !type.isLabelTy() && !type.isMetadataTy() && !type.isTokenTy() &&
           (is_asked() || !type.isIntegerTy(1));
}

bool PointerAnalysis::may_have_unknown_handlers() const
{
    return llvm::any_of(unknown_calls_, [](const llvm::CallBase *call) {
        // The end of a handler calls what destroys the exception, and keeps nothing.
        const llvm::Function *callee = call->getCalledFunction();
        return !call->isInlineAsm() &&
               (callee == nullptr || callee->getName() != "__cxa_end_catch");
    });
}

PointerAnalysis::PointerAnalysis(
    const llvm::Module &module, const ObjectTable &objects, Budget budget, Devices devices
)
    : module_(module), objects_(objects), devices_(std::move(devices)),
      solver_(objects.size(), budget.sets), escaped_(solver_.make_node()),
      known_(solver_.make_node()), device_writes_(solver_.make_node()),
      device_memory_(solver_.make_node()), placed_(solver_.make_node()), collapsed_(objects.size()),
      has_second_returns_(llvm::any_of(module, [](const llvm::Function &function) {
          return returns_twice(function);
      }))
{
    solver_.reserve(objects.size() + module.getInstructionCount()); // one for nearly each value
    solver_.add_address(escaped_, ObjectTable::ENVIRONMENT);
    // Code outside copies from everything it knows to everything it knows.
    solver_.add_load(escaped_, escaped_);
    if (is_asked()) {
        ask_devices();
    } else {
        solver_.add_store(escaped_, escaped_);
        for (const unsigned object : devices_.known) {
            solver_.add_address(escaped_, object);
        }
    }
    watch(escaped_, WatchKind::Escape, nullptr);
    add_globals();
    add_placed_globals();
    for (const llvm::Function &function : module) {
        add_function(function);
    }
    const auto watcher = [this](unsigned tag, unsigned object) { on_target(tag, object); };
    do {
        is_fallback_ = !solver_.solve(watcher);
    } while (!is_fallback_ && (bind_unresolved() || share_globals() || name_numbers()));
    solver_.keep_sets();
    if (is_fallback_) {
        for (const llvm::Function &function : module) {
            if (function.hasAddressTaken()) {
                escaped_functions_.insert(&function);
            }
        }
        for (const llvm::CallBase *call : indirect_calls_) {
            unknown_calls_.insert(call);
            callees_[call] = escaped_functions_;
        }
        return;
    }
    collapse(budget.places);
    const auto hands_over = [this](const llvm::Function &function) {
        return llvm::any_of(llvm::instructions(function), [this](const auto &instruction) {
            return hands_over_address(instruction);
        });
    };
    hands_over_addresses_ = !has_unknown_functions() && llvm::any_of(module, hands_over);
}

/* What one thread stores behind a global variable another one finds there. */
bool PointerAnalysis::share_globals()
{
    if (!is_concurrent_ || shared_) {
        return false;
    }
    shared_ = solver_.make_node();
    for (unsigned number = 0; number < objects_.size(); number++) {
        if (objects_[number].kind == ObjectKind::Global) {
            solver_.add_copy(solver_.content(number), *shared_, std::nullopt);
        }
    }
    solver_.add_load(*shared_, *shared_);
    return true;
}

/* Until all accesses fit, the objects of the largest sets are told apart no more. */
void PointerAnalysis::collapse(uint64_t budget)
{
    const SetUses uses = count_uses(module_, solver_, nodes_);
    while (true) {
        uint64_t places = 0, largest = 0;
        std::vector<uint64_t> sizes;
        for (const auto &[set, count] : uses) {
            const auto size =
                llvm::count_if(solver_.targets_of_set(set), [this](const Location &place) {
                    return !collapsed_.test(place.object);
                });
            sizes.push_back(static_cast<uint64_t>(size));
            largest = std::max(largest, sizes.back());
            places += count * sizes.back();
        }
        if (places <= budget) {
            return;
        }
        auto size = sizes.begin();
        for (const auto &[set, count] : uses) {
            if (*size++ <= largest / 2) {
                continue;
            }
            for (const Location &place : solver_.targets_of_set(set)) {
                collapsed_.set(place.object);
            }
        }
    }
}

void PointerAnalysis::watch(
    unsigned node, WatchKind kind, const llvm::CallBase *call, unsigned value
)
{
    solver_.watch(node, static_cast<unsigned>(watches_.size()));
    watches_.push_back({.kind = kind, .call = call, .value = value});
}

void PointerAnalysis::add_globals()
{
    add_named_outside(module_, objects_, escaped_, solver_);
    for (unsigned number = 0; number < objects_.size(); number++) {
        const Object &object = objects_[number];
        const auto *global =
            object.value == nullptr ? nullptr : llvm::dyn_cast<llvm::GlobalValue>(object.value);
        const auto *variable =
            global == nullptr ? nullptr : llvm::dyn_cast<llvm::GlobalVariable>(global);
        const bool is_data = variable != nullptr && variable->isConstant() &&
                             variable->hasDefinitiveInitializer() &&
                             llvm::isa<llvm::ConstantDataSequential>(variable->getInitializer());
        if (object.kind == ObjectKind::Function || is_data) {
            solver_.set_without_pointers(number);
        }
        if (object.kind == ObjectKind::Environment && global != nullptr) {
            solver_.add_address(escaped_, number);
        }
    }
    for (const llvm::GlobalVariable &global : module_.globals()) {
        if (global.hasInitializer()) {
            add_contents(*global.getInitializer(), solver_.content(objects_.number(global)));
        }
    }
}

/* Of the linker's symbols we know no more than that they lie in some section. */
void PointerAnalysis::add_placed_globals()
{
    for (const llvm::GlobalVariable &global : module_.globals()) {
        if (global.hasSection() && !global.isDeclaration() &&
            !global.getName().starts_with("llvm.")) {
            solver_.add_address(placed_, objects_.number(global));
        }
    }
}

void PointerAnalysis::add_contents(const llvm::Constant &initializer, unsigned node)
{
    if (llvm::isa<llvm::GlobalValue, llvm::ConstantExpr>(initializer)) {
        solver_.add_copy(node_of(initializer), node, 0);
        return;
    }
    if (llvm::isa<llvm::BlockAddress>(initializer)) {
        return; // of code, and of what is no constant
    }
    for (const llvm::Use &operand : initializer.operands()) {
        add_contents(*llvm::cast<llvm::Constant>(operand), node);
    }
}

void PointerAnalysis::add_gep(const llvm::User &gep, unsigned node)
{
    const auto &pointer = llvm::cast<llvm::GEPOperator>(gep);
    llvm::APInt offset(module_.getDataLayout().getIndexTypeSizeInBits(pointer.getType()), 0);
    const bool is_constant = !gep.getType()->isVectorTy() &&
                             pointer.accumulateConstantOffset(module_.getDataLayout(), offset);
    solver_.add_copy(
        node_of(*pointer.getPointerOperand()),
        node,
        is_constant ? PointsToSolver::Shift(offset.trySExtValue()) : std::nullopt
    );
}

void PointerAnalysis::fill_constant(const llvm::Constant &constant, unsigned node)
{
    if (const auto *alias = llvm::dyn_cast<llvm::GlobalAlias>(&constant)) {
        solver_.add_copy(node_of(*alias->getAliasee()), node, 0);
    } else if (llvm::isa<llvm::GlobalObject>(constant)) {
        const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant);
        if (variable != nullptr && variable->isDeclaration()) {
            solver_.add_copy(placed_, node, std::nullopt); // __start_SECTION, or a linker script's
        }
        if (const std::optional<unsigned> object = objects_.find(constant)) {
            solver_.add_address(node, *object);
        } else {
            solver_.add_copy(escaped_, node, std::nullopt); // an ifunc
        }
    } else if (llvm::isa<llvm::GEPOperator>(constant)) {
        add_gep(constant, node);
    } else if (const auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant)) {
        // An address given as a number is a device's.
        if (expression->getOpcode() == llvm::Instruction::IntToPtr) {
            solver_.add_address(node, ObjectTable::ENVIRONMENT);
            note_number(*expression->getOperand(0), node);
        }
        for (const llvm::Use &operand : expression->operands()) {
            solver_.add_copy(
                node_of(*operand),
                node,
                expression->isCast() ? PointsToSolver::Shift(0) : std::nullopt
            );
        }
    } else if (!llvm::isa<llvm::ConstantData>(constant)) {
        add_contents(constant, node);
    }
}

unsigned PointerAnalysis::node_of(const llvm::Value &value)
{
    auto known = nodes_.find(&value);
    if (known != nodes_.end()) {
        return known->second;
    }
    const unsigned node = solver_.make_node();
    nodes_[&value] = node;
    if (const auto *constant = llvm::dyn_cast<llvm::Constant>(&value)) {
        fill_constant(*constant, node);
        return node;
    }
    const auto *argument = llvm::dyn_cast<llvm::Argument>(&value);
    if (llvm::isa<llvm::AllocaInst>(value) || (argument != nullptr && argument->hasByValAttr())) {
        solver_.add_address(node, objects_.number(value));
    }
    return node;
}

unsigned PointerAnalysis::return_node(const llvm::Function &function)
{
    auto [place, is_new] = returns_.try_emplace(&function, 0);
    if (is_new) {
        place->second = solver_.make_node();
    }
    return place->second;
}

void PointerAnalysis::add_function(const llvm::Function &function)
{
    if (devices_.question == Question::DevicesByBranches && !function.isDeclaration()) {
        add_branches(function);
    }
    if (function.hasFnAttribute(llvm::Attribute::Naked)) { // its assembly finds them in registers
        for (const llvm::Argument &argument : function.args()) {
            solver_.add_copy(node_of(argument), escaped_, 0);
        }
        solver_.add_copy(escaped_, return_node(function), std::nullopt);
    }
    if (is_interrupt_handler(function) && !function.isDeclaration()) {
        is_concurrent_ = true;
        concurrent_functions_.insert(&function);
        escape_function(function);
    }
    if (function.getName() == "main") {
        for (const llvm::Argument &argument : function.args()) {
            solver_.add_copy(escaped_, node_of(argument), std::nullopt);
        }
    }
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
        add_instruction(instruction);
    }
}

void PointerAnalysis::add_instruction(const llvm::Instruction &instruction)
{
    // Every pointer has a node, also where nothing that could hold a pointer moves through it.
    for (const llvm::Use &operand : instruction.operands()) {
        if (operand->getType()->isPtrOrPtrVectorTy()) {
            node_of(*operand);
        }
    }
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        add_call(*call);
    } else if (instruction.mayReadOrWriteMemory()) {
        add_memory_instruction(instruction);
    } else if (const auto *leave = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) {
        if (leave->getReturnValue() != nullptr) {
            const unsigned returned = return_node(*instruction.getFunction());
            solver_.add_copy(node_of(*leave->getReturnValue()), returned, 0);
            add_control(*instruction.getParent(), returned);
        }
    } else if (llvm::isa<llvm::ResumeInst>(instruction)) {
        solver_.add_copy(node_of(*instruction.getOperand(0)), escaped_, std::nullopt);
    } else if (const auto *landing = llvm::dyn_cast<llvm::LandingPadInst>(&instruction)) {
        solver_.add_copy(escaped_, node_of(instruction), std::nullopt);
        for (const llvm::GlobalVariable *info : find_type_infos(*landing)) {
            node_of(*info);
        }
    } else if (carries_pointer(*instruction.getType()) &&
               !llvm::isa<llvm::AllocaInst>(instruction)) {
        add_arithmetic(instruction);
    }
}

void PointerAnalysis::add_memory_instruction(const llvm::Instruction &instruction)
{
    if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (carries_pointer(*load->getType())) {
            solver_.add_load(node_of(*load->getPointerOperand()), node_of(*load));
            if (is_asked()) {
                load_at_indices(*load);
            }
        }
    } else if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (carries_pointer(*store->getValueOperand()->getType())) {
            add_store(
                *store->getPointerOperand(),
                node_of(*store->getValueOperand()),
                *store,
                store->isVolatile() || store->isAtomic()
            );
        }
    } else if (llvm::isa<llvm::FenceInst>(instruction)) {
        return;
    } else {
        // atomicrmw, cmpxchg, va_arg: pointer first, then what may be stored; the old value is the
        // result.
        const unsigned pointer = node_of(*instruction.getOperand(0));
        const unsigned old_value = node_of(instruction);
        solver_.add_load(pointer, old_value);
        if (llvm::isa<llvm::VAArgInst>(instruction)) {
            solver_.add_load(old_value, old_value);
            return;
        }
        for (unsigned i = 1; i < instruction.getNumOperands(); i++) {
            add_store(
                *instruction.getOperand(0), node_of(*instruction.getOperand(i)), instruction, true
            );
        }
        solver_.add_store(pointer, old_value);
    }
}

void PointerAnalysis::add_arithmetic(const llvm::Instruction &instruction)
{
    const unsigned node = node_of(instruction);
    if (llvm::isa<llvm::GetElementPtrInst>(instruction)) {
        add_gep(instruction, node);
        return;
    }
    // A number that is used as an address may be any that has been given away.
    if (llvm::isa<llvm::IntToPtrInst>(instruction)) {
        solver_.add_copy(escaped_, node, std::nullopt);
        note_number(*instruction.getOperand(0), node);
    }
    if (!is_followed(instruction)) {
        return;
    }
    if (const auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
        add_choice(*phi, node);
    }
    const bool is_move = llvm::isa<
        llvm::PHINode,
        llvm::SelectInst,
        llvm::FreezeInst,
        llvm::BitCastInst,
        llvm::PtrToIntInst,
        llvm::IntToPtrInst,
        llvm::AddrSpaceCastInst,
        llvm::ExtractValueInst,
        llvm::InsertValueInst,
        llvm::ExtractElementInst,
        llvm::InsertElementInst,
        llvm::ShuffleVectorInst>(instruction);
    for (const llvm::Use &operand : instruction.operands()) {
        if (carries_pointer(*operand->getType()) && !llvm::isa<llvm::ConstantData>(operand)) {
            solver_.add_copy(
                node_of(*operand), node, is_move ? PointsToSolver::Shift(0) : std::nullopt
            );
        }
    }
}

/* Floating point, and sums of less than a pointer, make no pointer; shifts and masks may put one
 * together. A device may be given an address in any form, but how two addresses compare is no
 * address. */
bool PointerAnalysis::is_followed(const llvm::Instruction &arithmetic) const
{
    if (llvm::isa<llvm::CmpInst>(arithmetic)) {
        return arithmetic.getOperand(0)->getType()->isIntOrIntVectorTy();
    }
    const auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&arithmetic);
    if (binary == nullptr) {
        return true;
    }
    const llvm::DataLayout &layout = module_.getDataLayout();
    const bool is_whole = layout.getTypeSizeInBits(binary->getType()).getKnownMinValue() >=
                          layout.getPointerSizeInBits();
    return binary->getType()->isIntOrIntVectorTy() &&
           (is_whole || is_asked() || binary->isBitwiseLogicOp() || binary->isShift());
}

llvm::SmallVector<Location, 4> PointerAnalysis::targets(const llvm::Value &pointer) const
{
    constexpr Location SOMEWHERE = {.object = ObjectTable::ENVIRONMENT, .offset = std::nullopt};
    if (is_fallback_) {
        return {SOMEWHERE};
    }
    auto node = nodes_.find(&pointer);
    if (node == nodes_.end()) {
        return {};
    }
    llvm::SmallVector<Location, 4> targets = solver_.targets(node->second);
    const size_t all = targets.size();
    llvm::erase_if(targets, [this](const Location &place) {
        return collapsed_.test(place.object);
    });
    if (targets.size() != all) {
        targets.push_back(SOMEWHERE);
    }
    return targets;
}

llvm::SmallVector<Location, 4> PointerAnalysis::escaped() const
{
    if (!is_fallback_) {
        return solver_.targets(escaped_);
    }
    llvm::SmallVector<Location, 4> everything;
    for (unsigned object = 0; object < objects_.size(); object++) {
        everything.push_back({.object = object, .offset = std::nullopt});
    }
    return everything;
}

llvm::SmallVector<Location, 4> PointerAnalysis::shared() const
{
    return shared_ && !is_fallback_ ? solver_.targets(*shared_) : llvm::SmallVector<Location, 4>();
}

const llvm::SetVector<const llvm::Function *> &PointerAnalysis::callees(const llvm::CallBase &call
) const
{
    static const llvm::SetVector<const llvm::Function *> none;
    auto found = callees_.find(&call);
    return found == callees_.end() ? none : found->second;
}

} // namespace laxity::workingset
