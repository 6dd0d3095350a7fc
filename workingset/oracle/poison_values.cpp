// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "poison_values.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "value_liveness.hpp"

#include <algorithm>
#include <vector>

namespace laxity::workingset::oracle {

namespace {

class ValuePoisoner {
  public:
    explicit ValuePoisoner(llvm::Function &function)
        : function_(function), layout_(function.getParent()->getDataLayout()), liveness_(function)
    {
    }

    unsigned run();

  private:
    void make_slots();
    void find_deaths(llvm::BasicBlock &block);
    void store_results();
    void load_operands(llvm::Instruction &instruction);
    void replace_phis();
    void poison(llvm::Instruction &before, const llvm::BitVector &dead);
    [[nodiscard]] llvm::Value *loaded(llvm::IRBuilder<> &builder, llvm::Value *value);

    struct Death {
        llvm::Instruction *before;
        llvm::BitVector dead;
    };

    llvm::Function &function_;
    const llvm::DataLayout &layout_;
    ValueLiveness liveness_;
    llvm::DenseMap<llvm::Value *, llvm::AllocaInst *> slots_;
    std::vector<Death> deaths_;
    std::vector<llvm::Instruction *> originals_;
    std::vector<llvm::PHINode *> phis_;
};

// What was live or made just before an instruction and is not live at it.
void ValuePoisoner::find_deaths(llvm::BasicBlock &block)
{
    const auto &values = liveness_.values();
    llvm::BitVector known = liveness_.live_into(block);
    if (block.isEntryBlock() && function_.arg_size() > 0) {
        known = llvm::BitVector(static_cast<unsigned>(values.size()), true);
    }
    for (llvm::Instruction &instruction : block) {
        if (llvm::isa<llvm::PHINode>(instruction)) {
            continue;
        }
        // Nothing may stand before a landing pad: what dies at it dies at the next one.
        if (!llvm::isa<llvm::LandingPadInst>(instruction)) {
            llvm::BitVector live = liveness_.live_before(instruction);
            llvm::BitVector dead = known;
            dead.reset(live);
            if (dead.any() && !llvm::isa<llvm::AllocaInst>(instruction)) {
                deaths_.push_back({&instruction, dead});
            }
            known = live;
        }
        auto made = std::ranges::find(values, &instruction);
        if (made != values.end()) {
            known.set(static_cast<unsigned>(made - values.begin()));
        }
    }
}

void ValuePoisoner::make_slots()
{
    llvm::IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    for (llvm::Value *value : liveness_.values()) {
        slots_[value] = builder.CreateAlloca(value->getType());
    }
}

llvm::Value *ValuePoisoner::loaded(llvm::IRBuilder<> &builder, llvm::Value *value)
{
    auto slot = slots_.find(value);
    return slot == slots_.end() ? value : builder.CreateLoad(value->getType(), slot->second);
}

void ValuePoisoner::store_results()
{
    for (llvm::Argument &argument : function_.args()) {
        if (llvm::AllocaInst *slot = slots_.lookup(&argument)) {
            llvm::IRBuilder<> builder(slots_[liveness_.values().back()]->getNextNode());
            builder.CreateStore(&argument, slot);
        }
    }
    for (llvm::Instruction *instruction : originals_) {
        llvm::AllocaInst *slot = slots_.lookup(instruction);
        if (slot && !llvm::isa<llvm::PHINode>(instruction)) {
            auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(instruction);
            llvm::IRBuilder<> builder(
                invoke ? &*invoke->getNormalDest()->getFirstInsertionPt()
                       : instruction->getNextNode()
            );
            builder.CreateStore(instruction, slot);
        }
    }
}

void ValuePoisoner::load_operands(llvm::Instruction &instruction)
{
    llvm::IRBuilder<> builder(&instruction);
    for (llvm::Use &use : instruction.operands()) {
        use.set(loaded(builder, use.get()));
    }
}

// A phi takes its value over in two steps, because all phis of a block change at once.
void ValuePoisoner::replace_phis()
{
    std::vector<llvm::AllocaInst *> arrivals;
    llvm::IRBuilder<> entry(slots_.begin()->second);
    for (llvm::PHINode *phi : phis_) {
        arrivals.push_back(entry.CreateAlloca(phi->getType()));
        for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) {
            llvm::IRBuilder<> builder(phi->getIncomingBlock(i)->getTerminator());
            builder.CreateStore(loaded(builder, phi->getIncomingValue(i)), arrivals.back());
        }
    }
    for (size_t i = phis_.size(); i-- > 0;) {
        llvm::BasicBlock *block = phis_[i]->getParent();
        llvm::IRBuilder<> builder(block, block->getFirstInsertionPt());
        builder.CreateStore(builder.CreateLoad(phis_[i]->getType(), arrivals[i]), slots_[phis_[i]]);
    }
    for (llvm::PHINode *phi : phis_) {
        phi->replaceAllUsesWith(llvm::PoisonValue::get(phi->getType()));
        phi->eraseFromParent();
    }
}

void ValuePoisoner::poison(llvm::Instruction &before, const llvm::BitVector &dead)
{
    llvm::IRBuilder<> builder(&before);
    llvm::Module &module = *function_.getParent();
    auto *type = llvm::FunctionType::get(
        builder.getVoidTy(), {builder.getPtrTy(), builder.getInt64Ty()}, false
    );
    for (unsigned value : dead.set_bits()) {
        llvm::AllocaInst *slot = slots_[liveness_.values()[value]];
        uint64_t size_bytes = layout_.getTypeStoreSize(slot->getAllocatedType());
        builder.CreateCall(
            module.getOrInsertFunction("laxity_poison_bytes", type),
            {slot, builder.getInt64(size_bytes)}
        );
    }
}

unsigned ValuePoisoner::run()
{
    if (liveness_.values().empty()) {
        return 0;
    }
    for (llvm::BasicBlock &block : function_) {
        for (llvm::Instruction &instruction : block) {
            originals_.push_back(&instruction);
            if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
                phis_.push_back(phi);
            }
        }
    }
    for (llvm::BasicBlock &block : function_) {
        find_deaths(block);
    }
    make_slots();
    unsigned count = 0;
    // In this order, so that before an instruction come: garbage, then the loads of its operands.
    for (const Death &death : deaths_) {
        poison(*death.before, death.dead);
        count += death.dead.count();
    }
    for (llvm::Instruction *instruction : originals_) {
        if (!llvm::isa<llvm::PHINode>(instruction) &&
            !llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) {
            load_operands(*instruction);
        }
    }
    store_results();
    replace_phis();
    return count;
}

// Exceptions of Windows: what stands in a funclet has no place of its own.
bool has_funclets(const llvm::Function &function)
{
    return llvm::any_of(function, [](const llvm::BasicBlock &block) {
        const llvm::Instruction &first = *block.getFirstNonPHI();
        return first.isEHPad() && !llvm::isa<llvm::LandingPadInst>(first);
    });
}

// The result of an invoke is stored where only the way on from it comes by; a phi takes it over
// from there.
void split_ways_on(llvm::Function &function)
{
    std::vector<llvm::InvokeInst *> invokes;
    for (llvm::BasicBlock &block : function) {
        if (auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator())) {
            invokes.push_back(invoke);
        }
    }
    for (llvm::InvokeInst *invoke : invokes) {
        llvm::BasicBlock *next = invoke->getNormalDest();
        auto *between = llvm::BasicBlock::Create(function.getContext(), "", &function, next);
        llvm::IRBuilder<>(between).CreateBr(next);
        invoke->setNormalDest(between);
        next->replacePhiUsesWith(invoke->getParent(), between);
    }
}

} // namespace

unsigned poison_values(llvm::Module &module)
{
    unsigned count = 0;
    for (llvm::Function &function : module) {
        if (!function.isDeclaration() && !has_funclets(function)) {
            split_ways_on(function);
            count += ValuePoisoner(function).run();
        }
    }
    return count;
}

} // namespace laxity::workingset::oracle
