// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/module_index.hpp"

#include "analysis/byte_runs.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/CheckedArithmetic.h>

namespace laxity::workingset {

ModuleIndex::ModuleIndex(const llvm::Module &module)
{
    const unsigned count = module.getInstructionCount();
    numbers_.reserve(count);
    instructions_.reserve(count);
    places_.reserve(count);
    for (const llvm::Function &function : module) {
        const unsigned first = size();
        const auto first_site = static_cast<unsigned>(sites_.size());
        unsigned block_number = 0;
        for (const llvm::BasicBlock &block : function) {
            add_block(block, block_number++);
        }
        bodies_[&function] = {
            .instructions = size() - first,
            .first_site = first_site,
            .end_site = static_cast<unsigned>(sites_.size())
        };
    }
}

void ModuleIndex::add_block(const llvm::BasicBlock &block, unsigned block_number)
{
    unsigned index = 0;
    for (const llvm::Instruction &instruction : block) {
        if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) {
            continue;
        }
        numbers_[&instruction] = size();
        instructions_.push_back(&instruction);
        places_.push_back({.block = block_number, .index = index++});
        if (llvm::isa<llvm::CallBase, llvm::AllocaInst>(instruction)) {
            sites_.push_back(&instruction);
        }
    }
}

llvm::ArrayRef<const llvm::Instruction *>
ModuleIndex::calls_and_allocas(const llvm::Function &function) const
{
    const Body body = bodies_.lookup(&function);
    return llvm::ArrayRef(sites_).slice(body.first_site, body.end_site - body.first_site);
}

namespace {

constexpr auto MOST_BYTES = static_cast<uint64_t>(MAX_SPAN_BYTES);
constexpr uint64_t BITS_PER_BYTE = 8;

/* Whether the parts of a type are too large together: LLVM adds them up in 64 bits, and would begin
 * anew. */
bool is_too_large(llvm::Type &type, uint64_t copies, const llvm::DataLayout &layout)
{
    if (copies > MOST_BYTES) {
        return true;
    }
    if (auto *array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
        const auto all = llvm::checkedMulUnsigned(copies, array->getNumElements());
        return !all || (*all > 0 && is_too_large(*array->getElementType(), *all, layout));
    }
    if (auto *fields = llvm::dyn_cast<llvm::StructType>(&type)) {
        return llvm::any_of(fields->elements(), [&](llvm::Type *field) {
            return is_too_large(*field, copies, layout);
        });
    }
    const auto all =
        llvm::checkedMulUnsigned(copies, layout.getTypeAllocSize(&type).getKnownMinValue());
    return !all || *all > MOST_BYTES;
}

/* Of `type`, by one of LLVM's measures. */
template <typename Measure>
std::optional<uint64_t> known_bytes(llvm::Type &type, const llvm::DataLayout &layout, Measure size)
{
    if (!type.isSized() || type.isScalableTy() ||
        (type.isAggregateType() && is_too_large(type, 1, layout))) {
        return std::nullopt;
    }
    const uint64_t bytes = size(&type).getFixedValue();
    return bytes > MOST_BYTES ? std::nullopt : std::optional(bytes);
}

/* How many times longer a scalable vector may be than its shortest; nullopt: nobody says. */
std::optional<uint64_t> longest_vector(const llvm::Value &value)
{
    const auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    const llvm::Function *function = instruction != nullptr
                                         ? instruction->getFunction()
                                         : llvm::cast<llvm::Argument>(value).getParent();
    const llvm::Attribute range = function->getFnAttribute(llvm::Attribute::VScaleRange);
    return range.isValid() ? range.getVScaleRangeMax() : std::nullopt;
}

} // namespace

std::optional<uint64_t> accessed_bytes(llvm::Type &type, const llvm::DataLayout &layout)
{
    return known_bytes(type, layout, [&](llvm::Type *one) { return layout.getTypeStoreSize(one); });
}

std::optional<uint64_t> allocated_bytes(llvm::Type &type, const llvm::DataLayout &layout)
{
    return known_bytes(type, layout, [&](llvm::Type *one) { return layout.getTypeAllocSize(one); });
}

std::optional<uint64_t>
allocated_bytes(const llvm::AllocaInst &alloca, const llvm::DataLayout &layout)
{
    const auto *count = llvm::dyn_cast<llvm::ConstantInt>(alloca.getArraySize());
    const std::optional<uint64_t> bytes = allocated_bytes(*alloca.getAllocatedType(), layout);
    if (count == nullptr || !bytes) {
        return std::nullopt;
    }
    const auto all = llvm::checkedMulUnsigned(*bytes, count->getLimitedValue());
    return all && *all <= MOST_BYTES ? all : std::nullopt;
}

std::optional<uint64_t> value_bits(const llvm::Value &value, const llvm::DataLayout &layout)
{
    llvm::Type &type = *value.getType();
    if (!type.isSized()) {
        return 0;
    }
    const std::optional<uint64_t> times = type.isScalableTy() ? longest_vector(value) : 1;
    if (!times || (type.isAggregateType() && is_too_large(type, *times, layout))) {
        return std::nullopt;
    }
    const auto bits =
        llvm::checkedMulUnsigned(layout.getTypeSizeInBits(&type).getKnownMinValue(), *times);
    return bits && *bits <= MOST_BYTES * BITS_PER_BYTE ? bits : std::nullopt;
}

const llvm::Function *find_value_without_size(const llvm::Module &module)
{
    const llvm::DataLayout &layout = module.getDataLayout();
    const auto has_none = [&](const llvm::Value &value) {
        return is_ssa_value(value) && !value_bits(value, layout);
    };
    for (const llvm::Function &function : module) {
        if (!function.isDeclaration() && (llvm::any_of(function.args(), has_none) ||
                                          llvm::any_of(llvm::instructions(function), has_none))) {
            return &function;
        }
    }
    return nullptr;
}

bool is_ssa_value(const llvm::Value &value)
{
    if (llvm::isa<llvm::Argument>(value)) {
        return true;
    }
    return llvm::isa<llvm::Instruction>(value) && !llvm::isa<llvm::AllocaInst>(value) &&
           !value.getType()->isVoidTy();
}

} // namespace laxity::workingset
