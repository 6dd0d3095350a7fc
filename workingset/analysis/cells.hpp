// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/accesses.hpp"
#include "analysis/annotations.hpp"
#include "analysis/call_graph.hpp"
#include "analysis/interned.hpp"
#include "analysis/module_index.hpp"
#include "analysis/number_set.hpp"

#include <deque>
#include <llvm/ADT/Hashing.h>

namespace laxity::workingset {

using CellSet = NumberSet;

/*
 * A cell: bytes of one object that no exact access tells apart. The objects are cut where exact
 * accesses begin and end, so a set of cells says as much as a set of bytes would.
 */
struct Cell {
    unsigned object;
    uint64_t first_byte;
    uint64_t end_byte; // one beyond; equal to first_byte where the size is not known
    uint64_t bits;     // of all instances that there can be; of one if is_unbounded
    StorageClass storage;
    bool is_unbounded; // nobody knows how many instances, or of what size
};

/* What an instruction itself does to cells; functions of the module that it calls are not part of
 * it. */
struct Effect {
    CellSet reads;
    CellSet kills;  // surely overwritten, or no longer there
    CellSet writes; // possibly written
    bool resets_definition =
        false; // what is killed is undefined from here on: alloca, lifetime markers

    friend bool operator==(const Effect &, const Effect &) = default;
};

[[nodiscard]] llvm::hash_code hash_value(const Effect &effect);

class Cells {
  public:
    Cells(
        const ObjectTable &objects,
        const PointerAnalysis &pointers,
        const ModuleIndex &index,
        const Annotations &annotations
    );

    [[nodiscard]] unsigned size() const
    {
        return static_cast<unsigned>(cells_.size());
    }
    [[nodiscard]] const Cell &operator[](unsigned number) const
    {
        return cells_[number];
    }
    [[nodiscard]] const ObjectTable &objects() const
    {
        return objects_;
    }
    /* nullptr: it touches no memory. */
    [[nodiscard]] const Effect *effect(unsigned instruction) const
    {
        return effects_[instruction];
    }
    [[nodiscard]] CellSet object_cells(unsigned object) const;

    /* The bytes [offset, offset + length) of an object where every cell that they touch is wanted,
     * resp. lies within. */
    [[nodiscard]] CellSet touched(Location place, std::optional<uint64_t> length_bytes) const;
    [[nodiscard]] CellSet covered(unsigned object, uint64_t offset, uint64_t length_bytes) const;

    /* Cells of the frame of a function: gone when it is left. Recursive functions' frames are not
     * among them. */
    [[nodiscard]] const CellSet &frame(const llvm::Function &function) const;

    /* Cells that are live everywhere: volatile, known to what runs beside the program or to a
     * device that reads them, or collapsed. They are in no effect. */
    [[nodiscard]] const CellSet &pinned() const
    {
        return pinned_;
    }
    [[nodiscard]] const CellSet &escaped() const
    {
        return escaped_;
    }
    /* Cells that a device may have written at any time; others are live everywhere. */
    [[nodiscard]] const CellSet &device_written() const
    {
        return device_written_;
    }
    /* Can a write through this place be a write of all that the place stands for? */
    [[nodiscard]] bool is_single_instance(unsigned object) const;

  private:
    void cut_at(const Access &access);
    void cut_at_reach(const std::deque<InstructionAccesses> &accesses);
    [[nodiscard]] CellSet touched(const Access &access, const Location &place) const;
    void cut_objects(const std::deque<InstructionAccesses> &accesses);
    void number_cells();
    void find_pinned(const PointerAnalysis &pointers, const Annotations &annotations);
    void add_effect(
        unsigned instruction, const llvm::Instruction &what, const InstructionAccesses &accesses
    );
    void add_access(const Access &access, Effect &effect) const;
    void add_lifetime(const llvm::Instruction &instruction, Effect &effect) const;

    const ObjectTable &objects_;
    std::vector<std::vector<uint64_t>> cuts_; // per object: first bytes of its cells
    std::vector<unsigned> first_cells_;       // per object
    std::vector<Cell> cells_;
    Interned<Effect> different_effects_; // many instructions have the same
    std::vector<const Effect *> effects_;
    llvm::DenseMap<const llvm::Function *, CellSet> frames_;
    CellSet pinned_, escaped_, device_written_, no_cells_;
};

} // namespace laxity::workingset
