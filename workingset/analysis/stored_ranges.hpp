// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/constraints.hpp"
#include "analysis/module_index.hpp"
#include "analysis/scalar_facts.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Instructions.h>
#include <map>
#include <memory>
#include <vector>

namespace laxity::workingset {

class IndexRanges;

/* A write of an object; `store` where it is one, else nobody knows what is written. */
struct StoredWrite {
    Location place;
    std::optional<uint64_t> length_bytes; // nullopt: not known
    const llvm::StoreInst *store;
};

/*
 * The integers that memory can hold, whatever the path: its first value, and all that is stored.
 *
 * Memory is looked at in slots: an integer at one place of an object, or all integers of one width
 * in it where an access has a variable offset. A slot is known if nothing but plain stores of
 * such integers writes it, if nobody outside of the module can, and if it has a first value: a
 * global has; of a stack object, all that a load reaches must have been stored before it. What is
 * stored may have been loaded, so the intervals are a fixpoint: that no load has met anything else
 * yet makes what is stored next lie in them, too. They rest on what IndexRanges does, that
 * arithmetic with undefined results is in no address.
 *
 * Only loads are looked at that an index, or what one is compared with, is computed from.
 */
class StoredRanges {
  public:
    StoredRanges(
        const ObjectTable &objects, const PointerAnalysis &pointers, const ModuleIndex &index
    );

    /* The full set: anything. */
    [[nodiscard]] llvm::ConstantRange range(const llvm::LoadInst &load) const;

  private:
    struct Slot {
        unsigned object;
        std::optional<int64_t> offset; // nullopt: all multiples of the width
        unsigned bits;
        llvm::ConstantRange first, values;
        std::vector<const llvm::StoreInst *> stores = {};
        std::vector<const llvm::LoadInst *> loads = {};
        bool is_known = true;
    };
    using Slots = llvm::SmallVector<unsigned, 2>;

    [[nodiscard]] bool find_loads(const ModuleIndex &index);
    void look_at(const llvm::Value &value);
    void find_writes(const ModuleIndex &index);
    void add_load(const llvm::LoadInst &load);
    [[nodiscard]] std::optional<unsigned> find_slot(const Location &place, unsigned bits);
    [[nodiscard]] bool find_stores(Slot &slot) const;
    [[nodiscard]] bool is_candidate(unsigned object) const;
    [[nodiscard]] bool is_aligned(const Slot &slot) const;
    [[nodiscard]] llvm::ConstantRange first_values(const Slot &slot) const;
    void solve();
    [[nodiscard]] bool widen_to_fixpoint();
    [[nodiscard]] bool forget_unfilled();
    [[nodiscard]] bool is_filled(const Slot &slot, const llvm::LoadInst &load, IndexRanges &ranges);
    [[nodiscard]] llvm::ConstantRange values_of(const Slot &slot);
    void forget_ranges();
    [[nodiscard]] ScalarFacts &facts(const llvm::Function &function);

    const ObjectTable &objects_;
    const PointerAnalysis &pointers_;
    std::vector<bool> is_escaped_;                 // per object
    std::vector<std::vector<StoredWrite>> writes_; // per object
    std::vector<const llvm::LoadInst *> open_;     // still to be given slots
    llvm::DenseSet<const llvm::Value *> seen_;     // by look_at()
    std::vector<Slot> slots_;
    std::map<std::tuple<unsigned, int64_t, unsigned>, std::optional<unsigned>> slot_numbers_;
    llvm::DenseMap<const llvm::LoadInst *, Slots> slots_of_;
    llvm::DenseMap<const llvm::Function *, std::unique_ptr<ScalarFacts>> facts_;
};

} // namespace laxity::workingset
