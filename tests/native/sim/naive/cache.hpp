/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A cache (docs/simulation-model.md, section 3): what it holds, and which place it gives away. */
#ifndef LAXITY_NAIVE_CACHE_HPP
#define LAXITY_NAIVE_CACHE_HPP

#include "frames.hpp"
#include "interface/engine.h"
#include "memory.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace naive {

enum class Cause {
    Own,
    Reload,
    Moved,
    Shared
};

struct Place {
    bool holds_line = false;
    std::uint64_t line = 0;
    bool is_dirty = false;
    bool is_shared = false;
    std::uint64_t used = 0;      /* when, counted in uses */
    std::uint64_t allocated = 0; /* likewise */
};

class Cache {
  public:
    /* frames: its sets go by them; NULL: by the lines themselves. */
    Cache(
        const laxity_sim_cache &asked,
        std::uint32_t line_bytes,
        std::shared_ptr<const Frames> frames
    );

    [[nodiscard]] bool is_off() const
    {
        return sets_ == 0;
    }
    [[nodiscard]] std::uint64_t line_bytes() const
    {
        return line_bytes_;
    }
    /* NULL: it does not hold the line. */
    Place *find(std::uint64_t line);
    void use(const Place &place);
    /* Puts the line, clean, into a place of the ways in mask; returns what that held. Not if it is
     * off. */
    std::optional<Place> allocate(std::uint64_t line, std::uint64_t mask);
    void remove(std::uint64_t line);

    std::map<std::uint64_t, Cause> lost;
    std::map<std::uint64_t, std::shared_ptr<Read>> waits; /* for which read, with which line */

  private:
    [[nodiscard]] std::size_t set_of(std::uint64_t line) const
    {
        return (frames_ == nullptr ? line : frames_->physical(line)) % sets_;
    }
    [[nodiscard]] std::size_t choose(std::size_t set, std::uint64_t mask);
    [[nodiscard]] std::size_t
    oldest(std::size_t set, std::uint64_t mask, std::uint64_t Place::*age) const;
    [[nodiscard]] std::size_t follow_tree(std::size_t set, std::uint64_t mask) const;
    [[nodiscard]] std::size_t draw(std::uint64_t mask);
    [[nodiscard]] Place &place(std::size_t set, std::size_t way)
    {
        return places_[set * ways_ + way];
    }

    std::uint64_t line_bytes_;
    std::shared_ptr<const Frames> frames_;
    std::size_t ways_;
    std::size_t sets_;
    laxity_sim_replacement replacement_;
    std::vector<Place> places_;
    std::vector<std::vector<bool>> trees_; /* of each set: node i has the children 2i and 2i + 1 */
    std::uint64_t n_uses_ = 0;
    std::uint64_t random_;
};

} // namespace naive

#endif
