// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/results.hpp"

#include <algorithm>
#include <numeric>

namespace laxity::workingset {

namespace {

/* Each returns whether anything had to grow, resp. shrink. */
bool raise_to(uint64_t &value, uint64_t other)
{
    const bool is_larger = other > value;
    value = std::max(value, other);
    return is_larger;
}

bool lower_to(uint64_t &value, uint64_t other)
{
    const bool is_smaller = other < value;
    value = std::min(value, other);
    return is_smaller;
}

bool widen_most(LiveBits &most, const LiveBits &other)
{
    bool has_changed = false;
    for (size_t i = 0; i < STORAGE_CLASSES; i++) {
        has_changed = raise_to(most.bits[i], other.bits[i]) || has_changed;
        has_changed = raise_to(most.bits_per_level[i], other.bits_per_level[i]) || has_changed;
        has_changed = (other.is_unbounded[i] && !most.is_unbounded[i]) || has_changed;
        most.is_unbounded[i] = most.is_unbounded[i] || other.is_unbounded[i];
    }
    return has_changed;
}

bool widen_least(LiveBits &least, const LiveBits &other)
{
    bool has_changed = false;
    for (size_t i = 0; i < STORAGE_CLASSES; i++) {
        has_changed = lower_to(least.bits[i], other.bits[i]) || has_changed;
        has_changed = lower_to(least.bits_per_level[i], other.bits_per_level[i]) || has_changed;
        has_changed = (least.is_unbounded[i] && !other.is_unbounded[i]) || has_changed;
        least.is_unbounded[i] = least.is_unbounded[i] && other.is_unbounded[i];
    }
    return has_changed;
}

} // namespace

uint64_t LiveBits::total() const
{
    return std::accumulate(bits.begin(), bits.end(), uint64_t{0});
}

bool LiveBits::is_bounded() const
{
    return std::ranges::none_of(is_unbounded, [](bool is) { return is; });
}

bool widen(Span &span, const Span &other)
{
    bool has_changed = widen_most(span.most, other.most);
    has_changed = widen_least(span.least, other.least) || has_changed;
    has_changed = raise_to(span.most_total, other.most_total) || has_changed;
    has_changed = lower_to(span.least_total, other.least_total) || has_changed;
    return has_changed;
}

void widen(Row &row, const Row &other)
{
    if (!row.is_reached) {
        row = other;
        return;
    }
    widen_most(row.most, other.most);
    widen_least(row.least, other.least);
    row.most_total = std::max(row.most_total, other.most_total);
    row.least_total = std::min(row.least_total, other.least_total);
    row.is_merged = row.is_merged || other.is_merged;
    if (row.contexts && other.contexts) {
        row.contexts = *row.contexts + std::min(*other.contexts, ~*row.contexts);
    } else {
        row.contexts = std::nullopt;
    }
}

} // namespace laxity::workingset
