// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/loop_body.hpp"

#include "analysis/faults.hpp"

#include <algorithm>
#include <iterator>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace laxity::workingset {

namespace {

// Loops with more turns than that sweep more than any object holds.
constexpr uint64_t MAX_LOOP_TURNS = uint64_t{1} << 30;

std::optional<uint64_t> constant_length(const llvm::MemIntrinsic &block)
{
    const auto *length = llvm::dyn_cast<llvm::ConstantInt>(block.getLength());
    return length == nullptr ? std::nullopt : std::optional(length->getLimitedValue());
}

struct Destination {
    const llvm::Value *pointer;
    uint64_t length_bytes;
};

/* nullopt: it writes nothing, or nobody knows how much. */
std::optional<Destination>
find_destination(const llvm::Instruction &instruction, const llvm::DataLayout &layout)
{
    if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (const auto length = accessed_bytes(*store->getValueOperand()->getType(), layout)) {
            return Destination{store->getPointerOperand(), *length};
        }
    } else if (const auto *fill = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
        if (const std::optional<uint64_t> length = constant_length(*fill)) {
            return Destination{fill->getRawDest(), *length};
        }
    }
    return std::nullopt;
}

/* Is each way from the header of a loop to one of `ends` over one of `blocks`? */
bool are_on_every_way(
    const llvm::Loop &loop,
    const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &blocks,
    llvm::ArrayRef<llvm::BasicBlock *> ends
)
{
    llvm::SmallPtrSet<const llvm::BasicBlock *, 16> seen;
    llvm::SmallVector<const llvm::BasicBlock *, 16> open = {loop.getHeader()};
    while (!open.empty()) {
        const llvm::BasicBlock *block = open.pop_back_val();
        if (blocks.contains(block) || !loop.contains(block) || !seen.insert(block).second) {
            continue;
        }
        if (llvm::is_contained(ends, block)) {
            return false;
        }
        for (const llvm::BasicBlock *next : llvm::successors(block)) {
            open.push_back(next);
        }
    }
    return true;
}

void prune(LoopBody &body, const llvm::SmallDenseSet<unsigned> &written)
{
    std::erase_if(body.steps, [&](LoopBody::Step &step) {
        if (step.inner) {
            prune(*step.inner, written);
            return step.inner->steps.empty();
        }
        return !written.contains(step.touch->object);
    });
}

void find_written(const LoopBody &body, llvm::SmallDenseSet<unsigned> &written)
{
    for (const LoopBody::Step &step : body.steps) {
        if (!step.touch) {
            find_written(*step.inner, written);
        } else if (step.touch->is_write) {
            written.insert(step.touch->object);
        }
    }
}

void add_touch(LoopTouch touch, bool is_write, bool is_in_last, LoopBody &body)
{
    touch.is_write = is_write;
    touch.is_in_last = is_in_last;
    body.steps.push_back({.touch = std::move(touch), .inner = nullptr});
}

/* Both the writes and the rest stay in their order. By hand, since libstdc++'s stable_partition
 * calls what C++17 deprecates. */
void put_writes_first(LoopBody &body)
{
    std::vector<LoopBody::Step> writes;
    std::vector<LoopBody::Step> rest;
    for (LoopBody::Step &step : body.steps) {
        const bool is_write = step.touch && step.touch->is_write;
        (is_write ? writes : rest).push_back(std::move(step));
    }
    std::ranges::move(rest, std::back_inserter(writes));
    body.steps = std::move(writes);
}

} // namespace

LoopWriter::LoopWriter(
    const llvm::Function &function,
    ScalarFacts &facts,
    const Cells &cells,
    const PointerAnalysis &pointers,
    const ModuleIndex &index,
    FindCallTouches call_touches
)
    : facts_(facts), cells_(cells), pointers_(pointers), index_(index), call_touches_(call_touches),
      layout_(function.getParent()->getDataLayout())
{
    const llvm::ReversePostOrderTraversal<const llvm::Function *> blocks(&function);
    for (const llvm::BasicBlock *block : blocks) {
        order_[block] = static_cast<unsigned>(order_.size());
    }
    // In a loop that is entered at several places no order of its blocks is that of a turn.
    is_reducible_ = !llvm::containsIrreducibleCFG<const llvm::BasicBlock *>(blocks, facts.loops());
}

std::optional<LoopBody> LoopWriter::write_down(const llvm::Loop &loop)
{
    const std::optional<Turns> turns = find_turns(loop);
    if (!is_reducible_ || !turns) {
        return std::nullopt;
    }
    writable_ = find_writable(loop);
    if (writable_ && writable_->empty()) {
        return std::nullopt;
    }
    LoopBody body;
    body.back_edges = turns->back_edges;
    if (!add_loop({&loop}, *turns, true, body)) {
        return std::nullopt;
    }
    llvm::SmallDenseSet<unsigned> written;
    find_written(body, written);
    prune(body, written);
    return written.empty() ? std::nullopt : std::optional(std::move(body));
}

std::optional<LoopWriter::Turns> LoopWriter::find_turns(const llvm::Loop &loop)
{
    const auto *back_edges =
        llvm::dyn_cast<llvm::SCEVConstant>(facts_.evolution().getBackedgeTakenCount(&loop));
    if (back_edges == nullptr || loop.getLoopLatch() == nullptr ||
        back_edges->getAPInt().getActiveBits() >= 64 ||
        back_edges->getAPInt().getZExtValue() >= MAX_LOOP_TURNS) {
        return std::nullopt;
    }
    Turns turns{.back_edges = back_edges->getAPInt().getZExtValue(), .exits = {}};
    loop.getExitingBlocks(turns.exits);
    return turns;
}

/* Objects that a body may have writes of. */
std::optional<LoopWriter::Objects> LoopWriter::find_writable(const llvm::Loop &loop) const
{
    Objects objects;
    const auto add_targets = [&](const llvm::Value &pointer) {
        for (const Location &place : pointers_.targets(pointer)) {
            objects.insert(place.object);
        }
    };
    for (const llvm::BasicBlock *block : loop.blocks()) {
        for (const llvm::Instruction &instruction : *block) {
            if (llvm::isa<llvm::CallBase>(instruction) &&
                !llvm::isa<llvm::IntrinsicInst>(instruction)) {
                return std::nullopt;
            }
            if (const auto written = find_destination(instruction, layout_)) {
                add_targets(*written->pointer);
            }
        }
    }
    return objects;
}

bool LoopWriter::may_read_writable(const llvm::LoadInst &load) const
{
    return !writable_ ||
           llvm::any_of(pointers_.targets(*load.getPointerOperand()), [&](const Location &place) {
               return writable_->contains(place.object);
           });
}

/* The blocks of a loop itself and the headers of the loops in it. */
std::vector<const llvm::BasicBlock *> LoopWriter::in_order(const llvm::Loop &loop) const
{
    std::vector<const llvm::BasicBlock *> blocks;
    for (const llvm::BasicBlock *block : loop.blocks()) {
        const llvm::Loop *innermost = facts_.loops().getLoopFor(block);
        if (innermost == &loop ||
            (innermost->getParentLoop() == &loop && innermost->getHeader() == block)) {
            blocks.push_back(block);
        }
    }
    std::ranges::sort(blocks, {}, [&](const llvm::BasicBlock *block) {
        return order_.lookup(block);
    });
    return blocks;
}

bool LoopWriter::is_on_every_way(
    const llvm::BasicBlock &block, llvm::ArrayRef<llvm::BasicBlock *> ends
) const
{
    return llvm::all_of(ends, [&](const llvm::BasicBlock *end) {
        return facts_.dominators().dominates(&block, end);
    });
}

bool LoopWriter::add_loop(const Nest &nest, const Turns &turns, bool writes, LoopBody &body)
{
    const llvm::Loop &loop = *nest.back();
    const std::vector<Write> sure = writes ? find_writes(nest, turns) : std::vector<Write>();
    for (const llvm::BasicBlock *block : in_order(loop)) {
        if (const llvm::Loop *inner = facts_.loops().getLoopFor(block); inner != &loop) {
            if (!add_inner(*inner, nest, turns, writes, body)) {
                return false;
            }
            continue;
        }
        // The turn that leaves at the only exit does not come to what lies behind it.
        const bool is_in_last = turns.exits.size() != 1 || turns.exits.front() == block ||
                                !facts_.dominators().dominates(turns.exits.front(), block);
        const bool kills = writes && is_on_every_way(*block, {loop.getLoopLatch()});
        for (const llvm::Instruction &instruction : *block) {
            add_read(instruction, &nest, is_in_last, body);
            if (!add_call(
                    instruction, is_in_last, kills, is_on_every_way(*block, turns.exits), body
                )) {
                return false;
            }
            add_writes(instruction, sure, body);
        }
        add_joint_writes(*block, sure, loop, turns, body);
    }
    if (has_fault(Fault::LoopWritesFirst)) {
        put_writes_first(body);
    }
    return true;
}

bool LoopWriter::add_inner(
    const llvm::Loop &inner, const Nest &nest, const Turns &turns, bool writes, LoopBody &body
)
{
    const llvm::BasicBlock &header = *inner.getHeader();
    // The block that the turn leaves at may be one of the inner loop: then that began.
    const bool is_in_last = turns.exits.size() != 1 || inner.contains(turns.exits.front()) ||
                            !facts_.dominators().dominates(turns.exits.front(), &header);
    const std::optional<Turns> inner_turns = find_turns(inner);
    if (!inner_turns) {
        return add_blurred(inner, is_in_last, body);
    }
    auto next = std::make_unique<LoopBody>();
    next->depth = body.depth + 1;
    next->back_edges = inner_turns->back_edges;
    next->reads_in_last = is_in_last;
    next->writes_in_last = is_on_every_way(header, turns.exits);
    Nest deeper = nest;
    deeper.push_back(&inner);
    writes = writes && is_on_every_way(header, {nest.back()->getLoopLatch()});
    if (!add_loop(deeper, *inner_turns, writes, *next)) {
        return false;
    }
    body.steps.push_back({.touch = std::nullopt, .inner = std::move(next)});
    return true;
}

/* A loop with an unknown number of turns: what all of them may read, and no writes. */
bool LoopWriter::add_blurred(const llvm::Loop &loop, bool is_in_last, LoopBody &body)
{
    for (const llvm::BasicBlock *block : loop.blocks()) {
        for (const llvm::Instruction &instruction : *block) {
            add_read(instruction, nullptr, is_in_last, body);
            if (!add_call(instruction, is_in_last, false, false, body)) {
                return false;
            }
        }
    }
    return true;
}

bool LoopWriter::add_call(
    const llvm::Instruction &instruction,
    bool is_in_last,
    bool kills,
    bool kills_in_last,
    LoopBody &body
)
{
    const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) {
        return true;
    }
    const std::optional<CallTouches> touches = call_touches_(*call);
    if (!touches) {
        return false;
    }
    add_cells(touches->reads, false, is_in_last, body);
    if (kills) {
        add_cells(touches->kills, true, kills_in_last, body);
    }
    return true;
}

void LoopWriter::add_read(
    const llvm::Instruction &instruction, const Nest *nest, bool is_in_last, LoopBody &body
)
{
    std::optional<Bytes> bytes;
    if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (!may_read_writable(*load)) {
            return; // what it reads no write of this nest could kill, and its address takes long
        }
        if (const auto length = accessed_bytes(*load->getType(), layout_)) {
            bytes = {load->getPointerOperand(), *length};
        }
    } else if (const auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
        if (const std::optional<uint64_t> length = constant_length(*copy)) {
            bytes = {copy->getRawSource(), *length};
        }
    }
    if (const std::optional<LoopTouch> touch =
            bytes && nest != nullptr ? affine(*bytes, *nest) : std::nullopt) {
        add_touch(*touch, false, is_in_last, body);
        return;
    }
    const Effect *effect =
        index_.has_number(instruction) ? cells_.effect(index_.number(instruction)) : nullptr;
    if (effect != nullptr) {
        add_cells(effect->reads, false, is_in_last, body);
    }
}

/* The writes of the loop's own blocks to places that change by constant steps. */
std::vector<LoopWriter::Write> LoopWriter::find_writes(const Nest &nest, const Turns &turns)
{
    const llvm::Loop &loop = *nest.back();
    std::vector<Write> writes;
    for (const llvm::BasicBlock *block : loop.blocks()) {
        if (facts_.loops().getLoopFor(block) != &loop) {
            continue;
        }
        for (const llvm::Instruction &instruction : *block) {
            const std::optional<Destination> written = find_destination(instruction, layout_);
            std::optional<LoopTouch> touch =
                written ? affine({written->pointer, written->length_bytes}, nest) : std::nullopt;
            if (touch && cells_.is_single_instance(touch->object)) {
                touch->is_in_last = is_on_every_way(*block, turns.exits);
                writes.push_back(
                    {.touch = std::move(*touch),
                     .instruction = &instruction,
                     .is_alone = is_on_every_way(*block, {loop.getLoopLatch()})}
                );
            }
        }
    }
    return writes;
}

void LoopWriter::add_writes(
    const llvm::Instruction &instruction, const std::vector<Write> &writes, LoopBody &body
) const
{
    for (const Write &write : writes) {
        if (write.instruction == &instruction && write.is_alone) {
            add_touch(write.touch, true, write.touch.is_in_last, body);
        }
    }
}

/* Writes of one place on several ways, of which each turn takes one: done where the last of them
 * is. */
void LoopWriter::add_joint_writes(
    const llvm::BasicBlock &block,
    const std::vector<Write> &writes,
    const llvm::Loop &loop,
    const Turns &turns,
    LoopBody &body
) const
{
    for (const Write &write : writes) {
        if (write.is_alone || write.instruction->getParent() != &block) {
            continue;
        }
        llvm::SmallPtrSet<const llvm::BasicBlock *, 4> blocks;
        bool is_last_block = true;
        for (const Write &other : writes) {
            if (other.touch.is_same_place(write.touch)) {
                const llvm::BasicBlock *there = other.instruction->getParent();
                blocks.insert(there);
                is_last_block = is_last_block && order_.lookup(there) <= order_.lookup(&block);
            }
        }
        if (is_last_block && are_on_every_way(loop, blocks, {loop.getLoopLatch()})) {
            add_touch(write.touch, true, are_on_every_way(loop, blocks, turns.exits), body);
        }
    }
}

/* A pointer that is a constant plus constant steps for each turn of the loops of a nest. */
std::optional<LoopTouch> LoopWriter::affine(const Bytes &bytes, const Nest &nest)
{
    llvm::ScalarEvolution &evolution = facts_.evolution();
    LoopTouch touch;
    touch.width_bytes = bytes.length_bytes;
    // What an inner loop has moved on is at its last place.
    const llvm::SCEV *place = evolution.getSCEVAtScope(facts_.scev(*bytes.pointer), nest.back());
    while (const std::optional<ScalarFacts::Walk> walk = facts_.find_walk(*place)) {
        const auto loop = llvm::find(nest, walk->loop);
        const auto *step = llvm::dyn_cast<llvm::SCEVConstant>(walk->step);
        if (loop == nest.end() || step == nullptr || step->getAPInt().getSignificantBits() > 40) {
            return std::nullopt;
        }
        touch.strides.push_back(
            {.depth = static_cast<unsigned>(loop - nest.begin()),
             .bytes = step->getAPInt().getSExtValue()}
        );
        place = walk->start;
    }
    if (llvm::isa<llvm::SCEVAddRecExpr>(place)) {
        return std::nullopt;
    }
    const auto *base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution.getPointerBase(place));
    const auto *distance =
        base == nullptr ? nullptr
                        : llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(place, base));
    if (distance == nullptr || distance->getAPInt().getSignificantBits() > 40 ||
        bytes.length_bytes > static_cast<uint64_t>(MAX_SPAN_BYTES)) {
        return std::nullopt;
    }
    const auto targets = pointers_.targets(*base->getValue());
    if (targets.size() != 1) {
        return std::nullopt;
    }
    const Location &target = targets[0];
    if (!target.offset) {
        return std::nullopt;
    }
    touch.object = target.object;
    touch.first_byte = *target.offset + distance->getAPInt().getSExtValue();
    return touch;
}

void LoopWriter::add_cells(const CellSet &cells, bool is_write, bool is_in_last, LoopBody &body)
    const
{
    LoopTouch touch;
    for (const unsigned number : cells) {
        const Cell &cell = cells_[number];
        const auto first = static_cast<int64_t>(cell.first_byte);
        const uint64_t bytes = cell.end_byte - cell.first_byte;
        if (touch.width_bytes > 0 && touch.object == cell.object &&
            touch.first_byte + static_cast<int64_t>(touch.width_bytes) == first) {
            touch.width_bytes += bytes;
            continue;
        }
        if (touch.width_bytes > 0) {
            add_touch(touch, is_write, is_in_last, body);
        }
        touch.object = cell.object;
        touch.first_byte = first;
        touch.width_bytes = bytes;
    }
    if (touch.width_bytes > 0) {
        add_touch(touch, is_write, is_in_last, body);
    }
}

} // namespace laxity::workingset
