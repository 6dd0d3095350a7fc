/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A set-associative cache with least recently used replacement: tags only, no data. */
#ifndef LAXITY_SIM_CACHE_HPP
#define LAXITY_SIM_CACHE_HPP

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace laxity {

class Cache {
  public:
    /* Stands where no line is. */
    static constexpr std::uint64_t EMPTY = UINT64_MAX;

    /* All powers of two; at least one set. */
    Cache(std::uint64_t size_bytes, std::uint32_t ways, std::uint32_t line_bytes)
        : line_shift_(static_cast<unsigned>(std::countr_zero(line_bytes))), ways_(ways),
          set_mask_(size_bytes / ways / line_bytes - 1), lines_(size_bytes / line_bytes, EMPTY)
    {
    }

    [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const
    {
        return address >> line_shift_;
    }

    [[nodiscard]] unsigned line_shift() const
    {
        return line_shift_;
    }

    /* Uses a line. Nothing, if it was there; else what it has replaced, EMPTY if nothing. */
    std::optional<std::uint64_t> use(std::uint64_t line)
    {
        /* The lines of a set stand in the order of their last use. */
        const std::span set{&lines_[(line & set_mask_) * ways_], ways_};
        const auto place = std::ranges::find(set, line);
        if (place != set.end()) {
            std::rotate(set.begin(), place, place + 1);
            return std::nullopt;
        }
        const std::uint64_t evicted = set.back();
        std::rotate(set.begin(), set.end() - 1, set.end());
        set.front() = line;
        return evicted;
    }

  private:
    unsigned line_shift_;
    std::uint32_t ways_;
    std::uint64_t set_mask_;
    std::vector<std::uint64_t> lines_;
};

} // namespace laxity

#endif
