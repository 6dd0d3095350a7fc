/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "random_places.hpp"

#include "interface/engine.h"
#include "random.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

std::uint32_t n_domains(const laxity_sim_platform &platform)
{
    const std::uint32_t n = platform.domain_cores;
    return n == 0 ? 1 : (platform.cores + n - 1) / n;
}

/* Itself, or the one that it is an alias of. */
std::uint32_t region_behind(const laxity_sim_platform &platform, std::uint32_t region)
{
    while (region > 0 && platform.regions[region - 1].is_alias) {
        region = platform.regions[region - 1].alias;
    }
    return region;
}

/* Of a region that is no alias. */
std::uint32_t n_instances(const laxity_sim_platform &platform, std::uint32_t region)
{
    if (region == 0) {
        return platform.has_memory_each ? n_domains(platform) : 1;
    }
    switch (platform.regions[region - 1].of) {
    case LAXITY_SIM_OF_PLATFORM:
        return 1;
    case LAXITY_SIM_OF_DOMAIN:
        return n_domains(platform);
    case LAXITY_SIM_OF_CORE:
        break;
    }
    return platform.cores;
}

/* Levels of groups that need not be whole: most of as many cores as a domain has. */
void regroup(Random &random, laxity_sim_platform &platform)
{
    std::uint32_t before = 1;
    for (std::uint32_t i = 0; i < platform.n_levels; i++) {
        laxity_sim_level &level = platform.levels[i];
        const bool is_private = level.cores == 1 && before == 1 && random.is(2, 3);
        if (is_private) {
            continue;
        }
        const std::uint32_t most = (platform.cores + before - 1) / before;
        level.cores = before * small(random, 1, most);
        if (platform.domain_cores % before == 0 && random.is(2, 3)) {
            level.cores = platform.domain_cores;
        }
        before = level.cores;
    }
}

} // namespace

void make_memory(Random &random, laxity_sim_memory &memory)
{
    memory.channels = small(random, 1, 3);
    memory.read_queue = small(random, 1, 6);
    memory.write_queue = small(random, 1, 6);
    memory.reorder = small(random, 1, 8);
    memory.banks = small(random, 1, 8);
    memory.row_lines = small(random, 1, 16);
    memory.request_ticks = small(random, 1, 9);
    memory.response_ticks = small(random, 0, 9);
    memory.hit_ticks = small(random, 0, 20);
    memory.empty_ticks = memory.hit_ticks + small(random, 0, 15);
    memory.conflict_ticks = memory.empty_ticks + small(random, 0, 15);
    memory.line_ticks = small(random, 1, 12);
    memory.turnaround_ticks = small(random, 0, 9);
    memory.refresh_ticks = small(random, 1, 90);
    memory.refresh_interval = random.is(1, 2) ? 0 : random.between(50, 900);
}

void make_domains(Random &random, laxity_sim_platform &platform)
{
    platform.cores = std::max(platform.cores, small(random, 2, 5));
    platform.domain_cores = small(random, 1, platform.cores - 1);
    for (auto &links : platform.link_ticks) {
        for (std::uint32_t &ticks : links) {
            ticks = random.is(1, 12) ? 0 : small(random, 1, 40);
        }
    }
    platform.link_line_ticks = random.is(1, 6) ? 0 : small(random, 1, 30);
    platform.has_memory_each = random.is(3, 4);
    platform.home = random.is(2, 3) ? LAXITY_SIM_FIRST_TOUCH : LAXITY_SIM_INTERLEAVED;
    regroup(random, platform);
}

void make_regions(Random &random, laxity_sim_platform &platform)
{
    platform.memory.word_ticks = small(random, 1, platform.memory.line_ticks);
    platform.n_regions = small(random, 1, 5);
    for (std::uint32_t i = 0; i < platform.n_regions; i++) {
        laxity_sim_region &region = platform.regions[i];
        region.is_cached = random.is(1, 3);
        region.is_alias = random.is(1, 3);
        if (region.is_alias) {
            region.alias = small(random, 0, i);
            continue;
        }
        make_memory(random, region.memory);
        region.memory.word_ticks = small(random, 1, region.memory.line_ticks);
        region.of = static_cast<laxity_sim_of>(random.below(3));
        region.domain = small(random, 0, n_domains(platform) - 1);
    }
}

std::vector<laxity_sim_place> random_places(Random &random, const laxity_sim_platform &platform)
{
    std::vector<laxity_sim_place> places;
    for (std::uint64_t n = random.is(1, 4) ? 0 : random.between(1, 8); n > 0; n--) {
        const std::uint32_t region = small(random, 0, platform.n_regions);
        const std::uint32_t behind = region_behind(platform, region);
        std::uint32_t instance = small(random, 0, n_instances(platform, behind) - 1);
        if (behind == 0 && random.is(1, 2)) {
            instance = LAXITY_SIM_HOME;
        }
        places.push_back({region, instance});
    }
    return places;
}
