// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/constraints.hpp"
#include "analysis/faults.hpp"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
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
    return !is_empty_assembly(call) && (assembly.hasSideEffects() || call.mayWriteToMemory());
}

/* The condition by which a block is left; nullptr: it has one successor, or no value decides. */
const llvm::Value *condition_of(const llvm::BasicBlock &block)
{
    const llvm::Instruction &end = *block.getTerminator();
    if (const auto *branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
        return branch->isConditional() ? branch->getCondition() : nullptr;
    }
    if (const auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&end)) {
        return choice->getCondition();
    }
    const auto *jump = llvm::dyn_cast<llvm::IndirectBrInst>(&end);
    return jump == nullptr ? nullptr : jump->getAddress();
}

} // namespace

bool is_empty_assembly(const llvm::CallBase &call)
{
    return call.isInlineAsm() &&
           llvm::cast<llvm::InlineAsm>(*call.getCalledOperand()).getAsmString().empty();
}

/* A device can write addresses of all that it knows into what it knows; and memory outside of the
 * program leads to such memory. */
void PointerAnalysis::ask_devices()
{
    for (unsigned object = 0; object < objects_.size(); object++) {
        if (objects_[object].kind == ObjectKind::Environment) {
            solver_.add_address(solver_.content(object), ObjectTable::ENVIRONMENT);
        }
    }
    solver_.add_address(device_memory_, objects_.device());
    for (const unsigned object : devices_.known) {
        solver_.add_address(known_, object);
    }
    solver_.add_copy(known_, device_writes_, std::nullopt);
    solver_.add_address(device_writes_, ObjectTable::ENVIRONMENT);
    solver_.add_copy(device_memory_, device_writes_, 0);
    solver_.add_copy(device_writes_, solver_.content(objects_.device()), 0);
    watch(known_, WatchKind::Device, nullptr);
}

/* What `node` points to may be a device's. */
void PointerAnalysis::note_device_memory(unsigned node)
{
    may_address_devices_ = true;
    if (is_asked()) {
        solver_.add_copy(device_memory_, node, 0);
    }
}

/* It may hand out memory of a device, or leave its address in what it knows. */
void PointerAnalysis::note_unknown_function()
{
    if (has_unknown_function_) {
        return;
    }
    has_unknown_function_ = true;
    note_device_memory(escaped_);
    if (is_asked()) {
        solver_.add_store(escaped_, device_memory_);
    }
}

/* A number becomes the address at `node`. */
void PointerAnalysis::note_number(const llvm::Value &number, unsigned node)
{
    const bool is_process = llvm::Triple(module_.getTargetTriple()).isOSLinux();
    if (is_device_address(number, is_process)) {
        note_device_memory(node);
    } else if (!llvm::isa<llvm::Constant>(number)) {
        may_address_devices_ = true;
        numbers_.emplace_back(&number, node);
    }
}

/* The number is computed from an address of the program's memory, whatever it is otherwise.
 * `found`: what has been asked; in a circle the rest decides. */
bool PointerAnalysis::is_own_address(
    const llvm::Value &number, llvm::DenseMap<const llvm::Value *, bool> &found
) const
{
    if (const auto [place, is_new] = found.try_emplace(&number, true); !is_new) {
        return place->second;
    }
    const auto is_own = [&](const llvm::Use &operand) { return is_own_address(*operand, found); };
    bool result = false;
    if (llvm::isa<llvm::PtrToIntOperator>(number)) {
        result = true;
    } else if (const auto *phi = llvm::dyn_cast<llvm::PHINode>(&number)) {
        result = llvm::all_of(phi->incoming_values(), is_own);
    } else if (const auto *choice = llvm::dyn_cast<llvm::SelectInst>(&number)) {
        result = llvm::all_of(llvm::drop_begin(choice->operands()), is_own);
    } else if (llvm::isa<llvm::CastInst, llvm::FreezeInst, llvm::BinaryOperator>(number)) {
        result = llvm::any_of(llvm::cast<llvm::User>(number).operands(), is_own);
    } else {
        const auto &nodes = loaded_.contains(&number) ? loaded_ : nodes_;
        const auto node = nodes.find(&number);
        result = node != nodes.end() && solver_.may_point_to(node->second, [this](unsigned object) {
            return objects_[object].is_memory();
        });
    }
    found[&number] = result;
    return result;
}

/* What is computed from no address of the program is a number: it comes from a table, a register or
 * a file. */
bool PointerAnalysis::name_numbers()
{
    const size_t all = numbers_.size();
    llvm::erase_if(numbers_, [this](const auto &number) {
        llvm::DenseMap<const llvm::Value *, bool> found;
        const bool is_number = is_asked() && !is_own_address(*number.first, found);
        if (is_number) {
            note_device_memory(number.second);
        }
        return is_number;
    });
    return numbers_.size() != all;
}

void PointerAnalysis::add_store(
    const llvm::Value &pointer, unsigned value, const llvm::Instruction &by, bool is_shared
)
{
    const unsigned address = node_of(pointer);
    may_address_devices_ = may_address_devices_ || is_shared;
    if (!is_asked()) {
        solver_.add_store(address, value);
        return;
    }
    const unsigned stored = solver_.make_node();
    solver_.add_copy(value, stored, 0);
    add_indices(pointer, stored);
    add_control(*by.getParent(), stored);
    solver_.add_store(address, stored);
    watch(address, is_shared ? WatchKind::SharedStore : WatchKind::Store, nullptr, stored);
    // Nothing is at 0 but registers.
    if (is_shared && llvm::isa<llvm::ConstantPointerNull>(llvm::getUnderlyingObject(&pointer))) {
        solver_.add_copy(stored, known_, std::nullopt);
    }
}

/* What is loaded by an index tells it, but is no address for that. */
void PointerAnalysis::load_at_indices(const llvm::LoadInst &load)
{
    const llvm::Value &pointer = *load.getPointerOperand();
    if (llvm::isa<llvm::GlobalValue, llvm::AllocaInst, llvm::Argument, llvm::LoadInst>(pointer)) {
        return;
    }
    const unsigned loaded = solver_.make_node();
    solver_.add_load(node_of(pointer), loaded);
    loaded_[&load] = loaded;
    add_indices(pointer, node_of(load));
}

/* If asked, `node` is computed from the indices by which `pointer` was: from one into a table of
 * digits, say. */
void PointerAnalysis::add_indices(const llvm::Value &pointer, unsigned node)
{
    llvm::SmallVector<const llvm::Value *, 8> open = {&pointer};
    llvm::SmallPtrSet<const llvm::Value *, 8> seen;
    while (is_asked() && !open.empty()) {
        const llvm::Value *value = open.pop_back_val();
        const bool is_computed = llvm::isa<
            llvm::GEPOperator,
            llvm::SelectInst,
            llvm::AddrSpaceCastInst,
            llvm::BitCastInst,
            llvm::FreezeInst,
            llvm::PHINode>(value);
        if (!is_computed || !seen.insert(value).second) {
            continue;
        }
        for (const llvm::Value *operand : llvm::cast<llvm::User>(value)->operand_values()) {
            if (operand->getType()->isPtrOrPtrVectorTy()) {
                open.push_back(operand);
            } else if (!llvm::isa<llvm::Constant>(operand)) {
                solver_.add_copy(node_of(*operand), node, std::nullopt);
            }
        }
    }
}

/* Conditions by which each block is entered. A block depends on a branch if the block is executed
 * after one successor in any case, and not after the branch in any case (Ferrante, Ottenstein and
 * Warren, "The program dependence graph and its use in optimization", TOPLAS 1987). */
void PointerAnalysis::add_branches(const llvm::Function &function)
{
    // It only looks at the function.
    auto &body =
        const_cast<llvm::Function &>(function); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    const llvm::PostDominatorTree tree(body);
    const unsigned entered = entry_control(function);
    for (const llvm::BasicBlock &block : function) {
        const unsigned node = solver_.make_node();
        block_controls_[&block] = node;
        solver_.add_copy(entered, node, 0);
    }
    for (const llvm::BasicBlock &block : function) {
        if (condition_of(block) == nullptr || tree.getNode(&block) == nullptr) {
            continue;
        }
        const auto *end = tree.getNode(&block)->getIDom();
        for (const llvm::BasicBlock *successor : llvm::successors(&block)) {
            for (auto *after = tree.getNode(successor); after != end; after = after->getIDom()) {
                add_dependence(block, *after->getBlock());
            }
        }
    }
}

/* Whether `block` is entered depends on how `branch` is left. */
void PointerAnalysis::add_dependence(const llvm::BasicBlock &branch, const llvm::BasicBlock &block)
{
    const unsigned node = block_controls_.at(&block);
    solver_.add_copy(node_of(*condition_of(branch)), node, std::nullopt);
    solver_.add_copy(block_controls_.at(&branch), node, 0);
}

unsigned PointerAnalysis::entry_control(const llvm::Function &function)
{
    auto [place, is_new] = entry_controls_.try_emplace(&function, 0);
    if (is_new) {
        place->second = solver_.make_node();
    }
    return place->second;
}

/* Whether `callee` is entered is decided where it is called, and by which function that is. */
void PointerAnalysis::add_entry(const llvm::CallBase &call, const llvm::Function &callee)
{
    if (devices_.question == Question::DevicesByBranches) {
        add_control(*call.getParent(), entry_control(callee));
        solver_.add_copy(node_of(*call.getCalledOperand()), entry_control(callee), std::nullopt);
    }
}

/* If asked about branches, `node` is computed from what decides whether the block is entered. */
void PointerAnalysis::add_control(const llvm::BasicBlock &block, unsigned node)
{
    if (const auto found = block_controls_.find(&block); found != block_controls_.end()) {
        solver_.add_copy(found->second, node, std::nullopt);
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
    add_control(*call.getParent(), known_);
    for (unsigned i = 0; is_asked() && i < call.arg_size(); i++) {
        const llvm::Value &argument = *call.getArgOperand(i);
        if (!carries_pointer(*argument.getType())) {
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
        object == objects_.device() || (watched.kind == WatchKind::SharedStore &&
                                        (objects_[object].kind == ObjectKind::Environment ||
                                         llvm::is_contained(devices_.registers, object)));
    if (is_device) {
        solver_.add_copy(watched.value, known_, 0);
    }
}

/* The same of what a phi takes over: by which way its block is reached. */
void PointerAnalysis::add_choice(const llvm::PHINode &phi, unsigned node)
{
    if (devices_.question != Question::DevicesByBranches) {
        return;
    }
    for (const llvm::BasicBlock *block : phi.blocks()) {
        add_control(*block, node);
        if (const llvm::Value *condition = condition_of(*block)) {
            solver_.add_copy(node_of(*condition), node, std::nullopt);
        }
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
