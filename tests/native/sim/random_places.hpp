/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Memories of random cases, and where pages lie: in further regions, in several domains. */
#ifndef LAXITY_RANDOM_PLACES_HPP
#define LAXITY_RANDOM_PLACES_HPP

#include "interface/engine.h"
#include "random.hpp"

#include <cstdint>
#include <vector>

inline std::uint32_t small(Random &random, std::uint64_t least, std::uint64_t most)
{
    return static_cast<std::uint32_t>(random.between(least, most));
}

void make_memory(Random &random, laxity_sim_memory &memory);
/* Two domains or more, which the levels follow now and then, and links between them. */
void make_domains(Random &random, laxity_sim_platform &platform);
void make_regions(Random &random, laxity_sim_platform &platform);
/* Of a task: where its pages lie; none: at home. */
std::vector<laxity_sim_place> random_places(Random &random, const laxity_sim_platform &platform);

#endif
