/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* In which memory pages lie (docs/simulation-model.md, section 3, regions). */
#ifndef LAXITY_NAIVE_REGIONS_HPP
#define LAXITY_NAIVE_REGIONS_HPP

#include "frames.hpp"
#include "interface/engine.h"
#include "links.hpp"
#include "naive.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace naive {

/* An instance of a region. */
struct Memory {
    laxity_sim_memory asked;
    std::uint32_t domain;
    std::size_t first_channel;
};

class Regions {
  public:
    Regions(const laxity_sim_platform &platform, const Links &links, Features &features);

    /* The next task: they are added in the order of their numbers. */
    void add(const laxity_sim_task &task)
    {
        tasks_.push_back(&task);
    }
    /* An access of the core to the line comes to where its page must have a home. */
    void touch(std::uint64_t line, std::uint32_t core);
    [[nodiscard]] bool is_cached(std::uint64_t line)
    {
        return regions_[place_of(line).region].is_cached;
    }
    [[nodiscard]] bool is_alias(std::uint64_t line)
    {
        return regions_[place_of(line).region].is_alias;
    }
    /* The core whose own memory the line lies in, if it is one's. */
    [[nodiscard]] std::optional<std::uint32_t> owner_of(std::uint64_t line);
    /* In which the line lies; its page has been touched, if it is at home. */
    [[nodiscard]] const Memory &memory_of(std::uint64_t line);
    void count(std::uint64_t line);
    /* Of all regions, in the order of their channels. */
    [[nodiscard]] std::vector<Memory> all() const;

  private:
    void add_memories(const laxity_sim_region &region);
    laxity_sim_place place_of(std::uint64_t line);
    /* Whose memories the line's region has: itself, or what it is an alias of. */
    [[nodiscard]] std::size_t region_of(std::uint64_t line);
    [[nodiscard]] laxity_sim_place ask_task(std::uint64_t page) const;
    [[nodiscard]] std::uint64_t page_of(std::uint64_t line) const
    {
        return line * line_bytes_ / PAGE_BYTES;
    }

    const Links &links_;
    Features &features_;
    std::uint64_t line_bytes_;
    std::uint32_t cores_;
    laxity_sim_home home_;
    std::vector<laxity_sim_region> regions_;    /* the main memory is the first */
    std::vector<std::vector<Memory>> memories_; /* of each region; an alias has none */
    std::size_t n_channels_ = 0;
    std::vector<const laxity_sim_task *> tasks_;
    std::map<std::uint64_t, laxity_sim_place> places_; /* of pages that somebody has used */
    std::map<std::uint64_t, std::uint32_t> homes_;     /* of pages that have been touched */
};

} // namespace naive

#endif
