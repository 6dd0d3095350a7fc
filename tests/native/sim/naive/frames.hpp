/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Where pages lie in memory (docs/simulation-model.md, section 3, frames). */
#ifndef LAXITY_NAIVE_FRAMES_HPP
#define LAXITY_NAIVE_FRAMES_HPP

#include "interface/engine.h"

#include <cstdint>
#include <map>

namespace naive {

constexpr unsigned SPACE_SHIFT = 48;
constexpr std::uint32_t PAGE_BYTES = 4096;
/* The task of what a switch and a timer's interrupt fetch and load. */
constexpr std::uint32_t KERNEL = 65535;
/* Of program 0: what its tasks share. Spaces below are of tasks alone. */
constexpr std::uint32_t PROGRAMS = 32768;
constexpr std::uint64_t PAGE_TABLES = std::uint64_t{1} << 47U; /* a task's, in its space */

class Frames {
  public:
    explicit Frames(const laxity_sim_platform &platform)
        : placement_(platform.placement), seed_(platform.placement_seed),
          colours_(platform.colours), line_bytes_(platform.line_bytes)
    {
    }

    /* An access to the line comes to where its page must have a frame. */
    void touch(std::uint64_t line);
    /* P(line), of a page that has been touched. */
    [[nodiscard]] std::uint64_t physical(std::uint64_t line) const;

  private:
    [[nodiscard]] std::uint64_t page_of(std::uint64_t line) const
    {
        return line * line_bytes_ / PAGE_BYTES;
    }
    [[nodiscard]] std::uint64_t frame_of(std::uint64_t page) const;

    laxity_sim_placement placement_;
    std::uint64_t seed_;
    std::uint64_t colours_;
    std::uint64_t line_bytes_;
    std::map<std::uint64_t, std::uint64_t> frames_;  /* of pages, if they are sequential */
    std::map<std::uint64_t, std::uint64_t> n_pages_; /* that have one, of each space */
};

} // namespace naive

#endif
