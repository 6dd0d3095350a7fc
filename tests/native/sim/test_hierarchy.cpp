/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Levels of caches between cores and memory: who holds a line, and what is sent for it. */
#include "../test.h"
#include "engine/hierarchy.hpp"
#include "interface/engine.h"
#include "model/lost.hpp"
#include "model/memory.hpp"

#include <cstdint>

namespace {

using laxity::Cause;
using laxity::Kind;

constexpr std::uint32_t LINE_BYTES = 64;
/* Of tasks; lines of a task begin behind its number. */
constexpr std::uint64_t TASK_LINES = (std::uint64_t{1} << laxity::TASK_SHIFT) / LINE_BYTES;

laxity_sim_cache a_cache(std::uint32_t sets, std::uint32_t ways)
{
    return {std::uint64_t{sets} * ways * LINE_BYTES, ways, LAXITY_SIM_LRU};
}

/* Each core has a first level of one line for fetches, and one of two lines in one set for data. */
laxity_sim_platform a_platform(std::uint32_t cores)
{
    laxity_sim_platform platform{};
    platform.cores = cores;
    platform.line_bytes = LINE_BYTES;
    platform.colours = 1;
    platform.transfer_ticks = 1;
    platform.upgrade_ticks = 1;
    platform.l1i = a_cache(1, 1);
    platform.l1d = a_cache(1, 2);
    laxity_sim_memory &memory = platform.memory;
    memory.channels = 1;
    memory.read_queue = 4;
    memory.write_queue = 4;
    memory.reorder = 1;
    memory.banks = 1;
    memory.row_lines = 1;
    memory.request_ticks = 1;
    memory.line_ticks = 1;
    return platform;
}

void add_level(
    laxity_sim_platform &platform,
    const laxity_sim_cache &cache,
    std::uint32_t cores,
    laxity_sim_inclusion inclusion
)
{
    laxity_sim_level &level = platform.levels[platform.n_levels++];
    level.cache = cache;
    level.cores = cores;
    level.hit_ticks = 1;
    level.inclusion = inclusion;
}

/* Accesses one after the other, each behind all that the one before has caused. */
class Accesses {
  public:
    explicit Accesses(const laxity_sim_platform &platform)
        : hierarchy(platform, platform.cores), n_cores_(platform.cores)
    {
        for (std::uint32_t core = 0; core < platform.cores; core++) {
            hierarchy.place(core, core); /* a task of its own */
        }
    }

    /* A line of the core's own task. Tells whether the first level held it, or the cause of the
     * request. */
    struct Seen {
        bool is_hit;
        Cause cause;
        bool is_from_memory;
    };
    Seen access(std::uint32_t core, Kind kind, std::uint64_t line)
    {
        now_ += 1000;
        const laxity::Answer answer = hierarchy.touch(
            {.core = core,
             .task = core,
             .kind = kind,
             .line = core * TASK_LINES + line,
             .written = 1},
            now_
        );
        Seen seen{.is_hit = true, .cause = Cause::Own, .is_from_memory = false};
        if (answer.what == laxity::Answer::Asked) {
            const laxity::Request *const request = hierarchy.find(core, answer.request);
            seen = {
                .is_hit = false,
                .cause = request->cause,
                .is_from_memory = static_cast<bool>(request->read),
            };
        }
        for (laxity::Channel &channel : hierarchy.memory().channels()) {
            while (channel.next() != laxity::NEVER) {
                (void)channel.decide();
            }
        }
        return seen;
    }
    Seen load(std::uint32_t core, std::uint64_t line)
    {
        return access(core, Kind::Load, line);
    }
    Seen store(std::uint32_t core, std::uint64_t line)
    {
        return access(core, Kind::Store, line);
    }
    [[nodiscard]] std::uint64_t reads()
    {
        return sum(&laxity_sim_counts::reads);
    }
    [[nodiscard]] std::uint64_t writes()
    {
        return sum(&laxity_sim_counts::writes);
    }

    laxity::Hierarchy hierarchy;

  private:
    [[nodiscard]] std::uint64_t sum(std::uint64_t laxity_sim_counts::*member)
    {
        std::uint64_t all = 0;
        for (std::uint32_t core = 0; core < n_cores_; core++) {
            all += hierarchy.counts(core).*member;
        }
        return all;
    }

    std::uint32_t n_cores_;
    std::uint64_t now_ = 0;
};

laxity_sim_platform two_lines_for_two_cores(laxity_sim_inclusion inclusion)
{
    laxity_sim_platform platform = a_platform(2);
    add_level(platform, a_cache(1, 2), 2, inclusion);
    return platform;
}

/* Core 1 loads 0 and 1 of its own, for which line 0 of core 0 goes from the level. */
void take_line_of_core_0(Accesses &accesses, Kind first)
{
    (void)accesses.access(0, first, 0);
    (void)accesses.load(1, 0);
    (void)accesses.load(1, 1);
}

void a_line_outlives_the_level_below(void)
{
    Accesses accesses{two_lines_for_two_cores(LAXITY_SIM_NEITHER)};
    take_line_of_core_0(accesses, Kind::Load);
    CHECK(accesses.load(0, 0).is_hit);
}

/* The core that has taken it is another one. */
void an_inclusive_level_takes_its_victim_from_the_caches_above(void)
{
    Accesses accesses{two_lines_for_two_cores(LAXITY_SIM_INCLUSIVE)};
    take_line_of_core_0(accesses, Kind::Load);
    const Accesses::Seen seen = accesses.load(0, 0);
    CHECK(!seen.is_hit && seen.is_from_memory);
    CHECK(seen.cause == Cause::Shared);
    CHECK_EQUAL(accesses.reads(), 4);
    CHECK_EQUAL(accesses.writes(), 0);
}

/* The level holds it clean; that of core 0 is written to memory when it goes. */
void what_was_dirty_above_is_written_back_by_the_inclusive_level(void)
{
    Accesses neither{two_lines_for_two_cores(LAXITY_SIM_NEITHER)};
    take_line_of_core_0(neither, Kind::Store);
    CHECK_EQUAL(neither.writes(), 0);
    Accesses inclusive{two_lines_for_two_cores(LAXITY_SIM_INCLUSIVE)};
    take_line_of_core_0(inclusive, Kind::Store);
    CHECK_EQUAL(inclusive.writes(), 1);
}

/* Fetches, too; core 0 fetches 0, and its own two loads let it go. */
void an_inclusive_level_takes_instructions_for_data(void)
{
    laxity_sim_platform platform = a_platform(1);
    add_level(platform, a_cache(1, 2), 1, LAXITY_SIM_INCLUSIVE);
    Accesses accesses{platform};
    (void)accesses.access(0, Kind::Fetch, 0);
    (void)accesses.load(0, 1);
    CHECK(accesses.access(0, Kind::Fetch, 0).is_hit);
    (void)accesses.load(0, 2);
    const Accesses::Seen seen = accesses.access(0, Kind::Fetch, 0);
    CHECK(!seen.is_hit && seen.cause == Cause::Own);
}

/*
 * A private level of four lines above an inclusive one of two that both cores share: it takes from
 * the private level as from the first, but only of those cores that share it; cores 2 and 3 have
 * another one.
 */
void an_inclusive_level_takes_from_levels_of_its_own_cores(void)
{
    laxity_sim_platform platform = a_platform(4);
    add_level(platform, a_cache(1, 4), 1, LAXITY_SIM_NEITHER);
    add_level(platform, a_cache(1, 2), 2, LAXITY_SIM_INCLUSIVE);
    Accesses accesses{platform};
    (void)accesses.load(0, 0);
    (void)accesses.load(2, 0);
    (void)accesses.load(1, 0);
    (void)accesses.load(1, 1);
    CHECK(accesses.load(2, 0).is_hit);
    CHECK(accesses.load(0, 0).is_from_memory);
    /* Lookups of the private level: of the load that missed, and of this one. */
    CHECK_EQUAL(accesses.hierarchy.counts(0).levels[0].misses, 2);
}

/* Cores may run ahead of each other only if none takes lines from another one's caches. */
void only_shared_inclusive_levels_couple_cores(void)
{
    laxity_sim_platform platform = a_platform(2);
    add_level(platform, a_cache(1, 2), 1, LAXITY_SIM_INCLUSIVE);
    add_level(platform, a_cache(1, 2), 2, LAXITY_SIM_NEITHER);
    CHECK(!laxity::Hierarchy(platform, 1).is_coupling());
    platform.levels[1].inclusion = LAXITY_SIM_INCLUSIVE;
    CHECK(laxity::Hierarchy(platform, 1).is_coupling());
}

} // namespace

int main()
{
    RUN(a_line_outlives_the_level_below);
    RUN(an_inclusive_level_takes_its_victim_from_the_caches_above);
    RUN(what_was_dirty_above_is_written_back_by_the_inclusive_level);
    RUN(an_inclusive_level_takes_instructions_for_data);
    RUN(an_inclusive_level_takes_from_levels_of_its_own_cores);
    RUN(only_shared_inclusive_levels_couple_cores);
    return test_exit_code();
}
