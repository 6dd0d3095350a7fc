/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Which place of a set is given to another line (docs/simulation-model.md, section 3). */
#ifndef LAXITY_SIM_REPLACEMENT_HPP
#define LAXITY_SIM_REPLACEMENT_HPP

#include "interface/engine.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace laxity {

/*
 * Ways of a set, the one that came to the front last first, then the one before it: four bits each.
 * All of a set is one word, so that a way comes to the front without a loop.
 */
class Order {
  public:
    static constexpr unsigned WAYS_MAX = 16;
    static constexpr std::uint64_t FIRST = 0xfedcba9876543210;

    explicit Order(std::uint64_t ways) : ways_(ways) {}

    [[nodiscard]] std::uint64_t with_front(unsigned way) const
    {
        /* The highest bit of each four that are equal to the way, and perhaps of some behind. */
        const std::uint64_t differing = ways_ ^ way * EACH;
        const std::uint64_t equal = (differing - EACH) & ~differing & (EACH << 3U);
        const std::uint64_t behind = ~std::uint64_t{1} << std::countr_zero(equal);
        return (ways_ & behind) | ((ways_ << 4U | way) & ~behind);
    }
    [[nodiscard]] unsigned way_at(unsigned place) const
    {
        return ways_ >> 4U * place & 0xfU;
    }

  private:
    static constexpr std::uint64_t EACH = 0x1111111111111111;

    std::uint64_t ways_;
};

/* Of a cache. What is known of a set is a word of it, which lies with the set. */
class Replacement {
  public:
    Replacement(const laxity_sim_cache &cache, std::uint32_t line_bytes);

    /* The word of a set that nothing was put into. */
    [[nodiscard]] std::uint64_t new_word() const
    {
        return how_ == LAXITY_SIM_PLRU ? 0 : Order::FIRST;
    }

    /* The word behind the use of a line that is not the one of its set that was used last. */
    [[nodiscard]] std::uint64_t use(std::size_t set, std::uint64_t word, unsigned way)
    {
        if (how_ == LAXITY_SIM_LRU) {
            return bring_to_front(set, word, way);
        }
        return how_ == LAXITY_SIM_PLRU ? turn_away(word, way) : word;
    }

    /* Likewise, a line was put there. */
    [[nodiscard]] std::uint64_t allocate(std::size_t set, std::uint64_t word, unsigned way)
    {
        return how_ == LAXITY_SIM_FIFO ? bring_to_front(set, word, way) : use(set, word, way);
    }

    /* Which one of these ways, as bits; no place is empty. */
    [[nodiscard]] unsigned victim(std::size_t set, std::uint64_t word, std::uint64_t permitted)
    {
        switch (how_) {
        case LAXITY_SIM_PLRU:
            return tree_victim(word, permitted);
        case LAXITY_SIM_RANDOM:
            return draw(permitted);
        default:
            return stamps_.empty() ? last_of(Order{word}, permitted) : oldest(set, permitted);
        }
    }

  private:
    /* Of a way in the tree of its set: the bits above it, and those of them that are set by its
     * use. The root is bit 1. */
    struct Path {
        std::uint64_t nodes = 0;
        std::uint64_t away = 0;
    };

    void make_paths();
    [[nodiscard]] std::uint64_t bring_to_front(std::size_t set, std::uint64_t word, unsigned way)
    {
        if (stamps_.empty()) {
            return Order{word}.with_front(way);
        }
        stamps_[set * ways_ + way] = ++clock_;
        return word;
    }
    [[nodiscard]] std::uint64_t turn_away(std::uint64_t word, unsigned way) const
    {
        const Path &path = paths_.data()[way];
        return (word & ~path.nodes) | path.away;
    }
    [[nodiscard]] unsigned last_of(const Order &order, std::uint64_t permitted) const;
    [[nodiscard]] unsigned oldest(std::size_t set, std::uint64_t permitted) const;
    [[nodiscard]] unsigned tree_victim(std::uint64_t tree, std::uint64_t permitted) const;
    [[nodiscard]] unsigned draw(std::uint64_t permitted);

    laxity_sim_replacement how_;
    unsigned ways_;
    unsigned power_;                    /* of two, at least the ways */
    std::vector<Path> paths_;           /* per way (plru) */
    std::vector<std::uint64_t> stamps_; /* per place (lru, fifo), if an order has too few ways */
    std::uint64_t clock_ = 0;
    std::uint64_t random_ = UINT64_C(88172645463325252);
};

inline Replacement::Replacement(const laxity_sim_cache &cache, std::uint32_t line_bytes)
    : how_(cache.replacement), ways_(cache.ways), power_(std::bit_ceil(ways_))
{
    if (how_ == LAXITY_SIM_PLRU) {
        make_paths();
    } else if (how_ != LAXITY_SIM_RANDOM && ways_ > Order::WAYS_MAX) {
        stamps_.resize(cache.size_bytes / line_bytes);
    }
}

inline void Replacement::make_paths()
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

inline unsigned Replacement::last_of(const Order &order, std::uint64_t permitted) const
{
    unsigned place = ways_ - 1;
    while ((permitted >> order.way_at(place) & 1U) == 0) {
        place--;
    }
    return order.way_at(place);
}

inline unsigned Replacement::oldest(std::size_t set, std::uint64_t permitted) const
{
    const std::uint64_t *const stamps = stamps_.data() + set * ways_;
    auto best = static_cast<unsigned>(std::countr_zero(permitted));
    for (std::uint64_t left = permitted; left != 0; left &= left - 1) {
        const auto way = static_cast<unsigned>(std::countr_zero(left));
        best = stamps[way] < stamps[best] ? way : best;
    }
    return best;
}

inline unsigned Replacement::tree_victim(std::uint64_t tree, std::uint64_t permitted) const
{
    std::uint64_t node = 1;
    unsigned way = 0;
    for (unsigned half = ways_ / 2; half > 0; half /= 2) {
        const std::uint64_t lower = ((std::uint64_t{1} << half) - 1) << way;
        const bool wants_upper = (tree >> node & 1U) != 0;
        const bool is_upper =
            (permitted & lower) == 0 || (wants_upper && (permitted & lower << half) != 0);
        way += is_upper ? half : 0;
        node = 2 * node + (is_upper ? 1 : 0);
    }
    return way;
}

inline unsigned Replacement::draw(std::uint64_t permitted)
{
    random_ ^= random_ << 13U;
    random_ ^= random_ >> 7U;
    random_ ^= random_ << 17U;
    if (permitted == UINT64_MAX >> (64U - ways_)) {
        return static_cast<unsigned>(ways_ == power_ ? random_ & (ways_ - 1) : random_ % ways_);
    }
    const auto n = static_cast<std::uint64_t>(std::popcount(permitted));
    for (std::uint64_t drawn = random_ % n; drawn > 0; drawn--) {
        permitted &= permitted - 1;
    }
    return static_cast<unsigned>(std::countr_zero(permitted));
}

} // namespace laxity

#endif
