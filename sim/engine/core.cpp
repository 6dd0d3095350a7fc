/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "engine/core.hpp"

#include "engine/reader.hpp"
#include "interface/engine.h"
#include "model/cache.hpp"

#include <cstdint>

namespace laxity {

namespace {

Cache cache_of(const laxity_sim_cache &cache)
{
    return {cache.size_bytes, cache.ways, cache.line_bytes};
}

} // namespace

Core::Core(const laxity_sim_platform &platform)
    : platform_(platform), l1i_(cache_of(platform.l1i)), l1d_(cache_of(platform.l1d)),
      l2_(cache_of(platform.l2))
{
}

/* A straddling access is one access and two lookups. */
void Core::use(Cache &first, std::uint32_t miss_ticks, std::uint64_t address, unsigned bytes)
{
    const std::uint64_t last = first.line_of(address + bytes - 1);
    for (std::uint64_t line = first.line_of(address); line <= last; line++) {
        if (first.use(line)) {
            continue;
        }
        spent_.stall_own += miss_ticks;
        if (!l2_.use(l2_.line_of(line << first.line_shift()))) {
            spent_.stall_own += platform_.l2.miss_ticks;
        }
    }
}

void Core::execute(const Block &block)
{
    std::uint64_t address = block.address;
    std::uint64_t looked_up = UINT64_MAX;
    for (const unsigned size : block.sizes) {
        /* A line is fetched once for the instructions in a row that lie in it. */
        const std::uint64_t line = l1i_.line_of(address + size - 1);
        if (line != looked_up) {
            use(l1i_, platform_.l1i.miss_ticks, address, size);
            looked_up = line;
        }
        address += size;
    }
    spent_.busy += block.sizes.size() * platform_.instruction_ticks;
}

void Core::access(const Access &access)
{
    use(l1d_, platform_.l1d.miss_ticks, access.address, access.bytes);
}

} // namespace laxity
