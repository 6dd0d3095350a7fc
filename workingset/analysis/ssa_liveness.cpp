// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/ssa_liveness.hpp"

#include "analysis/entries.hpp"
#include "analysis/faults.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <optional>
#include <utility>

namespace laxity::workingset {

namespace {

class FunctionLiveness {
  public:
    FunctionLiveness(const llvm::Function &function, const ModuleIndex &index)
        : index_(index), layout_(function.getParent()->getDataLayout()),
          order_(
              llvm::post_order(&function.getEntryBlock()).begin(),
              llvm::post_order(&function.getEntryBlock()).end()
          )
    {
        for (const llvm::Argument &argument : function.args()) {
            add_value(argument);
        }
        is_naked_ = function.hasFnAttribute(llvm::Attribute::Naked);
        for (const llvm::Instruction &instruction : llvm::instructions(function)) {
            if (is_ssa_value(instruction)) {
                add_value(instruction);
            }
        }
        jump_live_ = llvm::BitVector(size());
    }

    void solve(std::vector<uint64_t> &before, std::vector<uint64_t> &across)
    {
        mark_all();
        while (marked_count_ > 0) {
            for (const llvm::BasicBlock *block : order_) {
                if (std::exchange(is_marked_[block], false)) {
                    marked_count_--;
                    update(*block);
                }
            }
        }
        for (const llvm::BasicBlock *block : order_) {
            walk(*block, &before, &across);
        }
    }

  private:
    [[nodiscard]] unsigned size() const
    {
        return static_cast<unsigned>(bits_.size());
    }
    void add_value(const llvm::Value &value)
    {
        numbers_[&value] = size();
        bits_.push_back(value_bits(value, layout_).value_or(0)); // asked for in Analysis::run
    }
    void mark_all()
    {
        for (const llvm::BasicBlock *block : order_) {
            is_marked_[block] = true;
        }
        marked_count_ = order_.size();
    }
    /* What is live at the start of a block; blocks where that makes a difference are marked. */
    void update(const llvm::BasicBlock &block)
    {
        const unsigned jump_live_count = jump_live_.count();
        llvm::BitVector live = walk(block, nullptr, nullptr);
        if (jump_live_.count() != jump_live_count) {
            mark_all();
        }
        llvm::BitVector &known = starts_.try_emplace(&block, size()).first->second;
        if (known == live) {
            return;
        }
        known = std::move(live);
        for (const llvm::BasicBlock *before : llvm::predecessors(&block)) {
            auto mark = is_marked_.find(before); // none: no path leads there
            if (mark != is_marked_.end() && !std::exchange(mark->second, true)) {
                marked_count_++;
            }
        }
    }
    void set(llvm::BitVector &live, const llvm::Value &value, uint64_t &bits) const
    {
        const unsigned number = numbers_.lookup(&value);
        bits += live.test(number) ? 0 : bits_[number];
        live.set(number);
    }
    void reset(llvm::BitVector &live, const llvm::Value &value, uint64_t &bits) const
    {
        const unsigned number = numbers_.lookup(&value);
        bits -= live.test(number) ? bits_[number] : 0;
        live.reset(number);
    }

    /* Phis are copies on the edge: their operands are live at the end of the block before. */
    llvm::BitVector block_end(const llvm::BasicBlock &block, uint64_t &bits) const
    {
        llvm::BitVector live(size());
        for (const llvm::BasicBlock *next : llvm::successors(&block)) {
            auto start = starts_.find(next);
            if (start != starts_.end()) {
                live |= start->second;
            }
        }
        for (unsigned number : live.set_bits()) {
            bits += bits_[number];
        }
        for (const llvm::BasicBlock *next : llvm::successors(&block)) {
            for (const llvm::PHINode &phi : next->phis()) {
                const llvm::Value *value = phi.getIncomingValueForBlock(&block);
                if (is_ssa_value(*value) && !has_fault(Fault::PhiOperandsDropped)) {
                    set(live, *value, bits);
                }
            }
        }
        return live;
    }

    llvm::BitVector walk(
        const llvm::BasicBlock &block, std::vector<uint64_t> *before, std::vector<uint64_t> *across
    )
    {
        uint64_t bits = 0;
        std::optional<uint64_t> phi_bits;
        llvm::BitVector live = block_end(block, bits);
        unsigned number = index_.number(*block.getTerminator()) + 1;
        for (const llvm::Instruction &instruction : llvm::reverse(block)) {
            if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) { // these have no numbers
                continue;
            }
            number--;
            const bool is_phi = llvm::isa<llvm::PHINode>(instruction);
            phi_bits = is_phi ? phi_bits.value_or(bits) : phi_bits;
            if (is_phi && before != nullptr) {
                (*before)[number] =
                    *phi_bits; // all at once: phis have their values when the block starts
            }
            if (is_ssa_value(instruction)) {
                reset(live, instruction, bits);
            }
            if (is_phi) {
                continue;
            }
            step_over_call(instruction, live, bits, number, across);
            for (const llvm::Use &operand : instruction.operands()) {
                if (is_ssa_value(*operand)) {
                    set(live, *operand, bits);
                }
            }
            if (before != nullptr) {
                (*before)[number] = bits;
            }
        }
        return live;
    }
    /* What is live where setjmp returns again must survive every call in between. */
    void step_over_call(
        const llvm::Instruction &instruction,
        llvm::BitVector &live,
        uint64_t &bits,
        unsigned number,
        std::vector<uint64_t> *across
    )
    {
        const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call == nullptr) {
            return;
        }
        if (returns_twice(*call)) {
            jump_live_ |= live;
        } else if (!llvm::isa<llvm::IntrinsicInst>(call)) {
            live |= jump_live_;
            bits = 0;
            for (unsigned value : live.set_bits()) {
                bits += bits_[value];
            }
        }
        if (across != nullptr) {
            (*across)[number] = bits;
        }
        if (is_naked_) { // its assembly finds them where the caller has put them
            for (const llvm::Argument &argument : call->getFunction()->args()) {
                set(live, argument, bits);
            }
        }
    }

    const ModuleIndex &index_;
    const llvm::DataLayout &layout_;
    std::vector<const llvm::BasicBlock *> order_;
    llvm::DenseMap<const llvm::Value *, unsigned> numbers_;
    std::vector<uint64_t> bits_;
    llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> starts_;
    llvm::BitVector jump_live_;
    llvm::DenseMap<const llvm::BasicBlock *, bool> is_marked_; // to be looked at again
    size_t marked_count_ = 0;
    bool is_naked_ = false;
};

} // namespace

SsaLiveness::SsaLiveness(const llvm::Module &module, const ModuleIndex &index)
    : before_(index.size(), 0), across_(index.size(), 0)
{
    for (const llvm::Function &function : module) {
        if (!function.isDeclaration()) {
            FunctionLiveness(function, index).solve(before_, across_);
        }
    }
}

} // namespace laxity::workingset
