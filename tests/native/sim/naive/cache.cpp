/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cache.hpp"

#include "frames.hpp"
#include "interface/engine.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace naive {

namespace {

constexpr std::uint64_t RANDOM_BEGIN = 88172645463325252U;

bool is_permitted(std::uint64_t mask, std::size_t way)
{
    return (mask >> way & 1) != 0;
}

bool is_any_permitted(std::uint64_t mask, std::size_t from, std::size_t to)
{
    for (std::size_t way = from; way < to; way++) {
        if (is_permitted(mask, way)) {
            return true;
        }
    }
    return false;
}

} // namespace

Cache::Cache(
    const laxity_sim_cache &asked, std::uint32_t line_bytes, std::shared_ptr<const Frames> frames
)
    : line_bytes_(line_bytes), frames_(std::move(frames)), ways_(asked.ways),
      sets_(asked.size_bytes == 0 ? 0 : asked.size_bytes / asked.ways / line_bytes),
      replacement_(asked.replacement), places_(sets_ * ways_),
      trees_(sets_, std::vector<bool>(ways_, false)), random_(RANDOM_BEGIN)
{
}

Place *Cache::find(std::uint64_t line)
{
    for (std::size_t way = 0; !is_off() && way < ways_; way++) {
        Place &candidate = place(set_of(line), way);
        if (candidate.holds_line && candidate.line == line) {
            return &candidate;
        }
    }
    return nullptr;
}

void Cache::use(const Place &used)
{
    const auto index = static_cast<std::size_t>(&used - places_.data());
    const std::size_t set = index / ways_;
    const std::size_t way = index % ways_;
    places_[index].used = ++n_uses_;
    std::size_t node = 1;
    std::size_t from = 0;
    for (std::size_t n = ways_; n > 1; n /= 2) {
        const bool is_upper = way >= from + n / 2;
        trees_[set][node] = !is_upper; /* away from the place */
        node = 2 * node + (is_upper ? 1 : 0);
        from += is_upper ? n / 2 : 0;
    }
}

std::size_t Cache::oldest(std::size_t set, std::uint64_t mask, std::uint64_t Place::*age) const
{
    std::size_t best = ways_;
    for (std::size_t way = 0; way < ways_; way++) {
        const Place &candidate = places_[set * ways_ + way];
        if (is_permitted(mask, way) &&
            (best == ways_ || candidate.*age < places_[set * ways_ + best].*age)) {
            best = way;
        }
    }
    return best;
}

std::size_t Cache::follow_tree(std::size_t set, std::uint64_t mask) const
{
    std::size_t node = 1;
    std::size_t from = 0;
    for (std::size_t n = ways_; n > 1; n /= 2) {
        bool is_upper = trees_[set][node];
        if (is_upper && !is_any_permitted(mask, from + n / 2, from + n)) {
            is_upper = false;
        } else if (!is_upper && !is_any_permitted(mask, from, from + n / 2)) {
            is_upper = true;
        }
        node = 2 * node + (is_upper ? 1 : 0);
        from += is_upper ? n / 2 : 0;
    }
    return from;
}

std::size_t Cache::draw(std::uint64_t mask)
{
    random_ ^= random_ << 13U;
    random_ ^= random_ >> 7U;
    random_ ^= random_ << 17U;
    std::vector<std::size_t> permitted;
    for (std::size_t way = 0; way < ways_; way++) {
        if (is_permitted(mask, way)) {
            permitted.push_back(way);
        }
    }
    return permitted[random_ % permitted.size()];
}

std::size_t Cache::choose(std::size_t set, std::uint64_t mask)
{
    for (std::size_t way = 0; way < ways_; way++) {
        if (is_permitted(mask, way) && !place(set, way).holds_line) {
            return way;
        }
    }
    switch (replacement_) {
    case LAXITY_SIM_LRU:
        return oldest(set, mask, &Place::used);
    case LAXITY_SIM_FIFO:
        return oldest(set, mask, &Place::allocated);
    case LAXITY_SIM_PLRU:
        return follow_tree(set, mask);
    case LAXITY_SIM_RANDOM:
        break;
    }
    return draw(mask);
}

std::optional<Place> Cache::allocate(std::uint64_t line, std::uint64_t mask)
{
    if (is_off()) {
        return std::nullopt;
    }
    const std::size_t set = set_of(line);
    Place &chosen = place(set, choose(set, mask));
    const Place before = chosen;
    chosen = {.holds_line = true, .line = line};
    use(chosen);
    chosen.allocated = n_uses_;
    return before.holds_line ? std::optional{before} : std::nullopt;
}

void Cache::remove(std::uint64_t line)
{
    Place *const found = find(line);
    if (found != nullptr) {
        *found = {};
    }
}

} // namespace naive
