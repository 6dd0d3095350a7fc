// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/number_set.hpp"

#include <cstdint>
#include <limits>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
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
 * one node; so is all that is loaded through one pointer, and all that is stored, or there would be
 * a copy per load and target. A pointer that is only ever another one plus something points to the
 * same objects, so its loads and stores are that one's.
 */
class PointsToSolver {
  public:
    using Watcher = llvm::function_ref<void(unsigned tag, unsigned object)>;
    using Shift = std::optional<int64_t>; // nullopt: by an unknown number of bytes

    /* Beyond `budget` the sets are useless: 16 bytes of them, or a thousand times as much passed
     * on. */
    PointsToSolver(unsigned objects, uint64_t budget);

    /* Of nodes: hardly more will be made. */
    void reserve(size_t count)
    {
        nodes_.reserve(count);
    }
    unsigned make_node();
    [[nodiscard]] unsigned content(unsigned object) const
    {
        return object; // the first nodes
    }
    void add_address(unsigned node, unsigned object);
    void add_copy(unsigned from, unsigned to, Shift shift);
    void add_load(unsigned pointer, unsigned to);
    void add_store(unsigned pointer, unsigned from);

    /* Nothing in the object is a pointer and nothing is stored into it: a function, a string. */
    void set_without_pointers(unsigned object);

    /* So far, `node` may point to one of the objects that match. */
    [[nodiscard]] bool
    may_point_to(unsigned node, llvm::function_ref<bool(unsigned object)> matches) const;

    /* Have solve() report each object that `node` may point to, once or more, with the tag. */
    void watch(unsigned node, unsigned tag);

    /* The watcher may add nodes and constraints. Returns false if the sets grew beyond the budget:
     * they are useless then. */
    [[nodiscard]] bool solve(Watcher watcher);

    /* After the last solve(): frees all but the sets. Only what follows may be asked then. */
    void keep_sets();
    /* Nodes with one number have one set. */
    [[nodiscard]] unsigned set_number(unsigned node) const
    {
        return set_numbers_[node];
    }
    [[nodiscard]] llvm::SmallVector<Location, 4> targets_of_set(unsigned set) const;
    [[nodiscard]] llvm::SmallVector<Location, 4> targets(unsigned node) const
    {
        return targets_of_set(set_number(node));
    }

  private:
    using Set = NumberSet;
    static constexpr int64_t ANY_OFFSET = std::numeric_limits<int64_t>::min();
    static constexpr unsigned NONE = ~0U;

    struct Edge {
        unsigned to;
        int64_t shift; // ANY_OFFSET: unknown
    };
    struct Node {
        unsigned parent; // itself, unless merged into another
        bool is_widened = false;
        Set points_to;
        Set fresh;      // not yet gone along the edges
        Set unresolved; // not yet seen by loads, stores and watches
        std::vector<Edge> edges;
        // The nodes that all loads through this pointer copy from, and all stores copy to.
        unsigned loaded = NONE, stored = NONE;
        std::vector<unsigned> tags;
        // The only node that this one is a copy of, moved or not: it points to the same objects.
        unsigned source = NONE;
        bool has_sources = false; // several, or addresses
    };
    /* A load or a store that was handed to the first node of a chain of copies. */
    struct Dereference {
        unsigned pointer;
        unsigned other;
        bool is_load;
        unsigned handed_to;
    };
    class CycleFinder;

    [[nodiscard]] unsigned find(unsigned node) const;
    unsigned locate(unsigned object, int64_t offset);
    [[nodiscard]] unsigned object_of(unsigned location) const;
    [[nodiscard]] Set shifted(const Set &set, int64_t shift);
    void insert(unsigned node, const Set &locations);
    void widen(unsigned node);
    void merge(unsigned into, unsigned from);
    [[nodiscard]] std::vector<unsigned> merge_cycles();
    void normalise_edges();
    void add_source(unsigned node, unsigned source);
    [[nodiscard]] unsigned first_of_chain(unsigned node) const;
    void hand_over(Dereference &dereference);
    void hand_over_again();
    bool propagate(const std::vector<unsigned> &order);
    bool resolve(Watcher watcher);
    void resolve_node(unsigned node, const std::vector<unsigned> &objects);
    [[nodiscard]] bool is_within_budget() const;

    unsigned first_exact_; // locations below are objects, at any offset; the rest are numbered as
                           // they come
    uint64_t budget_;
    uint64_t passed_on_ = 0; // words
    std::vector<Node> nodes_;
    std::vector<unsigned> set_numbers_; // per node, once the sets are kept
    std::vector<Set> sets_;
    std::vector<std::pair<unsigned, int64_t>> exact_;
    llvm::DenseMap<std::pair<unsigned, int64_t>, unsigned> exact_numbers_;
    std::vector<unsigned> offset_counts_;                       // per object
    llvm::DenseSet<std::pair<unsigned, unsigned>> known_edges_; // those that move nothing
    std::vector<Dereference> dereferences_;
    size_t handed_over_ = 0;
    std::vector<bool> without_pointers_; // per object
    bool has_new_edges_ = true, has_broken_chain_ = false;
};

} // namespace laxity::workingset
