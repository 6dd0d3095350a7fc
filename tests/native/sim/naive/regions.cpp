/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "regions.hpp"

#include "frames.hpp"
#include "interface/engine.h"
#include "links.hpp"
#include "naive.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace naive {

namespace {

constexpr laxity_sim_place AT_HOME = {.region = 0, .instance = LAXITY_SIM_HOME};

} // namespace

Regions::Regions(const laxity_sim_platform &platform, const Links &links, Features &features)
    : links_(links), features_(features), line_bytes_(platform.line_bytes), cores_(platform.cores),
      home_(platform.home)
{
    laxity_sim_region main{};
    main.memory = platform.memory;
    main.of = platform.has_memory_each ? LAXITY_SIM_OF_DOMAIN : LAXITY_SIM_OF_PLATFORM;
    main.is_cached = true;
    add_memories(main);
    for (std::uint32_t i = 0; i < platform.n_regions; i++) {
        add_memories(platform.regions[i]);
    }
}

void Regions::add_memories(const laxity_sim_region &region)
{
    regions_.push_back(region);
    memories_.emplace_back();
    if (region.is_alias) {
        return;
    }
    const std::uint32_t n = region.of == LAXITY_SIM_OF_CORE     ? cores_
                            : region.of == LAXITY_SIM_OF_DOMAIN ? links_.n_domains()
                                                                : 1;
    for (std::uint32_t i = 0; i < n; i++) {
        Memory memory{region.memory, region.domain, n_channels_};
        if (region.of == LAXITY_SIM_OF_CORE) {
            memory.domain = links_.domain_of(i);
        } else if (region.of == LAXITY_SIM_OF_DOMAIN) {
            memory.domain = i;
        }
        memories_.back().push_back(memory);
        n_channels_ += region.memory.channels;
    }
}

std::vector<Memory> Regions::all() const
{
    std::vector<Memory> all;
    for (const std::vector<Memory> &instances : memories_) {
        all.insert(all.end(), instances.begin(), instances.end());
    }
    return all;
}

laxity_sim_place Regions::ask_task(std::uint64_t page) const
{
    const std::uint64_t space = page * PAGE_BYTES >> SPACE_SHIFT;
    const std::uint64_t address = page * PAGE_BYTES % (std::uint64_t{1} << SPACE_SHIFT);
    if (space >= PROGRAMS || address >= PAGE_TABLES) {
        return AT_HOME; /* shared, or the kernel's, or page tables */
    }
    const laxity_sim_placer &placer = tasks_[space]->placer;
    return placer.place == nullptr ? AT_HOME : placer.place(placer.context, address);
}

laxity_sim_place Regions::place_of(std::uint64_t line)
{
    const std::uint64_t page = page_of(line);
    if (!places_.contains(page)) {
        places_[page] = ask_task(page);
    }
    return places_[page];
}

void Regions::touch(std::uint64_t line, std::uint32_t core)
{
    const std::uint64_t page = page_of(line);
    if (place_of(line).instance != LAXITY_SIM_HOME || homes_.contains(page)) {
        return;
    }
    if (memories_[0].size() == 1) {
        homes_[page] = 0;
    } else if (home_ == LAXITY_SIM_INTERLEAVED) {
        homes_[page] = static_cast<std::uint32_t>(page % links_.n_domains());
        features_.homes_interleaved++;
    } else {
        homes_[page] = links_.domain_of(core);
        features_.homes_touched[homes_[page] < 2 ? homes_[page] : 2]++;
    }
}

std::size_t Regions::region_of(std::uint64_t line)
{
    std::size_t region = place_of(line).region;
    while (regions_[region].is_alias) {
        region = regions_[region].alias;
    }
    return region;
}

std::optional<std::uint32_t> Regions::owner_of(std::uint64_t line)
{
    const bool is_cores = regions_[region_of(line)].of == LAXITY_SIM_OF_CORE;
    return is_cores ? std::optional{place_of(line).instance} : std::nullopt;
}

const Memory &Regions::memory_of(std::uint64_t line)
{
    const std::uint32_t instance = place_of(line).instance;
    const bool is_home = instance == LAXITY_SIM_HOME;
    return memories_[region_of(line)][is_home ? homes_.at(page_of(line)) : instance];
}

/* Of an access that missed the first level. */
void Regions::count(std::uint64_t line)
{
    const laxity_sim_place place = place_of(line);
    features_.cached_aliases += regions_[place.region].is_alias ? 1 : 0;
    features_.cached_others += region_of(line) > 0 ? 1 : 0;
    features_.placed_in_domains +=
        region_of(line) == 0 && memories_[0].size() > 1 && place.instance != LAXITY_SIM_HOME ? 1
                                                                                             : 0;
}

} // namespace naive
