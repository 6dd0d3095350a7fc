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

namespace laxity {

/* Ticks since the platform was switched on, by what they went into. */
struct Spent {
    std::uint64_t busy = 0;
    std::uint64_t stall_own = 0;

    [[nodiscard]] std::uint64_t sum() const
    {
        return busy + stall_own;
    }
};

class Core {
  public:
    explicit Core(const laxity_sim_platform &platform);

    void execute(const Block &block);
    void access(const Access &access);

    [[nodiscard]] const Spent &spent() const
    {
        return spent_;
    }

  private:
    void use(Cache &first, std::uint32_t miss_ticks, std::uint64_t address, unsigned bytes);

    laxity_sim_platform platform_;
    Cache l1i_;
    Cache l1d_;
    Cache l2_;
    Spent spent_;
};

} // namespace laxity

#endif
