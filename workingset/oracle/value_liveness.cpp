// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "value_liveness.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace laxity::workingset::oracle {

namespace {

bool is_counted(const llvm::Value &value)
{
    const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&value);
    return value.getType()->isSized() && !value.getType()->isTokenTy() && !alloca;
}

// setjmp and its like are marked only where they are builtins to clang: not with -fno-builtin.
bool may_return_twice(const llvm::CallInst &call)
{
    const llvm::Function *callee = call.getCalledFunction();
    return call.hasFnAttr(llvm::Attribute::ReturnsTwice) ||
           (callee && llvm::StringSwitch<bool>(callee->getName())
#define SAVES(name) .Case(#name, true)
#include "externals.def"
                          .Default(false));
}

} // namespace

void ValueLiveness::add_value(llvm::Value &value)
{
    if (is_counted(value)) {
        numbers_[&value] = static_cast<unsigned>(values_.size());
        values_.push_back(&value);
        bits_.push_back(layout_.getTypeSizeInBits(value.getType()).getKnownMinValue());
    }
}

void ValueLiveness::step_back(const llvm::Instruction &instruction, llvm::BitVector &live) const
{
    if (auto own = numbers_.find(&instruction); own != numbers_.end()) {
        live.reset(own->second);
    }
    if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) {
        return;
    }
    for (const llvm::Value *operand : instruction.operands()) {
        if (auto used = numbers_.find(operand); used != numbers_.end()) {
            live.set(used->second);
        }
    }
}

llvm::BitVector ValueLiveness::live_at_end(const llvm::BasicBlock &block) const
{
    llvm::BitVector live(static_cast<unsigned>(values_.size()));
    for (const llvm::BasicBlock *next : llvm::successors(&block)) {
        // A phi of this successor may be live in another one.
        llvm::BitVector into = live_after_phis_.lookup(next);
        for (const llvm::PHINode &phi : next->phis()) {
            if (auto own = numbers_.find(&phi); own != numbers_.end()) {
                into.reset(own->second);
            }
        }
        live |= into;
    }
    // A second loop: a phi of one successor may be an operand of another's.
    for (const llvm::BasicBlock *next : llvm::successors(&block)) {
        for (const llvm::PHINode &phi : next->phis()) {
            if (auto used = numbers_.find(phi.getIncomingValueForBlock(&block));
                used != numbers_.end()) {
                live.set(used->second);
            }
        }
    }
    return live;
}

// What is live where setjmp returns is live wherever longjmp may be called from, which is anywhere
// behind it.
void ValueLiveness::keep_for_second_returns(llvm::Function &function)
{
    std::vector<const llvm::Instruction *> returning;
    for (llvm::BasicBlock &block : function) {
        for (llvm::Instruction &instruction : block) {
            const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
            if (call && may_return_twice(*call)) {
                returning.push_back(&instruction);
            }
        }
    }
    llvm::BitVector kept(static_cast<unsigned>(values_.size()));
    for (const llvm::Instruction *call : returning) {
        kept |= live_before(*call->getNextNode());
        if (auto own = numbers_.find(call); own != numbers_.end()) {
            kept.reset(own->second); // setjmp itself gives it anew
        }
    }
    for (const llvm::Instruction *call : returning) {
        for (const llvm::BasicBlock &block : function) {
            if (&block != call->getParent() &&
                llvm::isPotentiallyReachable(call->getParent(), &block)) {
                kept_[&block] = kept;
            }
        }
        kept_[call->getParent()] = kept;
    }
}

ValueLiveness::ValueLiveness(llvm::Function &function)
    : layout_(function.getParent()->getDataLayout())
{
    for (llvm::Argument &argument : function.args()) {
        add_value(argument);
    }
    for (llvm::BasicBlock &block : function) {
        for (llvm::Instruction &instruction : block) {
            add_value(instruction);
        }
    }
    for (llvm::BasicBlock &block : function) {
        live_after_phis_[&block] = llvm::BitVector(static_cast<unsigned>(values_.size()));
    }
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (llvm::BasicBlock &block : llvm::reverse(function)) {
            llvm::BitVector live = live_before(*block.getFirstNonPHI());
            llvm::BitVector &known = live_after_phis_[&block];
            has_changed = has_changed || live != known;
            known = live;
        }
    }
    keep_for_second_returns(function);
}

llvm::BitVector ValueLiveness::live_before(const llvm::Instruction &instruction) const
{
    const llvm::BasicBlock &block = *instruction.getParent();
    llvm::BitVector live = live_at_end(block);
    for (const llvm::Instruction &later : llvm::reverse(block)) {
        if (llvm::isa<llvm::PHINode>(later)) {
            break;
        }
        step_back(later, live);
        if (&later == &instruction) {
            break;
        }
    }
    if (auto kept = kept_.find(&block); kept != kept_.end()) {
        live |= kept->second;
    }
    return live;
}

uint64_t ValueLiveness::bits_of(const llvm::BitVector &live) const
{
    uint64_t bits = 0;
    for (unsigned value : live.set_bits()) {
        bits += bits_[value];
    }
    return bits;
}

std::vector<ValueLiveness::Bits> ValueLiveness::bits_in(const llvm::BasicBlock &block) const
{
    std::vector<Bits> found(block.size());
    llvm::BitVector live = live_at_end(block);
    uint64_t before = bits_of(live);
    auto bits = found.rbegin();
    for (const llvm::Instruction &instruction : llvm::reverse(block)) {
        if (!llvm::isa<llvm::PHINode>(instruction)) {
            auto own = numbers_.find(&instruction);
            const bool is_used = own != numbers_.end() && live.test(own->second);
            bits->across = before - (is_used ? bits_[own->second] : 0);
            step_back(instruction, live);
            before = bits_of(live);
        }
        (bits++)->before = before;
    }
    return found;
}

llvm::BitVector ValueLiveness::live_into(const llvm::BasicBlock &block) const
{
    llvm::BitVector live(static_cast<unsigned>(values_.size()));
    for (const llvm::BasicBlock *before : llvm::predecessors(&block)) {
        live |= live_at_end(*before);
    }
    for (const llvm::PHINode &phi : block.phis()) {
        if (auto own = numbers_.find(&phi); own != numbers_.end()) {
            live.set(own->second);
        }
    }
    return live;
}

} // namespace laxity::workingset::oracle
