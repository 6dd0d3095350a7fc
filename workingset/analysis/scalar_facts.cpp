// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/scalar_facts.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/TargetParser/Triple.h>

namespace laxity::workingset {

namespace {

using llvm::PatternMatch::m_LogicalAnd;
using llvm::PatternMatch::m_LogicalOr;
using llvm::PatternMatch::m_Value;
using llvm::PatternMatch::match;

// An index is a sum of few terms; what lies deeper only costs time.
constexpr unsigned MAX_EXPRESSION_DEPTH = 5;

// Branches that are looked at on the way to a block; those of distant blocks seldom are about an
// index.
constexpr unsigned MAX_BRANCHES = 24;

// Phis and selects that pass a number on to each other.
constexpr unsigned MAX_WEB = 16;

// NOLINTBEGIN(cppcoreguidelines-pro-type-const-cast): see ScalarFacts
llvm::Function &changeable(const llvm::Function &function)
{
    return const_cast<llvm::Function &>(function);
}
llvm::Value *changeable(const llvm::Value &value)
{
    return const_cast<llvm::Value *>(&value);
}
// NOLINTEND(cppcoreguidelines-pro-type-const-cast)

unsigned no_wrap_kind(const llvm::BinaryOperator &operation)
{
    const auto *overflowing = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&operation);
    if (overflowing == nullptr) {
        return 0;
    }
    return (overflowing->hasNoSignedWrap() ? llvm::OverflowingBinaryOperator::NoSignedWrap : 0) |
           (overflowing->hasNoUnsignedWrap() ? llvm::OverflowingBinaryOperator::NoUnsignedWrap : 0);
}

} // namespace

llvm::ConstantRange StoredRanges::range(const llvm::LoadInst &load) const
{
    const unsigned bits = load.getType()->getIntegerBitWidth();
    const auto numbers = slots_of.find(&load);
    if (numbers == slots_of.end()) {
        return llvm::ConstantRange::getFull(bits);
    }
    auto values = llvm::ConstantRange::getEmpty(bits);
    for (const unsigned number : numbers->second) {
        values = values.unionWith(slots[number], llvm::ConstantRange::Signed);
    }
    return values;
}

ScalarFacts::ScalarFacts(const llvm::Function &function, const StoredRanges *stored)
    : stored_(stored), library_(llvm::Triple(function.getParent()->getTargetTriple())),
      library_info_(library_), dominators_(changeable(function)), loops_(dominators_),
      assumptions_(changeable(function)),
      evolution_(changeable(function), library_info_, assumptions_, dominators_, loops_)
{
}

const llvm::SCEV *ScalarFacts::scev(const llvm::Value &value)
{
    return evolution_.getSCEV(changeable(value));
}

std::optional<ScalarFacts::Walk> ScalarFacts::find_walk(const llvm::SCEV &place)
{
    if (const auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(&place)) {
        if (!recurrence->isAffine()) {
            return std::nullopt;
        }
        const llvm::Loop *loop = recurrence->getLoop();
        return Walk{
            .loop = loop,
            .start = evolution_.getSCEVAtScope(recurrence->getStart(), loop->getParentLoop()),
            .step = recurrence->getOperand(1)
        };
    }
    const auto *base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution_.getPointerBase(&place));
    const auto *phi = base == nullptr ? nullptr : llvm::dyn_cast<llvm::PHINode>(base->getValue());
    const llvm::Loop *loop = phi == nullptr ? nullptr : loops_.getLoopFor(phi->getParent());
    if (loop == nullptr || loop->getHeader() != phi->getParent() ||
        loop->getLoopLatch() == nullptr || loop->getLoopPredecessor() == nullptr) {
        return std::nullopt;
    }
    // What inner loops have moved on is at its last place when it comes back.
    const llvm::SCEV *back =
        evolution_.getSCEVAtScope(scev(*phi->getIncomingValueForBlock(loop->getLoopLatch())), loop);
    const llvm::SCEV *step = evolution_.getMinusSCEV(back, base);
    const llvm::SCEV *outside = evolution_.getSCEVAtScope(
        scev(*phi->getIncomingValueForBlock(loop->getLoopPredecessor())), loop->getParentLoop()
    );
    if (!llvm::isa<llvm::SCEVConstant>(step)) {
        return std::nullopt;
    }
    const llvm::SCEV *distance = evolution_.getMinusSCEV(&place, base);
    return Walk{.loop = loop, .start = evolution_.getAddExpr(outside, distance), .step = step};
}

llvm::ConstantRange ScalarFacts::range(const llvm::Value &integer, const llvm::BasicBlock &block)
{
    const auto known = ranges_.find({&integer, &block});
    if (known != ranges_.end()) {
        return known->second;
    }
    const llvm::ConstantRange found = range(integer, block, 0);
    ranges_.insert({{&integer, &block}, found});
    return found;
}

llvm::ConstantRange
ScalarFacts::range(const llvm::Value &integer, const llvm::BasicBlock &block, unsigned depth)
{
    if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(&integer)) {
        return {constant->getValue()};
    }
    const llvm::SCEV *expression = scev(integer);
    llvm::ConstantRange range =
        evolution_.getSignedRange(expression)
            .intersectWith(evolution_.getUnsignedRange(expression), llvm::ConstantRange::Signed);
    if (depth == MAX_EXPRESSION_DEPTH || range.isSingleElement()) {
        return range;
    }
    for (const llvm::ConstantRange &other :
         {range_by_operands(integer, block, depth + 1), range_by_branches(integer, block, depth + 1)
         }) {
        range = range.intersectWith(other, llvm::ConstantRange::Signed);
    }
    return range;
}

/* Operands are defined before their user, so what is known of them in the block was so then. */
llvm::ConstantRange ScalarFacts::range_by_operands(
    const llvm::Value &integer, const llvm::BasicBlock &block, unsigned depth
)
{
    if (const auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&integer)) {
        return range(*operation->getOperand(0), block, depth)
            .overflowingBinaryOp(
                operation->getOpcode(),
                range(*operation->getOperand(1), block, depth),
                no_wrap_kind(*operation)
            );
    }
    if (const auto *cast = llvm::dyn_cast<llvm::CastInst>(&integer);
        cast != nullptr && cast->getSrcTy()->isIntegerTy()) {
        return range(*cast->getOperand(0), block, depth)
            .castOp(cast->getOpcode(), integer.getType()->getIntegerBitWidth());
    }
    if (const auto *choice = llvm::dyn_cast<llvm::SelectInst>(&integer)) {
        return range(*choice->getTrueValue(), block, depth)
            .unionWith(range(*choice->getFalseValue(), block, depth), llvm::ConstantRange::Signed);
    }
    if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&integer);
        load != nullptr && stored_ != nullptr) {
        return stored_->range(*load);
    }
    const auto *phi = llvm::dyn_cast<llvm::PHINode>(&integer);
    const unsigned bits = integer.getType()->getIntegerBitWidth();
    if (phi == nullptr) {
        return llvm::ConstantRange::getFull(bits);
    }
    if (loops_.isLoopHeader(phi->getParent())) {
        return range_of_web(*phi, depth);
    }
    llvm::ConstantRange any = llvm::ConstantRange::getEmpty(bits);
    for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) {
        any = any.unionWith(
            range(*phi->getIncomingValue(i), *phi->getIncomingBlock(i), depth),
            llvm::ConstantRange::Signed
        );
    }
    return any;
}

/* What turns only pass on to each other: anything that comes into it from elsewhere. */
llvm::ConstantRange ScalarFacts::range_of_web(const llvm::PHINode &phi, unsigned depth)
{
    const unsigned bits = phi.getType()->getIntegerBitWidth();
    llvm::ConstantRange any = llvm::ConstantRange::getEmpty(bits);
    llvm::SmallSetVector<const llvm::Instruction *, MAX_WEB> web;
    web.insert(&phi);
    const auto add = [&](const llvm::Value &value, const llvm::BasicBlock &block) {
        // What counts turns is better known there than in all of its own.
        if (llvm::isa<llvm::PHINode, llvm::SelectInst>(value) &&
            llvm::isa<llvm::SCEVUnknown>(scev(value))) {
            web.insert(llvm::cast<llvm::Instruction>(&value));
        } else {
            any = any.unionWith(range(value, block, depth), llvm::ConstantRange::Signed);
        }
    };
    for (size_t i = 0; i < web.size() && !any.isFullSet(); i++) {
        if (web.size() > MAX_WEB) {
            return llvm::ConstantRange::getFull(bits);
        }
        if (const auto *choice = llvm::dyn_cast<llvm::SelectInst>(web[i])) {
            add(*choice->getTrueValue(), *choice->getParent());
            add(*choice->getFalseValue(), *choice->getParent());
            continue;
        }
        const auto &other = llvm::cast<llvm::PHINode>(*web[i]);
        for (unsigned j = 0; j < other.getNumIncomingValues(); j++) {
            add(*other.getIncomingValue(j), *other.getIncomingBlock(j));
        }
    }
    return any;
}

/* Every way into the block leads over certain edges; what the branches there have found out about
 * the integer still holds: none of these ways computes it anew. */
llvm::ConstantRange ScalarFacts::range_by_branches(
    const llvm::Value &integer, const llvm::BasicBlock &block, unsigned depth
)
{
    llvm::ConstantRange range =
        llvm::ConstantRange::getFull(integer.getType()->getIntegerBitWidth());
    const llvm::DomTreeNode *node = dominators_.getNode(&block);
    for (unsigned i = 0; node != nullptr && i < MAX_BRANCHES; i++, node = node->getIDom()) {
        const llvm::BasicBlock *from = node->getBlock()->getSinglePredecessor();
        const auto *branch =
            from == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
        if (branch != nullptr && branch->isConditional() &&
            branch->getSuccessor(0) != branch->getSuccessor(1)) {
            const bool holds = branch->getSuccessor(0) == node->getBlock();
            range = range.intersectWith(
                range_if(*branch->getCondition(), holds, integer, *from, depth),
                llvm::ConstantRange::Signed
            );
        }
    }
    return range;
}

/* What an integer can be if a condition, computed in `block` or before it, holds or does not. */
llvm::ConstantRange ScalarFacts::range_if(
    const llvm::Value &condition,
    bool holds,
    const llvm::Value &integer,
    const llvm::BasicBlock &block,
    unsigned depth
)
{
    llvm::ConstantRange range =
        llvm::ConstantRange::getFull(integer.getType()->getIntegerBitWidth());
    const llvm::Value *left = nullptr;
    const llvm::Value *right = nullptr;
    const bool is_both = match(&condition, m_LogicalAnd(m_Value(left), m_Value(right)));
    if (is_both || match(&condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
        if (is_both == holds && depth < MAX_EXPRESSION_DEPTH) {
            range = range_if(*left, holds, integer, block, depth + 1)
                        .intersectWith(
                            range_if(*right, holds, integer, block, depth + 1),
                            llvm::ConstantRange::Signed
                        );
        }
        return range;
    }
    const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&condition);
    if (compare == nullptr || compare->getOperand(0) == compare->getOperand(1)) {
        return range;
    }
    for (const unsigned side : {0U, 1U}) {
        if (compare->getOperand(side) == &integer) {
            const llvm::CmpInst::Predicate as_left =
                side == 0 ? compare->getPredicate() : compare->getSwappedPredicate();
            range = llvm::ConstantRange::makeAllowedICmpRegion(
                holds ? as_left : llvm::CmpInst::getInversePredicate(as_left),
                this->range(*compare->getOperand(1 - side), block, depth)
            );
        }
    }
    return range;
}

} // namespace laxity::workingset
