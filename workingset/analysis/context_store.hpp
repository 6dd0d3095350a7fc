// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/results.hpp"
#include "analysis/summaries.hpp"

#include <map>

/* The contexts of one function, and what is kept of each. */
namespace laxity::workingset {

inline constexpr size_t EXIT_MASKS = 1U << EXIT_KINDS; // bit e: exit e can be reached

void add_to(Span &span, const LiveBits &bits);

/* What a context hands down: bits of cells that the function does not touch, of its callers'
 * values; per reachable exits. */
struct Carried {
    std::array<Span, EXIT_MASKS> spans;
    std::optional<uint64_t> contexts = 0; // nullopt: no end of them
    bool is_merged = false;
};

struct Context {
    LiveAfter after; // the part that the function touches
    Carried carried;
};

/* A context that callees are entered in: for all of one component it is the same. */
struct Entry {
    Context context;
    uint64_t hash; // of its `after`
};

[[nodiscard]] Entry make_entry(LiveAfter touched_after, const Carried &carried);

class Contexts {
  public:
    /* Beyond `limit` of them, further ones are joined. Returns whether anything is new. */
    bool add(const Entry &entry, unsigned limit);
    /* Those that are new or wider than when it was last asked: the others lead to nothing new. */
    [[nodiscard]] std::vector<Context> take_changed();

  private:
    struct Known {
        Context context;
        bool has_changed = true;
    };
    using Key = std::vector<unsigned>; // they are gone through in the order of their cells

    [[nodiscard]] static Key key_of(const LiveAfter &after);
    bool add_or_merge(const Entry &entry, unsigned limit);
    bool add_merged(const Context &context);
    static bool merge(Known &known, const Carried &from);

    std::map<Key, Known> contexts_;
    llvm::DenseMap<uint64_t, llvm::SmallVector<Known *, 1>> by_hash_;
    std::optional<Known> merged_;
    bool has_changed_ = false;
};

} // namespace laxity::workingset
