/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Domains of cores, and the links between them (docs/simulation-model.md, section 3). */
#ifndef LAXITY_SIM_LINKS_HPP
#define LAXITY_SIM_LINKS_HPP

#include "interface/engine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace laxity {

class Links {
  public:
    explicit Links(const laxity_sim_platform &platform)
        : cores_(platform.domain_cores == 0 ? platform.cores : platform.domain_cores),
          n_domains_((platform.cores + cores_ - 1) / cores_), line_ticks_(platform.link_line_ticks),
          links_(std::size_t{n_domains_} * n_domains_)
    {
        for (std::uint32_t from = 0; from < n_domains_; from++) {
            for (std::uint32_t to = 0; to < n_domains_; to++) {
                link(from, to).ticks = platform.link_ticks[from][to];
            }
        }
    }

    [[nodiscard]] std::uint32_t n_domains() const
    {
        return n_domains_;
    }
    [[nodiscard]] std::uint32_t domain_of(std::uint32_t core) const
    {
        return n_domains_ == 1 ? 0 : core / cores_;
    }
    /* Of the cores of a domain, as bits. */
    [[nodiscard]] std::uint64_t cores_of(std::uint32_t domain) const
    {
        const std::uint64_t all = cores_ == 64 ? UINT64_MAX : (std::uint64_t{1} << cores_) - 1;
        return all << domain * cores_;
    }

    /* What a message takes, one way; and there and back. */
    [[nodiscard]] std::uint64_t ticks(std::uint32_t from, std::uint32_t to) const
    {
        return from == to ? 0 : links_[std::size_t{from} * n_domains_ + to].ticks;
    }
    [[nodiscard]] std::uint64_t round_trip(std::uint32_t from, std::uint32_t to) const
    {
        return ticks(from, to) + ticks(to, from);
    }

    struct Arrival {
        std::uint64_t tick;
        std::uint64_t waited_for_others;
    };

    /* A line of a core goes from one domain to another, if they are two, and may depart from a tick
     * on: when it is there. */
    Arrival carry(std::uint32_t from, std::uint32_t to, std::uint64_t tick, std::uint32_t core)
    {
        if (from == to) {
            return {.tick = tick, .waited_for_others = 0};
        }
        Link &over = link(from, to);
        const std::uint64_t departure = std::max(tick, over.free);
        const std::uint64_t waited = over.last_core == core ? 0 : departure - tick;
        over.free = departure + line_ticks_;
        over.last_core = core;
        return {.tick = departure + over.ticks, .waited_for_others = waited};
    }

  private:
    struct Link {
        std::uint64_t ticks = 0;
        std::uint64_t free = 0; /* from then on */
        std::uint32_t last_core = 0;
    };

    [[nodiscard]] Link &link(std::uint32_t from, std::uint32_t to)
    {
        return links_[std::size_t{from} * n_domains_ + to];
    }

    std::uint32_t cores_; /* of a domain */
    std::uint32_t n_domains_;
    std::uint64_t line_ticks_;
    std::vector<Link> links_; /* by where from, then where to */
};

} // namespace laxity

#endif
