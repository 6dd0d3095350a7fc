// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "executed_part.hpp"

#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

namespace laxity::workingset::oracle {

namespace {

// Phis and the landing pad stay: the block is still where some edge leads.
llvm::Instruction *first_to_drop(llvm::BasicBlock &block)
{
    llvm::Instruction *first = block.getFirstNonPHI();
    return first->isEHPad() ? first->getNextNode() : first;
}

} // namespace

ExecutedPart::ExecutedPart(std::unique_ptr<llvm::Module> copy, std::vector<bool> is_left)
    : copy_(std::move(copy)), numbering_(*copy_), is_left_(std::move(is_left))
{
    std::vector<llvm::BasicBlock *> dropped;
    for (llvm::Function &function : *copy_) {
        for (llvm::BasicBlock &block : function) {
            bool is_executed = llvm::any_of(block, [&](const llvm::Instruction &instruction) {
                return is_left_[numbering_.number(instruction)];
            });
            if (!is_executed) {
                dropped.push_back(&block);
            }
        }
    }
    for (llvm::BasicBlock *block : dropped) {
        if (llvm::Instruction *first = first_to_drop(*block)) {
            llvm::changeToUnreachable(first, /*PreserveLCSSA=*/true);
        }
    }
}

llvm::Expected<std::unique_ptr<ExecutedPart>> ExecutedPart::analyse(
    const llvm::Module &module,
    const std::vector<bool> &is_executed,
    const StaticSets::Options &options
)
{
    std::unique_ptr<ExecutedPart> part(new ExecutedPart(llvm::CloneModule(module), is_executed));
    auto sets = StaticSets::analyse(*part->copy_, options);
    if (!sets) {
        return sets.takeError();
    }
    part->sets_ = std::move(*sets);
    return part;
}

std::vector<ExecutedPart::Counterpart>
ExecutedPart::counterparts(const StaticSets &whole, const Numbering &numbering) const
{
    std::vector<Counterpart> found(whole.object_count());
    auto add = [&](const llvm::Value &value, const llvm::Value *copied) {
        if (std::optional<unsigned> object = whole.object_of(value)) {
            std::optional<unsigned> left = copied ? sets_->object_of(*copied) : std::nullopt;
            found[*object] = {left.value_or(NO_OBJECT), true};
        }
    };
    for (size_t i = 0; i < numbering.globals.size(); i++) {
        add(*numbering.globals[i], numbering_.globals[i]);
    }
    for (size_t i = 0; i < numbering.arguments.size(); i++) {
        add(*numbering.arguments[i], numbering_.arguments[i]);
    }
    for (size_t i = 0; i < numbering.instructions.size(); i++) {
        add(*numbering.instructions[i], is_left_[i] ? numbering_.instructions[i] : nullptr);
    }
    return found;
}

} // namespace laxity::workingset::oracle
