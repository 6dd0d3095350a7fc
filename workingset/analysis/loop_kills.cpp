// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/loop_kills.hpp"

#include "analysis/faults.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/TargetParser/Triple.h>

namespace laxity::workingset {

namespace {

// Loops with more turns than that sweep more than any object holds.
constexpr uint64_t MAX_TURNS = uint64_t{1} << 30;

/* What an instruction writes each time it runs: where, and how many bytes. */
struct Sweep {
    const llvm::SCEV *start;
    uint64_t length_bytes;
};

class FunctionLoops {
  public:
    // LLVM's analyses want a function that could be changed; they do not change it.
    FunctionLoops(
        llvm::Function &function,
        const Cells &cells,
        const PointerAnalysis &pointers,
        const ModuleIndex &index,
        CallReads call_reads
    )
        : cells_(cells), pointers_(pointers), index_(index), call_reads_(call_reads),
          layout_(function.getParent()->getDataLayout()),
          library_(llvm::Triple(function.getParent()->getTargetTriple())), library_info_(library_),
          dominators_(function), loops_(dominators_), assumptions_(function),
          evolution_(function, library_info_, assumptions_, dominators_, loops_)
    {
    }

    [[nodiscard]] std::vector<llvm::Loop *> loops()
    {
        const auto all = loops_.getLoopsInPreorder();
        return {all.begin(), all.end()};
    }

    CellSet killed_by(const llvm::Loop &loop)
    {
        CellSet killed;
        std::vector<const llvm::Instruction *> writers;
        for (const llvm::BasicBlock *block : loop.blocks()) {
            for (const llvm::Instruction &instruction : *block) {
                const CellSet swept = swept_by(instruction, loop);
                if (!swept.empty()) {
                    writers.push_back(&instruction);
                    killed |= swept;
                }
            }
        }
        if (!killed.empty() && !has_fault(Fault::LoopKillsReadFirst) &&
            !remove_reads(loop, writers, killed)) {
            killed.clear();
        }
        return killed;
    }

  private:
    std::optional<Sweep> written_by(const llvm::Instruction &instruction)
    {
        if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
            const llvm::TypeSize size =
                layout_.getTypeStoreSize(store->getValueOperand()->getType());
            return size.isScalable()
                       ? std::nullopt
                       : std::optional(Sweep{scev(store->getPointerOperand()), size.getFixedValue()}
                         );
        }
        if (const auto *block = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
            const auto *length = llvm::dyn_cast<llvm::ConstantInt>(block->getLength());
            return length == nullptr
                       ? std::nullopt
                       : std::optional(Sweep{scev(block->getRawDest()), length->getZExtValue()});
        }
        return std::nullopt;
    }

    const llvm::SCEV *scev(const llvm::Value *pointer)
    {
        return evolution_.getSCEV(const_cast<llvm::Value *>(pointer)
        ); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    }

    /* How often `block` runs before the loop is left; 0: not known, or not in every turn. */
    uint64_t turns(const llvm::Loop &loop, const llvm::BasicBlock &block)
    {
        const llvm::BasicBlock *exiting = loop.getExitingBlock();
        const llvm::BasicBlock *latch = loop.getLoopLatch();
        if (exiting == nullptr || latch == nullptr || !dominators_.dominates(&block, latch)) {
            return 0;
        }
        const auto *back_edges =
            llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getBackedgeTakenCount(&loop));
        if (back_edges == nullptr) {
            return 0;
        }
        const uint64_t count = back_edges->getAPInt().getLimitedValue(MAX_TURNS);
        return count < MAX_TURNS ? count + (dominators_.dominates(&block, exiting) ? 1 : 0) : 0;
    }

    /* Widen what one turn writes to what the loop writes; false: not known. */
    bool sweep_loop(const llvm::Loop &loop, uint64_t turns, Sweep &sweep)
    {
        const auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(sweep.start);
        if (recurrence == nullptr || recurrence->getLoop() != &loop) {
            return evolution_.isLoopInvariant(sweep.start, &loop);
        }
        const auto *step =
            llvm::dyn_cast<llvm::SCEVConstant>(recurrence->getStepRecurrence(evolution_));
        if (!recurrence->isAffine() || step == nullptr) {
            return false;
        }
        const int64_t stride = step->getAPInt().getSExtValue();
        const uint64_t distance = stride < 0 ? uint64_t{0} - static_cast<uint64_t>(stride)
                                             : static_cast<uint64_t>(stride);
        if (distance > sweep.length_bytes) {
            return false;
        }
        const uint64_t way = (turns - 1) * distance;
        sweep.start = recurrence->getStart();
        if (stride < 0) {
            sweep.start =
                evolution_.getMinusSCEV(sweep.start, evolution_.getConstant(step->getType(), way));
        }
        sweep.length_bytes += way;
        return true;
    }

    CellSet swept_by(const llvm::Instruction &instruction, const llvm::Loop &loop)
    {
        std::optional<Sweep> sweep = written_by(instruction);
        if (!sweep || !evolution_.isSCEVable(sweep->start->getType())) {
            return {};
        }
        const llvm::BasicBlock *block = instruction.getParent();
        for (const llvm::Loop *around = loops_.getLoopFor(block);;
             around = around->getParentLoop()) {
            const uint64_t count = turns(*around, *block);
            if (count == 0 || !sweep_loop(*around, count, *sweep)) {
                return {};
            }
            if (around == &loop) {
                break;
            }
            block = around->getHeader();
        }
        return covered(*sweep);
    }

    CellSet covered(const Sweep &sweep)
    {
        const auto *base =
            llvm::dyn_cast<llvm::SCEVUnknown>(evolution_.getPointerBase(sweep.start));
        if (base == nullptr) {
            return {};
        }
        const auto *distance =
            llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(sweep.start, base));
        const auto targets = pointers_.targets(*base->getValue());
        if (distance == nullptr || targets.size() != 1) {
            return {};
        }
        const Location &place = targets[0];
        if (!place.offset || !cells_.is_single_instance(place.object)) {
            return {};
        }
        const int64_t offset = *place.offset + distance->getAPInt().getSExtValue();
        return offset < 0 ? CellSet()
                          : cells_.covered(
                                place.object, static_cast<uint64_t>(offset), sweep.length_bytes
                            );
    }

    /* A load of just what one of the writers has stored in the same turn reads nothing from before
     * the loop. */
    bool reads_own_write(
        const llvm::Instruction &load, const std::vector<const llvm::Instruction *> &writers
    )
    {
        const auto *read = llvm::dyn_cast<llvm::LoadInst>(&load);
        for (const llvm::Instruction *writer : writers) {
            const auto *store = llvm::dyn_cast<llvm::StoreInst>(writer);
            if (read == nullptr || store == nullptr) {
                continue;
            }
            const bool is_within =
                layout_.getTypeStoreSize(read->getType()).getKnownMinValue() <=
                layout_.getTypeStoreSize(store->getValueOperand()->getType()).getKnownMinValue();
            if (is_within && dominators_.dominates(store, read) &&
                loops_.getLoopFor(store->getParent()) == loops_.getLoopFor(read->getParent()) &&
                scev(store->getPointerOperand()) == scev(read->getPointerOperand())) {
                return true;
            }
        }
        return false;
    }

    /* Keep only what the instruction does not read first; false: it may leave the loop in the
     * middle. */
    bool remove_reads(
        const llvm::Instruction &instruction,
        const std::vector<const llvm::Instruction *> &writers,
        CellSet &killed
    )
    {
        if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
            const std::optional<CellSet> reads = call_reads_(*call);
            if (!reads) {
                return false;
            }
            killed.intersectWithComplement(*reads);
        }
        const Effect *effect =
            index_.has_number(instruction) ? cells_.effect(index_.number(instruction)) : nullptr;
        if (effect != nullptr && !reads_own_write(instruction, writers)) {
            killed.intersectWithComplement(effect->reads);
        }
        return true;
    }

    /* The same of all instructions of the loop. */
    bool remove_reads(
        const llvm::Loop &loop,
        const std::vector<const llvm::Instruction *> &writers,
        CellSet &killed
    )
    {
        for (const llvm::BasicBlock *block : loop.blocks()) {
            for (const llvm::Instruction &instruction : *block) {
                if (!remove_reads(instruction, writers, killed)) {
                    return false;
                }
            }
        }
        return true;
    }

    const Cells &cells_;
    const PointerAnalysis &pointers_;
    const ModuleIndex &index_;
    CallReads call_reads_;
    const llvm::DataLayout &layout_;
    llvm::TargetLibraryInfoImpl library_;
    llvm::TargetLibraryInfo library_info_;
    llvm::DominatorTree dominators_;
    llvm::LoopInfo loops_;
    llvm::AssumptionCache assumptions_;
    llvm::ScalarEvolution evolution_;
};

} // namespace

void LoopKills::add(
    const llvm::Function &function,
    const Cells &cells,
    const PointerAnalysis &pointers,
    const ModuleIndex &index,
    CallReads call_reads
)
{
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): see FunctionLoops
    FunctionLoops loops(const_cast<llvm::Function &>(function), cells, pointers, index, call_reads);
    for (const llvm::Loop *loop : loops.loops()) {
        const CellSet killed = loops.killed_by(*loop);
        for (const llvm::BasicBlock *from : llvm::predecessors(loop->getHeader())) {
            if (!killed.empty() && !loop->contains(from)) {
                edges_[{from, loop->getHeader()}] = killed;
            }
        }
    }
}

const CellSet *LoopKills::find(const llvm::BasicBlock &from, const llvm::BasicBlock &to) const
{
    auto found = edges_.find({&from, &to});
    return found == edges_.end() ? nullptr : &found->second;
}

} // namespace laxity::workingset
