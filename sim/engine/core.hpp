/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A core with private caches that executes one instruction after the other and waits for each
 * miss. */
#ifndef LAXITY_SIM_CORE_HPP
#define LAXITY_SIM_CORE_HPP

#include "engine/reader.hpp"
#include "interface/engine.h"
#include "model/cache.hpp"

#include <cstdint>
#include <unordered_set>

namespace laxity {

/* Ticks, by what they went into. */
struct Spent {
    std::uint64_t busy = 0;
    std::uint64_t own = 0;
    std::uint64_t reload = 0;

    [[nodiscard]] std::uint64_t sum() const
    {
        return busy + own + reload;
    }
};

/* A cache that remembers which lines a task has lost to others. */
class SharedCache {
  public:
    explicit SharedCache(const laxity_sim_cache &cache)
        : cache_(cache.size_bytes, cache.ways, cache.line_bytes), miss_ticks_(cache.miss_ticks)
    {
    }

    /* Uses a line of the task that runs; adds what it waits to `spent`. Tells whether it was there.
     */
    bool use(std::uint64_t line, Spent &spent);

    [[nodiscard]] const Cache &cache() const
    {
        return cache_;
    }

  private:
    Cache cache_;
    std::uint32_t miss_ticks_;
    std::unordered_set<std::uint64_t> lost_;
};

class Core {
  public:
    explicit Core(const laxity_sim_platform &platform);

    /* What follows is done by this task. */
    void switch_to(std::uint32_t task);

    /* Both add what they take to `spent`. */
    void execute(const Block &block, Spent &spent);
    void access(const Access &access, Spent &spent);

  private:
    void use(SharedCache &first, std::uint64_t address, unsigned bytes, Spent &spent);

    std::uint32_t instruction_ticks_;
    std::uint64_t address_space_ = 0;
    SharedCache l1i_;
    SharedCache l1d_;
    SharedCache l2_;
};

} // namespace laxity

#endif
