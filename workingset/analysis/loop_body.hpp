// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/cells.hpp"
#include "analysis/loop_run.hpp"
#include "analysis/scalar_facts.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace laxity::workingset {

/* What a call does to cells on its way to its return. */
struct CallTouches {
    CellSet reads; // before it overwrites them
    CellSet kills;
};

/* nullopt: it may leave the loop by an exception, exit() or a jump. */
using FindCallTouches = llvm::function_ref<std::optional<CallTouches>(const llvm::CallBase &)>;

/*
 * Writes down what a loop nest reads and writes in each turn.
 *
 * A write counts if it happens in every turn of each of its loops: its block is on every way from
 * the header to the back edge, or it and others that write the same place are together. It needs an
 * address that is a constant plus constant steps per turn, in one object with one instance. Reads
 * count wherever they are; one without such an address reads all that it can reach.
 */
class LoopWriter {
  public:
    LoopWriter(
        const llvm::Function &function,
        ScalarFacts &facts,
        const Cells &cells,
        const PointerAnalysis &pointers,
        const ModuleIndex &index,
        FindCallTouches call_touches
    );

    /* nullopt: the number of its turns is not known, it may be left in the middle, or it surely
     * writes nothing. */
    [[nodiscard]] std::optional<LoopBody> write_down(const llvm::Loop &loop);

  private:
    struct Turns {
        uint64_t back_edges;
        llvm::SmallVector<llvm::BasicBlock *, 4> exits;
    };
    struct Write {
        LoopTouch touch;
        const llvm::Instruction *instruction;
        bool is_alone; // in each turn, whatever the others do
    };
    struct Bytes {
        const llvm::Value *pointer;
        uint64_t length_bytes;
    };
    using Nest = llvm::SmallVector<const llvm::Loop *, 4>;

    using Objects = llvm::SmallDenseSet<unsigned, 8>;

    [[nodiscard]] std::optional<Turns> find_turns(const llvm::Loop &loop);
    [[nodiscard]] std::optional<Objects> find_writable(const llvm::Loop &loop) const;
    [[nodiscard]] bool may_read_writable(const llvm::LoadInst &load) const;
    [[nodiscard]] std::vector<const llvm::BasicBlock *> in_order(const llvm::Loop &loop) const;
    [[nodiscard]] std::optional<LoopTouch> affine(const Bytes &bytes, const Nest &nest);

    /* All of these fail if the loop may be left in the middle. */
    [[nodiscard]] bool add_loop(const Nest &nest, const Turns &turns, bool writes, LoopBody &body);
    [[nodiscard]] bool add_inner(
        const llvm::Loop &inner, const Nest &nest, const Turns &turns, bool writes, LoopBody &body
    );
    [[nodiscard]] bool add_blurred(const llvm::Loop &loop, bool is_in_last, LoopBody &body);
    [[nodiscard]] bool add_call(
        const llvm::Instruction &instruction,
        bool is_in_last,
        bool kills,
        bool kills_in_last,
        LoopBody &body
    );

    void add_read(
        const llvm::Instruction &instruction, const Nest *nest, bool is_in_last, LoopBody &body
    );
    [[nodiscard]] std::vector<Write> find_writes(const Nest &nest, const Turns &turns);
    void add_writes(
        const llvm::Instruction &instruction, const std::vector<Write> &writes, LoopBody &body
    ) const;
    void add_joint_writes(
        const llvm::BasicBlock &block,
        const std::vector<Write> &writes,
        const llvm::Loop &loop,
        const Turns &turns,
        LoopBody &body
    ) const;
    void add_cells(const CellSet &cells, bool is_write, bool is_in_last, LoopBody &body) const;
    [[nodiscard]] bool
    is_on_every_way(const llvm::BasicBlock &block, llvm::ArrayRef<llvm::BasicBlock *> ends) const;

    ScalarFacts &facts_;
    const Cells &cells_;
    const PointerAnalysis &pointers_;
    const ModuleIndex &index_;
    FindCallTouches call_touches_;
    const llvm::DataLayout &layout_;
    llvm::DenseMap<const llvm::BasicBlock *, unsigned> order_; // topological, but for back edges
    // Of the nest that is written down, no others are written; nullopt: its calls may write any.
    std::optional<Objects> writable_;
    bool is_reducible_ = true;
};

} // namespace laxity::workingset
