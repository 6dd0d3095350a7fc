/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Where pages lie in memory (docs/simulation-model.md, section 3). */
#ifndef LAXITY_SIM_FRAMES_HPP
#define LAXITY_SIM_FRAMES_HPP

#include "interface/engine.h"

#include <bit>
#include <cstdint>
#include <unordered_map>

namespace laxity {

constexpr std::uint64_t PAGE_BYTES = 4096;

class Frames {
  public:
    explicit Frames(const laxity_sim_platform &platform)
        : placement_(platform.placement), seed_(mix(platform.placement_seed)),
          colours_(platform.colours),
          line_shift_(static_cast<unsigned>(std::countr_zero(PAGE_BYTES / platform.line_bytes)))
    {
    }

    /* The number of a line in memory. A page that had no frame gets one. */
    [[nodiscard]] std::uint64_t physical(std::uint64_t line)
    {
        return placement_ == LAXITY_SIM_IDENTITY ? line : placed(line);
    }

    /* Whether both lie in one page. */
    [[nodiscard]] bool is_same_page(std::uint64_t line, std::uint64_t other) const
    {
        return (line ^ other) >> line_shift_ == 0;
    }

  private:
    static constexpr unsigned FRAME_BITS = 36; /* of a space: 48 bits of bytes */

    /* SplitMix64's output for a state. */
    [[nodiscard]] static std::uint64_t mix(std::uint64_t x)
    {
        std::uint64_t z = x + 0x9e3779b97f4a7c15U;
        z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
        z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
        return z ^ z >> 31U;
    }
    [[nodiscard]] std::uint64_t placed(std::uint64_t line)
    {
        const std::uint64_t page = line >> line_shift_;
        return frame_of(page) << line_shift_ | (line ^ page << line_shift_);
    }
    [[nodiscard]] std::uint64_t frame_of(std::uint64_t page)
    {
        if (placement_ == LAXITY_SIM_SEQUENTIAL) {
            return sequential(page);
        }
        const std::uint64_t drawn = mix(seed_ ^ page) & ((std::uint64_t{1} << FRAME_BITS) - 1);
        if (placement_ == LAXITY_SIM_RANDOM_FRAMES) {
            return drawn;
        }
        const std::uint64_t colour = colours_ - 1;
        return (drawn & ~colour) | (page & colour);
    }
    [[nodiscard]] std::uint64_t sequential(std::uint64_t page)
    {
        const auto [found, is_new] = frames_.try_emplace(page);
        if (is_new) {
            const std::uint64_t space = page >> FRAME_BITS;
            found->second = space << FRAME_BITS | n_pages_[space]++;
        }
        return found->second;
    }

    laxity_sim_placement placement_;
    std::uint64_t seed_;
    std::uint64_t colours_;
    unsigned line_shift_;                                      /* of a page to its first line */
    std::unordered_map<std::uint64_t, std::uint64_t> frames_;  /* sequential: by page */
    std::unordered_map<std::uint64_t, std::uint64_t> n_pages_; /* by space */
};

} // namespace laxity

#endif
