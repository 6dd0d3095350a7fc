/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Values by numbers. */
#ifndef LAXITY_SIM_TABLE_HPP
#define LAXITY_SIM_TABLE_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace laxity {

/*
 * A value lies at the place of its key or behind it, with no free place in between: one look at
 * memory finds it. Nothing is ever taken out; when there is no room, values that are spare are
 * left behind.
 */
template <typename Value> class Table {
  public:
    /* nullptr: there is none. Valid until the next insertion. */
    [[nodiscard]] Value *find(std::uint64_t key)
    {
        Entry *const entry = entries_.empty() ? nullptr : &search(key);
        return entry == nullptr || entry->key == FREE ? nullptr : &entry->value;
    }

    /* Likewise; a new one is Value{}. `is_spare` tells of a value whether nobody misses it. */
    template <typename IsSpare> Value &insert(std::uint64_t key, IsSpare is_spare)
    {
        if (2 * n_ >= entries_.size()) {
            make_room(is_spare);
        }
        Entry &entry = search(key);
        n_ += entry.key == FREE ? 1 : 0;
        entry.key = key;
        return entry.value;
    }

  private:
    static constexpr std::uint64_t FREE = UINT64_MAX;
    static constexpr std::size_t LEAST = 256;

    struct Entry {
        std::uint64_t key = FREE;
        Value value{};
    };

    /* Where a key is, or where it would be. */
    [[nodiscard]] Entry &search(std::uint64_t key)
    {
        constexpr std::uint64_t GOLDEN = 0x9e3779b97f4a7c15;
        Entry *const entries = entries_.data();
        std::size_t at = key * GOLDEN >> shift_;
        while (entries[at].key != key && entries[at].key != FREE) {
            at = (at + 1) & (entries_.size() - 1);
        }
        return entries[at];
    }
    template <typename IsSpare> void make_room(IsSpare is_spare)
    {
        std::vector<Entry> before;
        before.swap(entries_);
        std::erase_if(before, [&is_spare](const Entry &entry) {
            return entry.key == FREE || is_spare(entry.value);
        });
        n_ = before.size();
        const std::size_t n_places = std::bit_ceil(std::max(4 * n_, LEAST));
        entries_.resize(n_places);
        shift_ = 64U - static_cast<unsigned>(std::countr_zero(n_places));
        for (Entry &entry : before) {
            search(entry.key) = std::move(entry);
        }
    }

    std::vector<Entry> entries_; /* a power of two */
    std::size_t n_ = 0;
    unsigned shift_ = 0; /* of a product to a place */
};

} // namespace laxity

#endif
