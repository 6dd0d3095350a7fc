// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/constraints.hpp"
#include "analysis/faults.hpp"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/TargetParser/Triple.h>

/* Where the program itself leaves addresses of its memory for the environment to find: in environ,
 * or with a device. */
namespace laxity::workingset {

namespace {

/* Beyond what offsets into a device's registers are; a process of Linux has nothing so near to
 * either end of its addresses, where constants are marks: (void *)1, MAP_FAILED. */
constexpr uint64_t FIRST_ADDRESS = 4096;

bool is_far_from_ends(const llvm::APInt &number)
{
    return number.uge(FIRST_ADDRESS) && (-number).uge(FIRST_ADDRESS + 1);
}

/* The number is a device's address, or computed from one: a constant, alone or in a sum. */
bool is_device_address(const llvm::Value &address, bool is_process)
{
    if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(&address)) {
        return !is_process || is_far_from_ends(constant->getValue());
    }
    llvm::SmallVector<const llvm::Value *, 8> open = {&address};
    llvm::SmallPtrSet<const llvm::Value *, 8> seen;
    while (!open.empty()) {
        const llvm::Value *value = open.pop_back_val();
        if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
            if (is_far_from_ends(constant->getValue())) {
                return true;
            }
            continue;
        }
        const unsigned opcode = llvm::Operator::getOpcode(value);
        const bool is_sum = opcode == llvm::Instruction::Add || opcode == llvm::Instruction::Sub ||
                            opcode == llvm::Instruction::Or;
        if ((is_sum || llvm::isa<llvm::CastInst, llvm::PHINode, llvm::SelectInst>(value)) &&
            seen.insert(value).second) {
            llvm::append_range(open, llvm::cast<llvm::User>(value)->operand_values());
        }
    }
    return false;
}

/* What code there is may do anything with its operands; the empty one only keeps them. */
bool may_address_device(const llvm::CallBase &call)
{
    if (!call.isInlineAsm()) {
        return call.mayWriteToMemory();
    }
    const auto &assembly = llvm::cast<llvm::InlineAsm>(*call.getCalledOperand());
    return !assembly.getAsmString().empty() &&
           (assembly.hasSideEffects() || call.mayWriteToMemory());
}

} // namespace

/* A device can write addresses of all that it knows into what it knows; and memory outside of the
 * program leads to such memory. */
void PointerAnalysis::ask_devices()
{
    for (unsigned object = 0; object < objects_.size(); object++) {
        if (objects_[object].kind == ObjectKind::Environment) {
            solver_.add_address(solver_.content(object), ObjectTable::ENVIRONMENT);
        }
    }
    for (const unsigned object : devices_.known) {
        solver_.add_address(known_, object);
    }
    solver_.add_copy(known_, device_writes_, std::nullopt);
    solver_.add_address(device_writes_, ObjectTable::ENVIRONMENT);
    solver_.add_address(device_writes_, objects_.device());
    watch(known_, WatchKind::Device, nullptr);
}

/* A number becomes the address at `node`. */
void PointerAnalysis::note_number(const llvm::Value &number, unsigned node)
{
    const bool is_process = llvm::Triple(module_.getTargetTriple()).isOSLinux();
    if (!is_device_address(number, is_process)) {
        return;
    }
    may_address_devices_ = true;
    if (devices_.is_asked) {
        solver_.add_address(node, objects_.device());
    }
}

void PointerAnalysis::add_store(const llvm::Value &pointer, unsigned value, bool is_volatile)
{
    const unsigned address = node_of(pointer);
    solver_.add_store(address, value);
    may_address_devices_ = may_address_devices_ || is_volatile;
    if (!devices_.is_asked) {
        return;
    }
    watch(address, is_volatile ? WatchKind::VolatileStore : WatchKind::Store, nullptr, value);
    // Nothing is at 0 but registers.
    if (is_volatile && llvm::isa<llvm::ConstantPointerNull>(llvm::getUnderlyingObject(&pointer))) {
        solver_.add_copy(value, known_, std::nullopt);
    }
}

/* Assembly, and intrinsics that stand for instructions of one processor, may give a device what
 * they have as values, and what is in the memory that they name. */
void PointerAnalysis::give_to_device(const llvm::CallBase &call)
{
    if (!may_address_device(call)) {
        return;
    }
    may_address_devices_ = true;
    for (unsigned i = 0; devices_.is_asked && i < call.arg_size(); i++) {
        const llvm::Value &argument = *call.getArgOperand(i);
        if (!may_carry_pointer(*argument.getType())) {
            continue;
        }
        if (call.isInlineAsm() && call.getParamElementType(i) != nullptr) {
            solver_.add_load(node_of(argument), known_);
        } else if (call.isInlineAsm() || argument.getType()->isIntegerTy()) {
            solver_.add_copy(node_of(argument), known_, std::nullopt);
        }
    }
}

void PointerAnalysis::on_device_target(const Watch &watched, unsigned object)
{
    if (watched.kind == WatchKind::Device) {
        if (objects_[object].is_memory()) {
            if (!has_fault(Fault::DeviceReachDropped)) {
                solver_.add_copy(solver_.content(object), known_, 0);
            }
            solver_.add_copy(device_writes_, solver_.content(object), 0);
        }
        return;
    }
    const bool is_device =
        object == objects_.device() || (watched.kind == WatchKind::VolatileStore &&
                                        (objects_[object].kind == ObjectKind::Environment ||
                                         llvm::is_contained(devices_.registers, object)));
    if (is_device) {
        solver_.add_copy(watched.value, known_, 0);
    }
}

std::vector<unsigned> PointerAnalysis::known_to_devices() const
{
    std::vector<bool> is_known(objects_.size(), is_fallback_);
    if (!is_fallback_) {
        for (const Location &place : solver_.targets(known_)) {
            is_known[place.object] = true;
        }
    }
    std::vector<unsigned> known;
    for (unsigned object = 0; object < objects_.size(); object++) {
        if (is_known[object] && objects_[object].is_memory()) {
            known.push_back(object);
        }
    }
    return known;
}

/* The pointer may lead to memory of the environment, the address to memory of the program. */
bool PointerAnalysis::leads_outside(const llvm::Value &pointer, const llvm::Value &address) const
{
    const auto leads_to = [this](const llvm::Value &value, auto matches) {
        return llvm::any_of(targets(value), [&](const Location &place) {
            return matches(objects_[place.object].kind);
        });
    };
    return leads_to(pointer, [](ObjectKind kind) { return kind == ObjectKind::Environment; }) &&
           leads_to(address, [](ObjectKind kind) {
               return kind != ObjectKind::Environment && kind != ObjectKind::Function;
           });
}

/* A block that is copied counts if it is the program's own, whatever it holds. */
bool PointerAnalysis::hands_over_address(const llvm::Instruction &instruction) const
{
    if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        return leads_outside(*store->getPointerOperand(), *store->getValueOperand());
    }
    if (const auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
        return leads_outside(*update->getPointerOperand(), *update->getValOperand());
    }
    if (const auto *update = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        return leads_outside(*update->getPointerOperand(), *update->getNewValOperand());
    }
    if (const auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
        return leads_outside(*transfer->getRawDest(), *transfer->getRawSource());
    }
    const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call != nullptr && llvm::any_of(callees(*call), [&](const llvm::Function *callee) {
               const ExternalModel *model = find_external_model(*callee);
               return model != nullptr && hands_over_address(*call, *model);
           });
}

bool PointerAnalysis::hands_over_address(const llvm::CallBase &call, const ExternalModel &model)
    const
{
    return llvm::any_of(model.writes, [&](const ModelAccess &write) {
        return llvm::any_of(model.reads, [&](const ModelAccess &read) {
            return std::max(read.argument, write.argument) < call.arg_size() &&
                   leads_outside(
                       *call.getArgOperand(write.argument), *call.getArgOperand(read.argument)
                   );
        });
    });
}

} // namespace laxity::workingset
