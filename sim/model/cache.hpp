/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A set-associative cache: tags and flags only, no data. */
#ifndef LAXITY_SIM_CACHE_HPP
#define LAXITY_SIM_CACHE_HPP

#include "interface/engine.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace laxity {

/* A line in a cache, and what is known of it. */
class Place {
  public:
    static constexpr std::uint64_t EMPTY = UINT64_MAX >> 2U;

    Place() = default;
    explicit Place(std::uint64_t line) : word_(line << 2U) {}

    [[nodiscard]] std::uint64_t line() const
    {
        return word_ >> 2U;
    }
    [[nodiscard]] bool is_of(std::uint64_t line) const
    {
        return (word_ & ~(DIRTY | SHARED)) == line << 2U;
    }
    [[nodiscard]] bool is_empty() const
    {
        return line() == EMPTY;
    }
    [[nodiscard]] bool is_dirty() const
    {
        return (word_ & DIRTY) != 0;
    }
    [[nodiscard]] bool is_shared() const
    {
        return (word_ & SHARED) != 0;
    }
    void set_dirty()
    {
        word_ |= DIRTY;
    }
    void set_shared()
    {
        word_ |= SHARED;
    }
    void set_clean()
    {
        word_ &= ~DIRTY;
    }
    void set_unshared()
    {
        word_ &= ~SHARED;
    }

  private:
    static constexpr std::uint64_t DIRTY = 1;
    static constexpr std::uint64_t SHARED = 2;

    std::uint64_t word_ = EMPTY << 2U;
};

/* Lines are known by their numbers; `at` is the number that a line's set follows from, if that is
 * another one. */
class Cache {
  public:
    explicit Cache(const laxity_sim_cache &cache, std::uint32_t line_bytes);

    [[nodiscard]] bool exists() const
    {
        return ways_ != 0;
    }

    /* Where a line is, without using it; nullptr: nowhere. */
    [[nodiscard]] Place *find(std::uint64_t line, std::uint64_t at);
    [[nodiscard]] Place *find(std::uint64_t line)
    {
        return find(line, line);
    }

    /* The same, and uses it. */
    [[nodiscard]] Place *use(std::uint64_t line, std::uint64_t at)
    {
        if (!is_ordered_) {
            return use_placed(line, at);
        }
        Place *const set = set_of(at);
        return set->is_of(line) ? set : use_further(set, line);
    }
    [[nodiscard]] Place *use(std::uint64_t line)
    {
        return use(line, line);
    }

    /* Holds a line that it does not hold, clean. Returns what it has taken the place of. */
    Place allocate(std::uint64_t line, std::uint64_t at, std::uint64_t way_mask);
    Place allocate(std::uint64_t line, std::uint64_t way_mask)
    {
        return allocate(line, line, way_mask);
    }

    void remove(std::uint64_t line, std::uint64_t at);

  private:
    /* The first place of the set; without the checks of a container: all time goes here. */
    [[nodiscard]] Place *set_of(std::uint64_t at)
    {
        return places_.data() + ((at & set_mask_) << way_shift_);
    }
    [[nodiscard]] unsigned way_of(const Place *set, std::uint64_t line) const;
    [[nodiscard]] Place *use_further(Place *set, std::uint64_t line) const;
    [[nodiscard]] Place *use_placed(std::uint64_t line, std::uint64_t at);
    void make_paths();
    void touch(std::size_t set, unsigned way);
    [[nodiscard]] unsigned victim_way(std::size_t set, std::uint64_t way_mask);
    [[nodiscard]] unsigned tree_victim(std::size_t set, std::uint64_t way_mask) const;

    /* Of a way in the tree of its set: the bits above it, and those of them that are set by its
     * use. */
    struct Path {
        std::uint64_t nodes = 0;
        std::uint64_t away = 0;
    };

    unsigned ways_;
    unsigned way_shift_ = 0;
    /* Least recently used, all ways for everybody: the places of a set stand in the order of their
     * last use, empty ones last. Otherwise each way has its place. */
    bool is_ordered_ = false;
    laxity_sim_replacement replacement_;
    std::uint64_t set_mask_ = 0;
    std::vector<Place> places_;
    std::vector<std::uint64_t> used_;  /* per place: when last (lru), when allocated (fifo) */
    std::vector<Path> paths_;          /* per way */
    std::vector<std::uint64_t> trees_; /* per set: its bits, the root is bit 1 */
    std::uint64_t clock_ = 0;
    std::uint64_t random_ = UINT64_C(88172645463325252);

  public:
    /* Not all cores may allocate everywhere. */
    void keep_places();
};

inline Cache::Cache(const laxity_sim_cache &cache, std::uint32_t line_bytes)
    : ways_(cache.size_bytes == 0 ? 0 : cache.ways), replacement_(cache.replacement)
{
    if (ways_ == 0) {
        return;
    }
    const std::uint64_t n_lines = cache.size_bytes / line_bytes;
    set_mask_ = n_lines / ways_ - 1;
    way_shift_ = static_cast<unsigned>(std::countr_zero(ways_));
    places_.resize(n_lines);
    is_ordered_ = replacement_ == LAXITY_SIM_LRU;
    if (replacement_ == LAXITY_SIM_PLRU) {
        trees_.resize(n_lines / ways_);
        make_paths();
    }
    if (replacement_ == LAXITY_SIM_FIFO) {
        used_.resize(n_lines);
    }
}

inline void Cache::make_paths()
{
    for (unsigned way = 0; way < ways_; way++) {
        Path path;
        std::uint64_t node = 1;
        for (unsigned half = ways_ / 2; half > 0; half /= 2) {
            const bool is_upper = (way & half) != 0;
            path.nodes |= std::uint64_t{1} << node;
            path.away |= is_upper ? 0 : std::uint64_t{1} << node;
            node = 2 * node + (is_upper ? 1 : 0);
        }
        paths_.push_back(path);
    }
}

inline void Cache::keep_places()
{
    if (is_ordered_) {
        is_ordered_ = false;
        used_.resize(places_.size());
    }
}

inline Place *Cache::find(std::uint64_t line, std::uint64_t at)
{
    if (ways_ == 0) {
        return nullptr;
    }
    Place *const set = set_of(at);
    const unsigned way = way_of(set, line);
    return way == ways_ ? nullptr : set + way;
}

/* The number of ways: none. Four at a time are compared without a branch that is hard to foretell.
 */
inline unsigned Cache::way_of(const Place *set, std::uint64_t line) const
{
    unsigned way = 0;
    for (; way + 4 <= ways_; way += 4) {
        const unsigned found = static_cast<unsigned>(set[way].is_of(line)) |
                               static_cast<unsigned>(set[way + 1].is_of(line)) << 1U |
                               static_cast<unsigned>(set[way + 2].is_of(line)) << 2U |
                               static_cast<unsigned>(set[way + 3].is_of(line)) << 3U;
        if (found != 0) {
            return way + static_cast<unsigned>(std::countr_zero(found));
        }
    }
    while (way < ways_ && !set[way].is_of(line)) {
        way++;
    }
    return way;
}

/* A line that is not the one of its set that was used last. */
inline Place *Cache::use_further(Place *set, std::uint64_t line) const
{
    if (ways_ > 1 && set[1].is_of(line)) {
        std::swap(set[0], set[1]); /* the most frequent case needs no call that moves memory */
        return set;
    }
    const unsigned way = way_of(set, line);
    if (way == ways_) {
        return nullptr;
    }
    const Place used = set[way];
    std::copy_backward(set, set + way, set + way + 1);
    *set = used;
    return set;
}

inline Place *Cache::use_placed(std::uint64_t line, std::uint64_t at)
{
    Place *const place = find(line, at);
    if (place != nullptr && replacement_ != LAXITY_SIM_FIFO) {
        const auto number = static_cast<std::size_t>(place - places_.data());
        touch(number >> way_shift_, static_cast<unsigned>(number & (ways_ - 1)));
    }
    return place;
}

inline void Cache::touch(std::size_t set, unsigned way)
{
    if (replacement_ == LAXITY_SIM_LRU || replacement_ == LAXITY_SIM_FIFO) {
        used_[set * ways_ + way] = ++clock_;
    } else if (replacement_ == LAXITY_SIM_PLRU) {
        const Path &path = paths_.data()[way];
        std::uint64_t &tree = trees_.data()[set];
        tree = (tree & ~path.nodes) | path.away;
    }
}

inline unsigned Cache::tree_victim(std::size_t set, std::uint64_t way_mask) const
{
    std::uint64_t node = 1;
    unsigned way = 0;
    for (unsigned half = ways_ / 2; half > 0; half /= 2) {
        const std::uint64_t lower = ((std::uint64_t{1} << half) - 1) << way;
        const bool wants_upper = (trees_[set] >> node & 1U) != 0;
        const bool is_upper =
            (way_mask & lower) == 0 || (wants_upper && (way_mask & lower << half) != 0);
        way += is_upper ? half : 0;
        node = 2 * node + (is_upper ? 1 : 0);
    }
    return way;
}

inline unsigned Cache::victim_way(std::size_t set, std::uint64_t way_mask)
{
    const std::size_t first = set * ways_;
    unsigned best = ways_;
    unsigned n_permitted = 0;
    for (unsigned way = 0; way < ways_; way++) {
        if ((way_mask >> way & 1U) == 0) {
            continue;
        }
        if (places_[first + way].is_empty()) {
            return way;
        }
        n_permitted++;
        if (!used_.empty() && (best == ways_ || used_[first + way] < used_[first + best])) {
            best = way;
        }
    }
    if (replacement_ == LAXITY_SIM_PLRU) {
        return tree_victim(set, way_mask);
    }
    if (replacement_ != LAXITY_SIM_RANDOM) {
        return best;
    }
    random_ ^= random_ << 13U;
    random_ ^= random_ >> 7U;
    random_ ^= random_ << 17U;
    for (std::uint64_t drawn = random_ % std::max(n_permitted, 1U); drawn > 0; drawn--) {
        way_mask &= way_mask - 1;
    }
    return static_cast<unsigned>(std::countr_zero(way_mask));
}

inline Place Cache::allocate(std::uint64_t line, std::uint64_t at, std::uint64_t way_mask)
{
    Place *const set = set_of(at);
    if (is_ordered_) {
        const Place victim = set[ways_ - 1];
        std::copy_backward(set, set + ways_ - 1, set + ways_);
        *set = Place{line};
        return victim;
    }
    const std::uint64_t all = UINT64_MAX >> (64U - ways_);
    const std::size_t number = at & set_mask_;
    const unsigned way = victim_way(number, way_mask == 0 ? all : way_mask & all);
    const Place victim = set[way];
    set[way] = Place{line};
    touch(number, way);
    return victim;
}

inline void Cache::remove(std::uint64_t line, std::uint64_t at)
{
    Place *const place = find(line, at);
    if (place == nullptr) {
        return;
    }
    *place = Place{};
    if (is_ordered_) {
        Place *const set = set_of(at);
        std::rotate(place, place + 1, set + ways_);
    }
}

} // namespace laxity

#endif
