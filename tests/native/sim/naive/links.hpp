/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Domains of cores, and the links between them (docs/simulation-model.md, section 3, regions and
 * links). */
#ifndef LAXITY_NAIVE_LINKS_HPP
#define LAXITY_NAIVE_LINKS_HPP

#include "interface/engine.h"
#include "naive.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace naive {

/* A line on its way, and the core for which it goes. */
struct Parcel {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t core;
    std::uint64_t departs; /* at the earliest */
};

struct Brought {
    std::uint64_t at;
    std::uint64_t waited = 0; /* for the link */
    bool is_behind_others = false;
};

class Links {
  public:
    Links(const laxity_sim_platform &platform, Features &features)
        : platform_(platform), features_(features)
    {
    }

    [[nodiscard]] std::uint32_t n_domains() const;
    [[nodiscard]] std::uint32_t domain_of(std::uint32_t core) const;
    /* What a message takes. */
    [[nodiscard]] std::uint64_t ticks(std::uint32_t from, std::uint32_t to) const;
    [[nodiscard]] std::uint64_t ticks_and_back(std::uint32_t from, std::uint32_t to) const
    {
        return ticks(from, to) + ticks(to, from);
    }
    /* Sends a line. */
    Brought bring(const Parcel &parcel);

  private:
    struct Link {
        std::uint64_t free = 0;
        std::uint32_t last_core = 0;
    };

    const laxity_sim_platform &platform_;
    Features &features_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Link> links_;
};

} // namespace naive

#endif
