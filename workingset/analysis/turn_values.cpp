// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/turn_values.hpp"

#include "analysis/byte_runs.hpp"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace laxity::workingset {

namespace {

// What a turn computes of a number takes few instructions; what takes more is not looked at.
constexpr unsigned MAX_DEPTH = 64;

} // namespace

TurnValues::TurnValues(const llvm::LoopInfo &loops, const llvm::Loop &loop, unsigned turns)
    : loops_(loops), loop_(loop), layout_(loop.getHeader()->getModule()->getDataLayout()),
      turns_(turns)
{
}

/* Has one value per turn of the loop, none of inner loops. */
bool TurnValues::is_of_turn(const llvm::Instruction &instruction) const
{
    return loops_.getLoopFor(instruction.getParent()) == &loop_;
}

/* One that comes once from before the loop and once from its last turn. */
const llvm::PHINode *TurnValues::find_header_phi(const llvm::Value &value) const
{
    const auto *phi = llvm::dyn_cast<llvm::PHINode>(&value);
    const bool is_there = phi != nullptr && phi->getParent() == loop_.getHeader() &&
                          loop_.getLoopLatch() != nullptr &&
                          loop_.getLoopPredecessor() != nullptr && phi->getNumIncomingValues() == 2;
    return is_there ? phi : nullptr;
}

std::optional<TurnPlaces> TurnValues::places(const llvm::Value &pointer)
{
    const llvm::Value *base = &pointer;
    while (const auto *gep = llvm::dyn_cast<llvm::GEPOperator>(base)) {
        base = gep->getPointerOperand();
    }
    const llvm::PHINode *phi = find_header_phi(*base);
    if (phi == nullptr || turns_ == 0 || turns_ > MAX_TURNS) {
        return std::nullopt;
    }
    const std::vector<int64_t> &walked = walk(*phi);
    const std::optional<Steps> steps = steps_from(*phi, pointer);
    if (walked.size() < turns_ || !steps) {
        return std::nullopt;
    }
    TurnPlaces places{
        .start = phi->getIncomingValueForBlock(loop_.getLoopPredecessor()), .offsets_bytes = {}
    };
    for (unsigned turn = 0; turn < turns_; turn++) {
        const std::optional<int64_t> bytes = distance(*steps, turn);
        if (!bytes) {
            return std::nullopt;
        }
        places.offsets_bytes.push_back(walked[turn] + *bytes);
    }
    return places;
}

/* How far a pointer is from where it started, by turn, as far as that is known. */
const std::vector<int64_t> &TurnValues::walk(const llvm::PHINode &phi)
{
    const auto [known, is_new] = walks_.try_emplace(&phi);
    if (!is_new) {
        return known->second;
    }
    std::vector<int64_t> &offsets = known->second;
    offsets.push_back(0);
    const std::optional<Steps> steps =
        steps_from(phi, *phi.getIncomingValueForBlock(loop_.getLoopLatch()));
    while (steps && offsets.size() < turns_) {
        const std::optional<int64_t> bytes =
            distance(*steps, static_cast<unsigned>(offsets.size()) - 1);
        if (!bytes) {
            break;
        }
        offsets.push_back(offsets.back() + *bytes);
    }
    return offsets;
}

/* What a pointer adds to that of the header; nullopt: it does not come from there in one turn. */
std::optional<TurnValues::Steps>
TurnValues::steps_from(const llvm::PHINode &phi, const llvm::Value &pointer) const
{
    Steps steps;
    const llvm::Value *base = &pointer;
    while (const auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(base)) {
        const unsigned bits = layout_.getIndexTypeSizeInBits(gep->getType());
        Step step{.strides = {}, .bytes = llvm::APInt(bits, 0)};
        if (gep->getType()->isVectorTy() || !is_of_turn(*gep) ||
            !llvm::cast<llvm::GEPOperator>(gep)->collectOffset(
                layout_, bits, step.strides, step.bytes
            )) {
            return std::nullopt;
        }
        steps.push_back(std::move(step));
        base = gep->getPointerOperand();
    }
    return base == &phi ? std::optional(std::move(steps)) : std::nullopt;
}

std::optional<int64_t> TurnValues::distance(const Steps &steps, unsigned turn)
{
    int64_t sum = 0;
    for (const Step &step : steps) {
        llvm::APInt bytes = step.bytes;
        for (const auto &[index, stride] : step.strides) {
            const std::optional<llvm::APInt> value = number(*index, turn, 0);
            if (!value) {
                return std::nullopt;
            }
            bytes += value->sextOrTrunc(bytes.getBitWidth()) * stride;
        }
        if (bytes.getSignificantBits() > 40) {
            return std::nullopt;
        }
        sum += bytes.getSExtValue();
        if (std::abs(sum) >= MAX_SPAN_BYTES) {
            return std::nullopt;
        }
    }
    return sum;
}

std::optional<llvm::APInt>
TurnValues::number(const llvm::Value &value, unsigned turn, unsigned depth)
{
    if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
        return constant->getValue();
    }
    const auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    if (instruction == nullptr || !value.getType()->isIntegerTy() || !is_of_turn(*instruction) ||
        depth == MAX_DEPTH) {
        return std::nullopt;
    }
    if (const auto known = numbers_.find({&value, turn}); known != numbers_.end()) {
        return known->second;
    }
    const std::optional<llvm::APInt> found = compute(*instruction, turn, depth + 1);
    numbers_[{&value, turn}] = found;
    return found;
}

std::optional<llvm::APInt>
TurnValues::compute(const llvm::Instruction &instruction, unsigned turn, unsigned depth)
{
    if (llvm::isa<llvm::PHINode>(instruction)) {
        const llvm::PHINode *phi = find_header_phi(instruction);
        if (phi == nullptr) {
            return std::nullopt;
        }
        // Whoever asks for a turn has asked for those before it.
        return turn == 0
                   ? number(
                         *phi->getIncomingValueForBlock(loop_.getLoopPredecessor()), 0, MAX_DEPTH
                     )
                   : number(*phi->getIncomingValueForBlock(loop_.getLoopLatch()), turn - 1, depth);
    }
    if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::SelectInst, llvm::ICmpInst>(
            instruction
        )) {
        return std::nullopt;
    }
    llvm::SmallVector<llvm::Constant *, 3> operands;
    for (const llvm::Value *operand : instruction.operand_values()) {
        const std::optional<llvm::APInt> value = number(*operand, turn, depth);
        if (!value) {
            return std::nullopt;
        }
        operands.push_back(llvm::ConstantInt::get(operand->getType(), *value));
    }
    // What is undefined, as a division by zero, is no number.
    const llvm::Constant *result = nullptr;
    if (const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
        result = llvm::ConstantFoldCompareInstOperands(
            compare->getPredicate(), operands[0], operands[1], layout_
        );
    } else {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): LLVM asks for it, changes nothing
        auto &same = const_cast<llvm::Instruction &>(instruction);
        result = llvm::ConstantFoldInstOperands(&same, operands, layout_);
    }
    const auto *constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(result);
    return constant == nullptr ? std::nullopt : std::optional(constant->getValue());
}

} // namespace laxity::workingset
