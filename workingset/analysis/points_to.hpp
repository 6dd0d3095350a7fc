// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/SparseBitVector.h>
#include <optional>
#include <utility>
#include <vector>

namespace laxity::workingset {

/* A place that a pointer may point to: an object, and the byte in it where that is known. */
struct Location {
    unsigned object;
    std::optional<int64_t> offset; // nullopt: anywhere in the object
};

/*
 * Inclusion-based points-to (Andersen) over numbered nodes; it knows nothing of LLVM's IR.
 *
 * Wave propagation (Pereira and Berlin, "Wave propagation and deep propagation for pointer
 * analysis", CGO 2009): cycles of copies are merged, what is new goes along the copies in
 * topological order, then loads and stores make new copies; until nothing changes. A cycle that
 * adds to a pointer makes its offsets unknown, so every set is finite. What an object contains is
 * one node.
 */
class PointsToSolver {
  public:
    using Watcher = llvm::function_ref<void(unsigned tag, unsigned object)>;
    using Shift = std::optional<int64_t>; // nullopt: by an unknown number of bytes

    explicit PointsToSolver(unsigned objects);

    unsigned make_node();
    [[nodiscard]] unsigned content(unsigned object) const
    {
        return object; // the first nodes
    }
    void add_address(unsigned node, unsigned object);
    void add_copy(unsigned from, unsigned to, Shift shift);
    void add_load(unsigned pointer, unsigned to);
    void add_store(unsigned pointer, unsigned from);

    /* Have solve() report each object that `node` may point to, once or more, with the tag. */
    void watch(unsigned node, unsigned tag);

    /* The watcher may add nodes and constraints. Returns false if the sets grew beyond the budget:
     * they are useless then. */
    [[nodiscard]] bool solve(Watcher watcher);

    [[nodiscard]] llvm::SmallVector<Location, 4> targets(unsigned node) const;
    [[nodiscard]] bool points_to_object(unsigned node, unsigned object) const;

  private:
    using Set = llvm::SparseBitVector<>;
    static constexpr int64_t ANY_OFFSET = std::numeric_limits<int64_t>::min();

    struct Edge {
        unsigned to;
        int64_t shift; // ANY_OFFSET: unknown
    };
    struct Node {
        unsigned parent; // itself, unless merged into another
        bool is_widened = false;
        Set points_to;
        Set propagated; // along the edges
        Set resolved;   // by loads, stores and watches
        std::vector<Edge> edges;
        std::vector<unsigned> loads, stores, tags;
    };
    class CycleFinder;

    [[nodiscard]] unsigned find(unsigned node) const;
    unsigned locate(unsigned object, int64_t offset);
    unsigned shifted(unsigned location, int64_t shift);
    bool insert(unsigned node, unsigned location);
    void widen(unsigned node);
    void merge(unsigned into, unsigned from);
    [[nodiscard]] std::vector<unsigned> merge_cycles();
    bool propagate(const std::vector<unsigned> &order);
    bool resolve(Watcher watcher);
    [[nodiscard]] bool is_within_budget() const;

    std::vector<Node> nodes_;
    std::vector<std::pair<unsigned, int64_t>> locations_;
    llvm::DenseMap<std::pair<unsigned, int64_t>, unsigned> location_numbers_;
    std::vector<unsigned> offset_counts_; // per object
    llvm::DenseSet<std::pair<std::pair<unsigned, unsigned>, int64_t>> known_edges_;
};

} // namespace laxity::workingset
