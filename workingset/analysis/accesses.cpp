// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/accesses.hpp"

#include "analysis/faults.hpp"
#include "analysis/index_ranges.hpp"
#include "analysis/type_infos.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

namespace laxity::workingset {

namespace {

/* Of what is no constant, and beyond what any object has, nothing is known. */
std::optional<uint64_t> known_length(uint64_t bytes)
{
    return bytes < static_cast<uint64_t>(MAX_SPAN_BYTES) ? std::optional(bytes) : std::nullopt;
}
std::optional<uint64_t> constant_value(const llvm::Value &value)
{
    const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(&value);
    return constant == nullptr ? std::nullopt : known_length(constant->getLimitedValue());
}

class AccessFinder {
  public:
    AccessFinder(
        const llvm::Instruction &instruction, const PointerAnalysis &pointers, IndexRanges *ranges
    )
        : instruction_(instruction), pointers_(pointers), ranges_(ranges),
          layout_(instruction.getModule()->getDataLayout())
    {
    }

    InstructionAccesses find()
    {
        if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction_)) {
            add_read(*load->getPointerOperand(), accessed_bytes(*load->getType(), layout_));
            last().is_scalar = true;
            last().is_volatile = load->isVolatile();
        } else if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction_)) {
            add_write(
                *store->getPointerOperand(),
                accessed_bytes(*store->getValueOperand()->getType(), layout_)
            );
            last().is_scalar = true;
            last().is_volatile = store->isVolatile();
        } else if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction_)) {
            add_call(*call);
        } else if (const auto *landing = llvm::dyn_cast<llvm::LandingPadInst>(&instruction_)) {
            // Before it, while the handler was looked for: no instruction lies between.
            add_reads(find_type_infos(*landing));
        } else if (instruction_.mayReadOrWriteMemory() &&
                   !llvm::isa<llvm::FenceInst>(instruction_)) {
            // atomicrmw, cmpxchg, va_arg: a read, and a write of what may be the same value
            const bool is_va_arg = llvm::isa<llvm::VAArgInst>(instruction_);
            const std::optional<uint64_t> bytes =
                is_va_arg ? std::nullopt
                          : accessed_bytes(*instruction_.getOperand(1)->getType(), layout_);
            add_read(*instruction_.getOperand(0), bytes);
            add_write(*instruction_.getOperand(0), bytes);
            last().is_certain = false;
            result_.touches_escaped = is_va_arg;
        }
        return std::move(result_);
    }

  private:
    Access &last()
    {
        return result_.accesses.back();
    }
    /* What has no bytes (a copy of length 0, an empty struct) touches nothing, wherever it points.
     */
    void add(const llvm::Value &pointer, std::optional<uint64_t> bytes)
    {
        Access access;
        access.length_bytes = bytes;
        if (bytes != std::optional<uint64_t>(0)) {
            access.places = pointers_.targets(pointer);
        }
        if (bytes && pointer.getType()->isPointerTy()) {
            limit(pointer, *bytes, access);
        }
        result_.accesses.push_back(std::move(access));
    }
    /* Where the pointer's offset is not known, but its range: count from where its base points. */
    void limit(const llvm::Value &pointer, uint64_t bytes, Access &access)
    {
        const auto is_somewhere = [&](const Location &place) {
            return !place.offset && ranges_ != nullptr;
        };
        if (!llvm::any_of(access.places, is_somewhere)) {
            return;
        }
        const std::optional<Reach> reach = ranges_->reach(pointer, bytes, instruction_);
        if (!reach || reach->base == &pointer) {
            return;
        }
        access.places.clear();
        for (const Location &place : pointers_.targets(*reach->base)) {
            access.places.push_back(place);
        }
        const ByteRun &first = reach->runs.front();
        const bool is_known = llvm::none_of(access.places, is_somewhere);
        if (reach->runs.size() > 1 || !is_known ||
            first.end_byte - first.first_byte != static_cast<int64_t>(bytes)) {
            access.reach = reach->runs;
            return;
        }
        for (Location &place : access.places) { // a constant, though a computed one
            if (place.offset) {
                *place.offset += first.first_byte;
            }
        }
    }
    void add_read(const llvm::Value &pointer, std::optional<uint64_t> bytes)
    {
        add(pointer, bytes);
        last().is_read = true;
    }
    void add_reads(const TypeInfos &infos)
    {
        for (const llvm::GlobalVariable *info : infos) {
            add_read(*info, std::nullopt);
        }
    }
    void add_write(const llvm::Value &pointer, std::optional<uint64_t> bytes)
    {
        add(pointer, bytes);
        last().is_write = true;
        last().is_certain = bytes.has_value();
    }

    void add_call(const llvm::CallBase &call)
    {
        if (const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
            add_intrinsic(*intrinsic);
            return;
        }
        result_.touches_escaped = pointers_.may_call_unknown(call);
        const auto &callees = pointers_.callees(call);
        for (const llvm::Function *callee : callees) {
            add_byval_reads(call, *callee);
            if (!callee->isDeclaration()) {
                continue;
            }
            if (const ExternalModel *model = find_external_model(*callee)) {
                add_model(call, *model, callees.size() == 1 && holds_for(*model, call));
            }
        }
    }
    void add_byval_reads(const llvm::CallBase &call, const llvm::Function &callee)
    {
        for (unsigned i = 0; i < call.arg_size(); i++) {
            llvm::Type *type = call.isByValArgument(i) ? call.getParamByValType(i) : nullptr;
            if (i < callee.arg_size() && callee.getArg(i)->hasByValAttr()) {
                type = callee.getArg(i)->getParamByValType();
            }
            if (type != nullptr && !has_fault(Fault::ByvalReadsDropped)) {
                add_read(*call.getArgOperand(i), accessed_bytes(*type, layout_));
            }
        }
    }
    void add_intrinsic(const llvm::IntrinsicInst &call)
    {
        if (const auto *block = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
            const std::optional<uint64_t> bytes = constant_value(*block->getLength());
            add_write(*block->getRawDest(), bytes);
            last().is_volatile = block->isVolatile();
            if (const auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(block);
                transfer != nullptr && !has_fault(Fault::BlockReadsDropped)) {
                add_read(*transfer->getRawSource(), bytes);
                last().is_volatile = block->isVolatile();
            }
        } else if (llvm::isa<llvm::VAStartInst>(call)) {
            add_write(*call.getArgOperand(0), std::nullopt);
        } else if (llvm::isa<llvm::VACopyInst>(call)) {
            add_write(*call.getArgOperand(0), std::nullopt);
            add_read(*call.getArgOperand(1), std::nullopt);
        } else if (is_masked(call)) {
            add_masked(call);
        } else if (!call.isLifetimeStartOrEnd() && !call.isAssumeLikeIntrinsic() &&
                   call.mayReadOrWriteMemory()) {
            add_other_intrinsic(call);
        }
    }
    void add_masked(const llvm::IntrinsicInst &call)
    {
        const bool is_store = call.getType()->isVoidTy();
        const llvm::Value &address = *call.getArgOperand(is_store ? 1 : 0);
        llvm::Type *type = is_store ? call.getArgOperand(0)->getType() : call.getType();
        // Of a vector of addresses each is one element's.
        const bool is_one_run = address.getType()->isPointerTy();
        add(address, is_one_run ? accessed_bytes(*type, layout_) : std::nullopt);
        last().length_bytes = accessed_bytes(is_one_run ? *type : *type->getScalarType(), layout_);
        (is_store ? last().is_write : last().is_read) = true;
    }
    /* An intrinsic that we do not know: it may read and write all that its arguments point to, also
     * from the elements of a vector, in either direction. */
    void add_other_intrinsic(const llvm::IntrinsicInst &call)
    {
        for (const llvm::Use &argument : call.args()) {
            if (argument->getType()->isPointerTy() || argument->getType()->isVectorTy()) {
                add_read(*argument, std::nullopt);
                last().is_write = true;
                for (Location &place : last().places) {
                    place.offset.reset();
                }
            }
        }
    }

    [[nodiscard]] std::optional<uint64_t>
    extent_bytes(const llvm::CallBase &call, const Extent &extent) const
    {
        switch (extent.kind) {
        case Extent::Kind::Constant:
            return extent.bytes;
        case Extent::Kind::Pointer:
            return layout_.getPointerSize();
        case Extent::Kind::Whole:
        case Extent::Kind::TypeInfo:
            return std::nullopt;
        case Extent::Kind::Arguments:
            break;
        }
        uint64_t bytes = 1;
        for (unsigned argument : extent.arguments) {
            const std::optional<uint64_t> value =
                argument < call.arg_size() ? constant_value(*call.getArgOperand(argument))
                                           : std::nullopt;
            if (!value) {
                return std::nullopt;
            }
            bytes = llvm::SaturatingMultiply(bytes, *value);
        }
        return known_length(bytes);
    }
    void add_model(const llvm::CallBase &call, const ExternalModel &model, bool is_all_it_does)
    {
        if (model.touches_kept && pointers_.may_keep_memory()) {
            result_.touches_escaped = true;
        }
        const auto for_each = [&](const ModelAccess &access, auto action) {
            for (unsigned i = 0; i < call.arg_size(); i++) {
                if (access.argument == i ||
                    (access.argument == ModelAccess::VARIADIC && is_unnamed(call, i, model))) {
                    action(*call.getArgOperand(i), extent_bytes(call, access.extent));
                }
            }
            if (access.argument == ModelAccess::RESULT) {
                action(call, extent_bytes(call, access.extent));
            }
        };
        for (const ModelAccess &access : model.writes) {
            for_each(access, [&](const llvm::Value &pointer, std::optional<uint64_t> bytes) {
                add_write(pointer, bytes);
                last().is_certain = access.is_certain && bytes && is_all_it_does;
            });
        }
        for (const ModelAccess &access : model.reads) {
            if (has_fault(Fault::ExternalReadsDropped)) {
                break;
            }
            for_each(access, [&](const llvm::Value &pointer, std::optional<uint64_t> bytes) {
                if (access.extent.kind == Extent::Kind::TypeInfo) {
                    add_reads(find_type_infos(pointer));
                } else {
                    add_read(pointer, bytes);
                }
            });
        }
    }

    const llvm::Instruction &instruction_;
    const PointerAnalysis &pointers_;
    IndexRanges *ranges_;
    const llvm::DataLayout &layout_;
    InstructionAccesses result_;
};

} // namespace

bool is_masked(const llvm::IntrinsicInst &call)
{
    switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_expandload:
    case llvm::Intrinsic::masked_gather:
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_compressstore:
    case llvm::Intrinsic::masked_scatter:
        return true;
    default:
        return false;
    }
}

InstructionAccesses find_accesses(
    const llvm::Instruction &instruction, const PointerAnalysis &pointers, IndexRanges *ranges
)
{
    return AccessFinder(instruction, pointers, ranges).find();
}

} // namespace laxity::workingset
