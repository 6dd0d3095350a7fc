/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Levels of caches between cores and memory: who holds a line, and what is sent for it. */
#include "../test.h"
#include "engine/hierarchy.hpp"
#include "interface/engine.h"
#include "model/lost.hpp"
#include "model/memory.hpp"
#include "model/spaces.hpp"
#include "model/strides.hpp"

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace {

using laxity::Cause;
using laxity::Kind;

constexpr std::uint32_t LINE_BYTES = 64;
constexpr std::uint64_t PAGE_LINES = 64;
/* Of tasks; lines of a task begin behind its number. */
constexpr std::uint64_t TASK_LINES = (std::uint64_t{1} << laxity::SPACE_SHIFT) / LINE_BYTES;

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
        : hierarchy(platform, std::vector<laxity_sim_task>(platform.cores)),
          n_cores_(platform.cores)
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
    Seen access(
        std::uint32_t core,
        Kind kind,
        std::uint64_t line,
        std::uint64_t instruction = laxity::NO_INSTRUCTION
    )
    {
        now_ += 1000;
        const std::uint64_t reads_before = reads();
        const laxity::Answer answer = hierarchy.touch(
            {.core = core,
             .task = core,
             .kind = kind,
             .line = core * TASK_LINES + line,
             .written = 1,
             .instruction = instruction},
            now_
        );
        Seen seen{.is_hit = true, .cause = Cause::Own, .is_from_memory = false};
        if (answer.what == laxity::Answer::Asked) {
            const laxity::Request *const request =
                hierarchy.own(core).requests.find(answer.request);
            seen = {
                .is_hit = false,
                .cause = request->cause,
                .is_from_memory = reads() > reads_before,
            };
        }
        for (laxity::Channel &channel : hierarchy.memory().channels()) {
            while (channel.next() != laxity::NEVER) {
                (void)hierarchy.settle(channel.decide(hierarchy.memory().reads(), hierarchy.links())
                );
            }
        }
        return seen;
    }
    Seen
    load(std::uint32_t core, std::uint64_t line, std::uint64_t instruction = laxity::NO_INSTRUCTION)
    {
        return access(core, Kind::Load, line, instruction);
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
    CHECK(!laxity::Hierarchy(platform, {}).is_coupling());
    platform.levels[1].inclusion = LAXITY_SIM_INCLUSIVE;
    CHECK(laxity::Hierarchy(platform, {}).is_coupling());
}

/*
 * Two lines of data in the first level, two in another, all dirty. Each load of a line of the other
 * level hands down a dirty one, for which one goes to memory: the queue is not asked. Of lines 0 to
 * 3 stored to, one after the other, the levels hold:
 *
 *            first level     other level         behind it
 *   store 3  2 dirty 3 dirty 3 clean 1 dirty     0 (written before)
 *   load 1   3 dirty 1       1 dirty 2 dirty
 *   load 2   1       2       2 dirty 3 dirty     1
 *   store 1, 2 (hits), load 3:
 *            2 dirty 3       3 dirty 1 dirty     2
 *
 * The last two are undecided.
 */
class TwoUndecidedWrites {
  public:
    explicit TwoUndecidedWrites(std::uint32_t write_queue) : accesses_{platform(write_queue)}
    {
        for (std::uint64_t line = 0; line < 4; line++) {
            (void)accesses_.store(0, line);
        }
        (void)accesses_.load(0, 1);
        CHECK_EQUAL(accesses_.writes(), 1);
        (void)touch(0, Kind::Load, 2);
        (void)touch(0, Kind::Store, 1);
        (void)touch(0, Kind::Store, 2);
        (void)touch(0, Kind::Load, 3);
        CHECK_EQUAL(accesses_.writes(), 3);
    }

    /* An access without what follows from it. */
    laxity::Answer touch(std::uint32_t task, Kind kind, std::uint64_t line)
    {
        constexpr std::uint64_t LATE = 100'000;
        return accesses_.hierarchy.touch(
            {.core = 0, .task = task, .kind = kind, .line = task * TASK_LINES + line, .written = 1},
            LATE
        );
    }

    /* The memory decides. */
    void decide()
    {
        laxity::Hierarchy &hierarchy = accesses_.hierarchy;
        laxity::Memory &memory = hierarchy.memory();
        (void)hierarchy.settle(memory.channels()[0].decide(memory.reads(), hierarchy.links()));
    }

  private:
    static laxity_sim_platform platform(std::uint32_t write_queue)
    {
        laxity_sim_platform made = a_platform(1);
        made.memory.write_queue = write_queue;
        add_level(made, a_cache(1, 2), 1, LAXITY_SIM_NEITHER);
        return made;
    }

    Accesses accesses_;
};

/* The level holds line 1, so that the access would ask for no room. */
void a_core_that_overfills_a_queue_waits_at_its_next_miss(void)
{
    TwoUndecidedWrites enough{2};
    CHECK(enough.touch(0, Kind::Load, 1).what == laxity::Answer::Asked);
    TwoUndecidedWrites writes{1};
    CHECK(writes.touch(0, Kind::Load, 3).what == laxity::Answer::Asked); /* no miss: on its way */
    CHECK(writes.touch(0, Kind::Store, 3).is_joined);
    CHECK(writes.touch(0, Kind::Load, 1).what == laxity::Answer::WaitsChannel);
    writes.decide();
    CHECK(writes.touch(0, Kind::Load, 1).what == laxity::Answer::WaitsChannel);
    writes.decide();
    CHECK(writes.touch(0, Kind::Load, 1).what == laxity::Answer::Asked);
}

/* It need not be the same task. */
void the_kernel_pays_what_a_task_of_its_core_owes(void)
{
    TwoUndecidedWrites writes{1};
    CHECK(writes.touch(laxity::KERNEL, Kind::Load, 0).what == laxity::Answer::WaitsChannel);
    writes.decide();
    writes.decide();
    CHECK(writes.touch(laxity::KERNEL, Kind::Load, 0).what == laxity::Answer::Asked);
}

/* Two lines in the first level, two in an exclusive one: it has what the first level evicts. */
laxity_sim_platform two_lines_and_two_more(void)
{
    laxity_sim_platform platform = a_platform(1);
    add_level(platform, a_cache(1, 2), 1, LAXITY_SIM_EXCLUSIVE);
    return platform;
}

/*
 * Lines 0 to 3 are held by both together: of 0, 1, 2, 3 the first level has 2 and 3, the other 0
 * and 1. Line 0 changes places with 2 then. Line 4 takes the place of 3 in the first level, whose
 * goes down: of 2 and 1 there, 1 was handed down before and goes.
 */
void an_exclusive_level_holds_what_was_evicted_above(void)
{
    Accesses accesses{two_lines_and_two_more()};
    for (std::uint64_t line = 0; line < 4; line++) {
        CHECK(accesses.load(0, line).is_from_memory);
    }
    const Accesses::Seen seen = accesses.load(0, 0);
    CHECK(!seen.is_hit && !seen.is_from_memory);
    (void)accesses.load(0, 4);
    CHECK(accesses.load(0, 0).is_hit);
    CHECK(!accesses.load(0, 2).is_from_memory);
    CHECK(accesses.load(0, 1).is_from_memory);
    CHECK_EQUAL(accesses.reads(), 6);
}

/* Line 0 is stored, goes down, comes up by a load, and is dirty still: it is written when it has
 * gone down and out for lines 3, 4, 5 and 6. */
void what_moves_up_stays_dirty(void)
{
    Accesses accesses{two_lines_and_two_more()};
    (void)accesses.store(0, 0);
    (void)accesses.load(0, 1);
    (void)accesses.load(0, 2);
    CHECK(!accesses.load(0, 0).is_from_memory);
    for (std::uint64_t line = 3; line < 6; line++) {
        (void)accesses.load(0, line);
    }
    CHECK_EQUAL(accesses.writes(), 0);
    (void)accesses.load(0, 6);
    CHECK_EQUAL(accesses.writes(), 1);
}

/*
 * A level of one line allocates as always, above an exclusive one of two lines. Loads of 0, 1 and 2
 * leave 2 in the level, 0 and 1 in the exclusive one. A fetch of 1 puts 2 in place of 0 there, and
 * moves 1 up into the level, where a load finds it. That of 2 changes them once more.
 */
void what_moves_up_is_in_the_levels_on_its_way(void)
{
    laxity_sim_platform platform = a_platform(1);
    platform.l1d = a_cache(1, 1);
    add_level(platform, a_cache(1, 1), 1, LAXITY_SIM_NEITHER);
    add_level(platform, a_cache(1, 2), 1, LAXITY_SIM_EXCLUSIVE);
    Accesses accesses{platform};
    for (std::uint64_t line = 0; line < 3; line++) {
        (void)accesses.load(0, line);
    }
    (void)accesses.access(0, Kind::Fetch, 1);
    (void)accesses.load(0, 1);
    (void)accesses.load(0, 2);
    CHECK_EQUAL(accesses.reads(), 3);
    /* Of the six misses of the first level one hits in this one, two in the next. */
    CHECK_EQUAL(accesses.hierarchy.counts(0).levels[0].misses, 5);
    CHECK_EQUAL(accesses.hierarchy.counts(0).levels[1].misses, 3);
}

/* Without a first level what hits in the exclusive level stays there. */
void an_exclusive_level_keeps_what_nobody_else_would_have(void)
{
    laxity_sim_platform platform = two_lines_and_two_more();
    platform.l1d.size_bytes = 0;
    Accesses accesses{platform};
    (void)accesses.store(0, 0); /* nothing is read for it: the level gets what is written back */
    CHECK(!accesses.load(0, 0).is_from_memory);
    CHECK(!accesses.load(0, 0).is_from_memory);
    CHECK_EQUAL(accesses.writes(), 0);
}

/*
 * A level of two sets of one line, lines of one page each. Pages 4 and 6 are in set 0 by their
 * addresses; in order of their use they have frames 0 and 1, so both fit.
 */
void sets_of_levels_follow_from_frames(void)
{
    laxity_sim_platform platform = a_platform(1);
    platform.line_bytes = 4096;
    platform.l1d.size_bytes = 0;
    add_level(platform, {std::uint64_t{2} * 4096, 1, LAXITY_SIM_LRU}, 1, LAXITY_SIM_NEITHER);
    Accesses identity{platform};
    (void)identity.load(0, 4);
    (void)identity.load(0, 6);
    CHECK(identity.load(0, 4).is_from_memory);
    platform.placement = LAXITY_SIM_SEQUENTIAL;
    Accesses sequential{platform};
    (void)sequential.load(0, 4);
    (void)sequential.load(0, 6);
    CHECK(!sequential.load(0, 4).is_from_memory);
    CHECK(!sequential.load(0, 6).is_from_memory);
}

/* Those of the first level do not: pages 4 and 6 share a set of two of it. */
void sets_of_the_first_level_follow_from_addresses(void)
{
    laxity_sim_platform platform = a_platform(1);
    platform.line_bytes = 4096;
    platform.l1d = {std::uint64_t{2} * 4096, 1, LAXITY_SIM_LRU};
    platform.placement = LAXITY_SIM_SEQUENTIAL;
    Accesses accesses{platform};
    (void)accesses.load(0, 4);
    (void)accesses.load(0, 6);
    CHECK(!accesses.load(0, 4).is_hit);
}

/* One level of two lines below a first level that writes through. */
laxity_sim_platform a_first_level_that_writes_through(void)
{
    laxity_sim_platform platform = a_platform(1);
    platform.writes_through = true;
    add_level(platform, a_cache(1, 2), 1, LAXITY_SIM_NEITHER);
    return platform;
}

/* A store that misses has no place in the first level; one that hits is no miss, and what it writes
 * goes on to the level, too: it is there when the first level's line has been evicted. */
void what_is_written_through_is_in_the_level(void)
{
    Accesses accesses{a_first_level_that_writes_through()};
    (void)accesses.store(0, 0);
    CHECK_EQUAL(accesses.reads(), 1);
    CHECK(!accesses.load(0, 0).is_hit);
    CHECK(!accesses.store(0, 0).is_hit); /* a request, all the same */
    const laxity_sim_counts &counts = accesses.hierarchy.counts(0);
    CHECK_EQUAL(counts.stores, 2);
    CHECK_EQUAL(counts.store_misses, 1);
    CHECK_EQUAL(counts.levels[0].lookups, 3);
    CHECK(accesses.load(0, 0).is_hit);
    /* Line 0 leaves the level for line 2: it is dirty there, and only there. */
    (void)accesses.load(0, 1);
    CHECK_EQUAL(accesses.writes(), 0);
    (void)accesses.load(0, 2);
    CHECK_EQUAL(accesses.writes(), 1);
    (void)accesses.load(0, 3);
    CHECK_EQUAL(accesses.writes(), 1);
}

/* Without any level below nothing is read for it, and each store is a write. */
void what_is_written_through_goes_to_memory(void)
{
    laxity_sim_platform platform = a_first_level_that_writes_through();
    platform.levels[0].cache.size_bytes = 0;
    Accesses accesses{platform};
    (void)accesses.load(0, 0);
    (void)accesses.store(0, 0);
    (void)accesses.store(0, 0);
    (void)accesses.store(0, 1);
    CHECK_EQUAL(accesses.reads(), 1);
    CHECK_EQUAL(accesses.writes(), 3);
    CHECK(accesses.load(0, 0).is_hit);
}

/* A page of 64 lines, all of which the level could hold. */
laxity_sim_platform a_level_with_strides(void)
{
    laxity_sim_platform platform = a_platform(1);
    add_level(platform, a_cache(1, 64), 1, LAXITY_SIM_NEITHER);
    platform.levels[0].prefetch = LAXITY_SIM_PREFETCH_STRIDE;
    return platform;
}

/* Two lines further each time: the third load knows, the fourth finds what it wants. */
void a_stride_is_known_when_it_came_twice(void)
{
    Accesses accesses{a_level_with_strides()};
    constexpr std::uint64_t INSTRUCTION = 0x1000;
    (void)accesses.load(0, 10, INSTRUCTION);
    (void)accesses.load(0, 12, INSTRUCTION);
    CHECK_EQUAL(accesses.reads(), 2);
    (void)accesses.load(0, 14, INSTRUCTION);
    CHECK_EQUAL(accesses.reads(), 4);
    CHECK_EQUAL(accesses.hierarchy.counts(0).levels[0].prefetches, 1);
    const Accesses::Seen seen = accesses.load(0, 16, INSTRUCTION);
    CHECK(!seen.is_hit && !seen.is_from_memory);
    /* The last level has hit: nothing more was read. */
    CHECK_EQUAL(accesses.reads(), 4);
    /* 18 follows 16 as 16 has followed 14. */
    (void)accesses.load(0, 18, INSTRUCTION);
    CHECK_EQUAL(accesses.reads(), 6);
}

/* Downwards as upwards: 3, 2, 1 and then 0; what lies before belongs to another page. */
void a_stride_ends_with_its_page(void)
{
    Accesses accesses{a_level_with_strides()};
    for (const std::uint64_t line : {PAGE_LINES + 2, PAGE_LINES + 1, PAGE_LINES}) {
        (void)accesses.load(0, line, 0x1000);
    }
    CHECK_EQUAL(accesses.reads(), 3);
    for (const std::uint64_t line : {3, 2, 1}) {
        (void)accesses.load(0, line, 0x2002);
    }
    CHECK_EQUAL(accesses.reads(), 3 + 4);
}

/* Addresses 0x1000 and 0x1080 are 64 entries of two bytes apart: one entry for both. */
void a_stride_belongs_to_an_instruction_that_loads(void)
{
    struct Load {
        std::uint64_t instruction, line, next; /* 0: nothing is known of it */
    };
    laxity::Strides strides;
    for (const Load &load : std::initializer_list<Load>{
             {0x1000, 1, 0},
             {0x1000, 2, 0},
             {0x1002, 2, 0}, /* another one */
             {0x1000, 3, 4},
             {0x1080, 4, 0},
             {0x1000, 4, 0}, /* from the beginning */
             {0x1000, 5, 0},
             {0x1000, 6, 7},
             {0x1000, 6, 0}, /* nowhere */
             {0x1000, 7, 0},
             {0x1000, 8, 9},
         }) {
        CHECK_EQUAL(strides.note(load.instruction, load.line).value_or(0), load.next);
    }
}

void only_loads_of_instructions_have_strides(void)
{
    Accesses accesses{a_level_with_strides()};
    for (std::uint64_t line = 1; line < 5; line++) {
        (void)accesses.access(0, Kind::Fetch, line, 0x1000);
        (void)accesses.access(0, Kind::Store, 10 + line, 0x1000);
        (void)accesses.load(0, 20 + line);
    }
    CHECK_EQUAL(accesses.hierarchy.counts(0).levels[0].prefetches, 0);
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
    RUN(a_core_that_overfills_a_queue_waits_at_its_next_miss);
    RUN(the_kernel_pays_what_a_task_of_its_core_owes);
    RUN(an_exclusive_level_holds_what_was_evicted_above);
    RUN(what_moves_up_stays_dirty);
    RUN(what_moves_up_is_in_the_levels_on_its_way);
    RUN(an_exclusive_level_keeps_what_nobody_else_would_have);
    RUN(sets_of_levels_follow_from_frames);
    RUN(sets_of_the_first_level_follow_from_addresses);
    RUN(what_is_written_through_is_in_the_level);
    RUN(what_is_written_through_goes_to_memory);
    RUN(a_stride_is_known_when_it_came_twice);
    RUN(a_stride_ends_with_its_page);
    RUN(a_stride_belongs_to_an_instruction_that_loads);
    RUN(only_loads_of_instructions_have_strides);
    return test_exit_code();
}
