/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "random_observer.hpp"

#include "case.hpp"
#include "random.hpp"

#include <cstdint>

void add_observer(std::uint64_t seed, Case &made)
{
    constexpr std::uint64_t MOST_TICKS = 200;
    constexpr std::uint64_t LONGEST_PROBE = 40;
    constexpr std::int64_t LONGEST_NS = 2000; /* some instructions that miss all caches */
    Random random{Random{~seed}.next() + 1};
    if (!random.is(1, 3)) {
        return;
    }
    const auto some_ns = [&random] {
        return random.is(1, 4) ? 0 : static_cast<std::int64_t>(random.below(LONGEST_NS));
    };
    made.observer.ticks = random.between(1, MOST_TICKS);
    made.observer.seed = random.next();
    made.observer.longest_ns = std::uint64_t{1} << random.between(7, 13);
    laxity_sim_observer &asked = made.observer.asked;
    asked.core = static_cast<std::uint32_t>(random.below(made.platform.cores));
    asked.first_ns = some_ns();
    asked.stop_ns = some_ns();
    asked.resume_ns = some_ns();
    asked.mark_ns = some_ns();
    if (made.platform.probe_ticks == 0) {
        made.platform.probe_ticks = random.between(1, LONGEST_PROBE);
    }
}
