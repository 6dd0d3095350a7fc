/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Which memory a line is in (docs/simulation-model.md, section 3). */
#ifndef LAXITY_SIM_REGIONS_HPP
#define LAXITY_SIM_REGIONS_HPP

#include "interface/engine.h"
#include "model/frames.hpp"
#include "model/links.hpp"
#include "model/spaces.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace laxity {

/* One memory: an instance of a region. */
struct Instance {
    const laxity_sim_memory *memory;
    std::uint32_t domain;
    std::uint32_t core; /* whose it is; NOBODY: no core's */

    static constexpr std::uint32_t NOBODY = UINT32_MAX;
};

/* Where a page lies. */
struct Lying {
    static constexpr std::uint32_t UNDECIDED = UINT32_MAX;

    std::uint32_t instance = 0; /* number of a memory; UNDECIDED: nobody has used the page */
    bool is_cached = true;
};

class Regions {
  public:
    Regions(
        const laxity_sim_platform &platform,
        std::span<const laxity_sim_task> tasks,
        const Links &links
    )
        : page_shift_(static_cast<unsigned>(std::countr_zero(PAGE_BYTES / platform.line_bytes))),
          is_interleaved_(platform.home == LAXITY_SIM_INTERLEAVED),
          has_homes_(platform.has_memory_each && links.n_domains() > 1),
          n_domains_(links.n_domains())
    {
        add(platform.memory,
            platform.has_memory_each ? LAXITY_SIM_OF_DOMAIN : LAXITY_SIM_OF_PLATFORM,
            0,
            platform.cores,
            links);
        for (std::uint32_t i = 0; i < platform.n_regions; i++) {
            const laxity_sim_region &region = platform.regions[i];
            has_uncached_ |= !region.is_cached;
            if (region.is_alias) {
                regions_.push_back(
                    {.first = regions_[region.alias].first, .is_cached = region.is_cached}
                );
            } else {
                add(region.memory, region.of, region.domain, platform.cores, links);
                regions_.back().is_cached = region.is_cached;
            }
        }
        for (const laxity_sim_task &task : tasks) {
            placers_.push_back(task.placer);
        }
    }

    /* All memories. Numbers of their channels follow the order. */
    [[nodiscard]] const std::vector<Instance> &instances() const
    {
        return instances_;
    }
    /* Whether there is one memory, cached, for all. */
    [[nodiscard]] bool is_plain() const
    {
        return instances_.size() == 1 && !has_uncached_;
    }
    [[nodiscard]] bool has_uncached() const
    {
        return has_uncached_;
    }

    /* Where a line lies; its page may be undecided. */
    [[nodiscard]] const Lying &of(std::uint64_t line)
    {
        return slot_of(line >> page_shift_);
    }

    /* The same, behind its use by a core. */
    [[nodiscard]] const Lying &used(std::uint64_t line, std::uint32_t domain)
    {
        const std::uint64_t page = line >> page_shift_;
        Lying &lying = slot_of(page);
        if (lying.instance == Lying::UNDECIDED) {
            lying.instance =
                is_interleaved_ ? static_cast<std::uint32_t>(page % n_domains_) : domain;
        }
        return lying;
    }

  private:
    struct Region {
        std::uint32_t first; /* of its instances */
        bool is_cached;
    };
    struct Slot {
        std::uint64_t page = UINT64_MAX;
        Lying *lying = nullptr; /* of the map, which moves none */
    };
    /* Pages that have been looked for lately. */
    static constexpr std::size_t SLOTS = 256;
    /* Pages of a task have the number of its space above so many bits. */
    static constexpr unsigned PAGE_BITS = SPACE_SHIFT - 12;
    /* What lies there is of no program: page tables. */
    static constexpr std::uint64_t NO_PROGRAM = std::uint64_t{1} << 47U;

    void
    add(const laxity_sim_memory &memory,
        laxity_sim_of of,
        std::uint32_t domain,
        std::uint32_t cores,
        const Links &links)
    {
        regions_.push_back(
            {.first = static_cast<std::uint32_t>(instances_.size()), .is_cached = true}
        );
        if (of == LAXITY_SIM_OF_PLATFORM) {
            instances_.push_back({.memory = &memory, .domain = domain, .core = Instance::NOBODY});
        }
        for (std::uint32_t one = 0; of == LAXITY_SIM_OF_DOMAIN && one < n_domains_; one++) {
            instances_.push_back({.memory = &memory, .domain = one, .core = Instance::NOBODY});
        }
        for (std::uint32_t core = 0; of == LAXITY_SIM_OF_CORE && core < cores; core++) {
            instances_.push_back({.memory = &memory, .domain = links.domain_of(core), .core = core}
            );
        }
    }

    [[nodiscard]] Lying &slot_of(std::uint64_t page)
    {
        Slot &slot = slots_.at(page % SLOTS);
        if (slot.page != page) {
            const auto [found, is_new] = pages_.try_emplace(page);
            if (is_new) {
                found->second = place(page);
            }
            slot = {.page = page, .lying = &found->second};
        }
        return *slot.lying;
    }

    /* As its task says; others are at home. */
    [[nodiscard]] Lying place(std::uint64_t page)
    {
        const std::uint64_t space = page >> PAGE_BITS;
        const std::uint64_t address = (page & ((std::uint64_t{1} << PAGE_BITS) - 1)) * PAGE_BYTES;
        laxity_sim_place at{.region = 0, .instance = LAXITY_SIM_HOME};
        if (space < placers_.size() && placers_[space].place != nullptr && address < NO_PROGRAM) {
            at = placers_[space].place(placers_[space].context, address);
        }
        const Region &region = regions_[at.region];
        Lying lying{.instance = region.first, .is_cached = region.is_cached};
        if (at.instance != LAXITY_SIM_HOME) {
            lying.instance += at.instance;
        } else if (has_homes_) {
            lying.instance = Lying::UNDECIDED;
        }
        return lying;
    }

    unsigned page_shift_; /* of the number of a line */
    bool is_interleaved_;
    bool has_homes_; /* the main memory: its instances are those of the domains */
    bool has_uncached_ = false;
    std::uint32_t n_domains_;
    std::vector<Region> regions_; /* the main memory first */
    std::vector<Instance> instances_;
    std::vector<laxity_sim_placer> placers_; /* by task */
    std::unordered_map<std::uint64_t, Lying> pages_;
    std::array<Slot, SLOTS> slots_;
};

} // namespace laxity

#endif
