// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/filled_bytes.hpp"

#include "analysis/objects.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace laxity::workingset {

namespace {

// Arrays that indices are kept in are small.
constexpr uint64_t MAX_FILLED_BYTES = uint64_t{1} << 16;
constexpr uint64_t MAX_FILLED_TURNS = uint64_t{1} << 16;

class Filler {
  public:
    Filler(
        unsigned object,
        const ObjectTable &objects,
        const PointerAnalysis &pointers,
        const llvm::Instruction &at,
        ScalarFacts &facts
    )
        : object_(object), pointers_(pointers), at_(at), facts_(facts),
          bytes_(static_cast<unsigned>(objects[object].size_bytes.value_or(0)))
    {
        for (const llvm::Instruction &instruction : llvm::instructions(*at.getFunction())) {
            const auto *marker = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            if (marker != nullptr && marker->isLifetimeStartOrEnd() &&
                objects.find(*marker->getArgOperand(1)->stripPointerCasts()) == object) {
                markers_.push_back(marker);
            }
        }
    }

    void add(const StoredWrite &write)
    {
        const llvm::StoreInst *store = write.store;
        if (store == nullptr || store->getFunction() != at_.getFunction() || !write.length_bytes ||
            pointers_.targets(*store->getPointerOperand()).size() != 1) {
            return;
        }
        if (write.place.offset) {
            if (is_before(*store)) {
                set(*write.place.offset, *write.length_bytes);
            }
            return;
        }
        add_loop(*store, *write.length_bytes);
    }

    [[nodiscard]] const llvm::BitVector &bytes() const
    {
        return bytes_;
    }

  private:
    /* On every way to `at`, and the object's life begins before it, not in between: a way from
     * there to `at` would have to come by again. */
    [[nodiscard]] bool is_before(const llvm::Instruction &instruction) const
    {
        return facts_.dominators().dominates(&instruction, &at_) &&
               llvm::all_of(markers_, [&](const llvm::IntrinsicInst *marker) {
                   return marker->getIntrinsicID() == llvm::Intrinsic::lifetime_end ||
                          facts_.dominators().dominates(marker, &instruction);
               });
    }

    void set(int64_t first, uint64_t length)
    {
        if (first >= 0 && static_cast<uint64_t>(first) + length <= bytes_.size()) {
            bytes_.set(static_cast<unsigned>(first), static_cast<unsigned>(first + length));
        }
    }

    /* A store of each turn of a loop that is over when `at` is reached. */
    void add_loop(const llvm::StoreInst &store, uint64_t length_bytes)
    {
        const llvm::Loop *loop = facts_.loops().getLoopFor(store.getParent());
        if (loop == nullptr || loop->contains(&at_) || loop->getLoopLatch() == nullptr ||
            !is_before(*loop->getHeader()->getFirstNonPHI()) ||
            !facts_.dominators().dominates(store.getParent(), loop->getLoopLatch()) ||
            llvm::any_of(markers_, [&](const llvm::IntrinsicInst *marker) {
                return loop->contains(marker);
            })) {
            return;
        }
        llvm::ScalarEvolution &evolution = facts_.evolution();
        const auto *back_edges =
            llvm::dyn_cast<llvm::SCEVConstant>(evolution.getBackedgeTakenCount(loop));
        const auto *walk =
            llvm::dyn_cast<llvm::SCEVAddRecExpr>(facts_.scev(*store.getPointerOperand()));
        if (back_edges == nullptr || back_edges->getAPInt().ugt(MAX_FILLED_TURNS) ||
            walk == nullptr || walk->getLoop() != loop || !walk->isAffine()) {
            return;
        }
        const auto *step = llvm::dyn_cast<llvm::SCEVConstant>(walk->getOperand(1));
        const auto *base =
            llvm::dyn_cast<llvm::SCEVUnknown>(evolution.getPointerBase(walk->getStart()));
        const auto *distance = base == nullptr ? nullptr
                                               : llvm::dyn_cast<llvm::SCEVConstant>(
                                                     evolution.getMinusSCEV(walk->getStart(), base)
                                                 );
        if (step == nullptr || distance == nullptr || step->getAPInt().getSignificantBits() > 40 ||
            distance->getAPInt().getSignificantBits() > 40) {
            return;
        }
        const auto targets = pointers_.targets(*base->getValue());
        if (targets.size() != 1 || targets[0].object != object_) {
            return;
        }
        const std::optional<int64_t> begin = targets[0].offset;
        if (!begin) {
            return;
        }
        // The turn that leaves the loop may do so before it comes to the store.
        const uint64_t turns = back_edges->getAPInt().getZExtValue();
        int64_t place = *begin + distance->getAPInt().getSExtValue();
        for (uint64_t turn = 0; turn < turns; turn++) {
            set(place, length_bytes);
            place += step->getAPInt().getSExtValue();
        }
    }

    unsigned object_;
    const PointerAnalysis &pointers_;
    const llvm::Instruction &at_;
    ScalarFacts &facts_;
    llvm::BitVector bytes_;
    llvm::SmallVector<const llvm::IntrinsicInst *, 4> markers_;
};

} // namespace

llvm::BitVector filled_bytes(
    unsigned object,
    const ObjectTable &objects,
    const PointerAnalysis &pointers,
    llvm::ArrayRef<StoredWrite> writes,
    const llvm::Instruction &at,
    ScalarFacts &facts
)
{
    if (objects[object].size_bytes.value_or(0) > MAX_FILLED_BYTES) {
        return {};
    }
    Filler filler(object, objects, pointers, at, facts);
    for (const StoredWrite &write : writes) {
        filler.add(write);
    }
    return filler.bytes();
}

} // namespace laxity::workingset
