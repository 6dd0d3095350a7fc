// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/defined.hpp"

#include "analysis/faults.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

namespace laxity::workingset {

MayDefined::MayDefined(
    const Roots &roots,
    const ObjectTable &objects,
    const CallGraph &graph,
    const Cells &cells,
    const Summaries &summaries,
    const ModuleIndex &index
)
    : objects_(objects), graph_(graph), cells_(cells), summaries_(summaries), index_(index),
      is_everything_(roots.is_everything)
{
    CellSet defined = roots.defined;
    for (unsigned cell = 0; cell < cells.size(); cell++) {
        everything_.set(cell);
        const Object &object = objects[cells[cell].object];
        if (object.kind == ObjectKind::Global) {
            defined.set(cell);
        } else if (object.kind == ObjectKind::ByvalCopy || object.kind == ObjectKind::Varargs) {
            written_by_call_[object.function].set(cell);
        }
    }
    for (const llvm::Function *root : roots.functions) {
        add_entry(*root, is_everything_ ? everything_ : defined);
    }
    for (const llvm::Function *root : roots.late_functions) {
        add_entry(*root, everything_);
    }
    while (!pending_.empty()) {
        solve(*pending_.pop_back_val());
    }
}

const CellSet *MayDefined::block_start(const llvm::BasicBlock &block) const
{
    auto found = starts_.find(&block);
    return found == starts_.end() ? nullptr : &found->second;
}

bool MayDefined::merge_into(const llvm::BasicBlock &block, const CellSet &defined)
{
    auto [place, is_new] = starts_.try_emplace(&block, defined);
    return is_new || (place->second |= defined);
}

bool MayDefined::add_entry(const llvm::Function &function, const CellSet &defined)
{
    CellSet at_entry = defined;
    if (!is_everything_) {
        at_entry.subtract(cells_.frame(function));
    }
    if (auto found = written_by_call_.find(&objects_.original(function));
        found != written_by_call_.end()) {
        at_entry |= found->second;
    }
    at_entry |= cells_.device_written();
    const bool has_changed = merge_into(function.getEntryBlock(), at_entry);
    if (has_changed) {
        pending_.insert(&function);
    }
    return has_changed;
}

void MayDefined::step(const llvm::Instruction &instruction, CellSet &defined) const
{
    if (is_everything_) {
        return;
    }
    if (const Effect *effect = cells_.effect(index_.number(instruction))) {
        if (effect->resets_definition) {
            defined.subtract(effect->kills);
        }
        defined |= effect->writes;
    }
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        call != nullptr && !has_fault(Fault::CalleeWritesDropped)) {
        for (const llvm::Function *callee : graph_.callees(*call)) {
            defined |= summaries_.written(*callee);
        }
    }
}

/* From the start of a block to its end, telling callees what is defined when they are entered. */
CellSet MayDefined::pass(const llvm::BasicBlock &block, const CellSet &start)
{
    CellSet defined = start;
    unsigned number = index_.number(block.front());
    for (const llvm::Instruction &instruction : block) {
        const bool touches_memory = cells_.effect(number++) != nullptr;
        if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
            CellSet at_entry = defined;
            if (summaries_.outside(*call).calls_back) {
                step(*call, at_entry); // outside, all of it may have happened before
            }
            for (const llvm::Function *callee : graph_.callees(*call)) {
                add_entry(*callee, at_entry);
            }
            step(instruction, defined);
        } else if (touches_memory) {
            step(instruction, defined);
        }
    }
    return defined;
}

void MayDefined::solve(const llvm::Function &function)
{
    const llvm::ReversePostOrderTraversal<const llvm::Function *> blocks(&function);
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (const llvm::BasicBlock *block : blocks) {
            const CellSet *start = block_start(*block);
            if (start == nullptr) {
                continue;
            }
            const CellSet defined = pass(*block, *start);
            for (const llvm::BasicBlock *next : llvm::successors(block)) {
                has_changed = merge_into(*next, defined) || has_changed;
            }
        }
    }
}

} // namespace laxity::workingset
