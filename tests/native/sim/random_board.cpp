/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Random cases with the features of the platform sabrelite: random first levels, one FIFO level for
 * all with next-line prefetches, two fill buffers, merging stores, one channel. Caches are small,
 * so that short passes of `load` miss in all of them.
 */
#include "case.hpp"
#include "harness/mark_table.h"
#include "harness/release.h"
#include "interface/engine.h"
#include "random.hpp"
#include "random_observer.hpp"
#include "random_places.hpp"
#include "random_program.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace {

constexpr std::uint32_t CORES = 4;
constexpr std::uint32_t LINE_BYTES = 32;
constexpr std::uint32_t LEVEL_WAYS = 16;
constexpr std::uint64_t GROUP_LINES = 10; /* of load: some are written, then the others read */
constexpr std::uint64_t LONGEST_PASS = 9; /* groups */
constexpr std::uint64_t NS_PER_S = 1'000'000'000;

/* Ticks per cycle of the cores and of the memory. */
struct Clocks {
    std::uint32_t core;
    std::uint32_t memory;
};

void make_times(Random &random, const Clocks &clocks, laxity_sim_platform &platform)
{
    laxity_sim_memory &memory = platform.memory;
    platform.instruction_ticks = clocks.core;
    platform.transfer_ticks = 20 * clocks.core;
    platform.upgrade_ticks = 10 * clocks.core;
    platform.levels[0].hit_ticks = 19 * clocks.core;
    memory.request_ticks = 38 * clocks.core;
    memory.response_ticks = 37 * clocks.core;
    memory.hit_ticks = 7 * clocks.memory;
    memory.empty_ticks = 14 * clocks.memory;
    memory.conflict_ticks = 24 * clocks.memory;
    memory.line_ticks = 4 * clocks.memory;
    memory.turnaround_ticks = 7 * clocks.memory;
    memory.refresh_ticks = 344 * clocks.memory;
    /* Most passes are shorter than the 16113 cycles of the board. */
    memory.refresh_interval = std::uint64_t{16113} / (random.is(1, 2) ? 1 : 16) * clocks.memory;
    if (random.is(1, 3)) {
        /* With a faster level and memory, cores find them ready as well as busy. */
        platform.levels[0].hit_ticks = small(random, 1, 19) * clocks.core;
        memory.request_ticks = small(random, 1, 38) * clocks.core;
        memory.response_ticks = small(random, 0, 37) * clocks.core;
        memory.line_ticks = small(random, 1, 12) * clocks.memory;
    }
}

laxity_sim_platform random_board(Random &random)
{
    laxity_sim_platform platform{};
    /* The board's 1200 and 528 MHz, or a tick per cycle, which makes many things happen at once. */
    const bool is_true = random.is(1, 2);
    platform.ticks_per_s[0] = is_true ? 13'200'000'000 : 1'200'000'000;
    platform.ticks_per_s[1] = 1;
    platform.cores = CORES;
    platform.line_bytes = LINE_BYTES;
    platform.fill_buffers = 2;
    platform.store_entries = 4;
    platform.merges_stores = true;
    platform.switch_ticks = small(random, 1, 2400);
    platform.kernel_code_lines = random.is(1, 2) ? 0 : small(random, 0, 128);
    platform.kernel_data_lines = random.is(1, 2) ? 0 : small(random, 0, 64);
    const std::uint64_t sets = std::uint64_t{1} << random.below(5);
    const std::uint32_t ways = random.is(3, 4) ? 4 : small(random, 1, 12);
    platform.l1i = {sets * ways * LINE_BYTES, ways, LAXITY_SIM_RANDOM};
    platform.l1d = platform.l1i;
    platform.n_levels = 1;
    laxity_sim_level &level = platform.levels[0];
    const std::uint64_t level_sets = std::uint64_t{1} << random.below(4);
    const std::uint32_t level_ways = random.is(3, 4) ? LEVEL_WAYS : small(random, 5, LEVEL_WAYS);
    level.cache = {level_sets * level_ways * LINE_BYTES, level_ways, LAXITY_SIM_FIFO};
    level.cores = CORES;
    level.prefetch = LAXITY_SIM_PREFETCH_NEXT_LINE;
    if (random.is(1, 2)) { /* as sabrelite-partitioned */
        for (std::uint32_t core = 0; core < CORES; core++) {
            level.way_masks[core] = core == 0 ? 0xfU : (1U << level_ways) - 0x10U;
        }
    }
    laxity_sim_memory &memory = platform.memory;
    memory.channels = 1;
    memory.read_queue = 16;
    memory.write_queue = 8;
    memory.reorder = 8;
    memory.banks = 8;
    memory.row_lines = random.is(1, 2) ? 256 : small(random, 4, 64);
    if (random.is(1, 4)) { /* so that reads wait for room, too */
        memory.read_queue = small(random, 1, 4);
        memory.write_queue = small(random, 1, 4);
    }
    make_times(random, is_true ? Clocks{11, 25} : Clocks{1, 2}, platform);
    return platform;
}

/* The pass of workloads/load/load.c, as it is compiled for the board. */
struct Load {
    std::uint64_t groups;
    std::uint64_t reads; /* lines of each group */
    std::uint64_t delay; /* turns after each group */
    std::uint64_t first; /* address */

    void define(Words &words) const;
    void add_pass(Words &words) const;

  private:
    enum Block : std::uint8_t {
        Start,
        WriteLine,
        ReadLine,
        WaitTurn,
        EndGroup,
        Finish
    };
    static void add_line(Words &words, std::uint64_t address, bool is_store);
};

void Load::define(Words &words) const
{
    words.define(0x117b8, {2, 4, 2, 2});
    words.define(0x117e2, {2, 4, 4, 4, 4, 4, 2});
    words.define(0x11802, {2, 4, 4, 4, 4, 4, 2});
    words.define(0x11828, {2, 2, 4, 2});
    words.define(0x11832, {2, 2});
    words.define(0x11836, {4});
}

void Load::add_line(Words &words, std::uint64_t address, bool is_store)
{
    constexpr unsigned EIGHT_BYTES = 3;
    words.execute(is_store ? WriteLine : ReadLine);
    words.access(1, address, EIGHT_BYTES, is_store);
    words.access(2, address + 8, EIGHT_BYTES, is_store);
    words.access(4, address + 16, EIGHT_BYTES, is_store);
    words.access(5, address + 24, EIGHT_BYTES, is_store);
}

void Load::add_pass(Words &words) const
{
    words.execute(Start);
    words.mark(0, LAXITY_MARK_JOB_START);
    for (std::uint64_t line = 0; line < groups * GROUP_LINES; line++) {
        const std::uint64_t of_group = line % GROUP_LINES;
        add_line(words, first + line * LINE_BYTES, of_group < GROUP_LINES - reads);
        for (std::uint64_t i = 0; of_group + 1 == GROUP_LINES && i < delay; i++) {
            words.execute(WaitTurn);
        }
        if (of_group + 1 == GROUP_LINES) {
            words.execute(EndGroup);
        }
    }
    words.execute(Finish);
    words.mark(0, LAXITY_MARK_JOB_FINISH);
}

/* Most have no delay and begin at the border of a line. */
Load random_load(Random &random)
{
    static constexpr std::uint64_t READS[] = {0, 5, GROUP_LINES};
    return {
        .groups = random.between(1, LONGEST_PASS),
        .reads = random.is(3, 4) ? READS[random.below(3)] : random.below(GROUP_LINES + 1),
        .delay = random.is(3, 4) ? 0 : random.between(1, 60),
        .first = DATA_ADDRESS + (random.is(1, 8) ? 4 * random.below(8) : 0),
    };
}

/* Rough length of a number of accesses, most of which miss. */
std::int64_t guess_ns(Random &random, std::uint64_t accesses)
{
    return static_cast<std::int64_t>(accesses * random.between(5, 60) + 1);
}

laxity_sim_task
random_task(Random &random, std::uint64_t cores, std::uint64_t most_jobs, std::int64_t length_ns)
{
    laxity_sim_task task{};
    task.cores = cores;
    task.timeout_ns = static_cast<std::int64_t>(1000 * NS_PER_S);
    task.jobs = random.between(1, most_jobs);
    /* Late jobs start at once. */
    task.releases.first_ns = random.is(1, 2) ? 0 : guess_ns(random, random.between(1, 500));
    task.releases.period_ns = random.is(1, 3) ? 1 : length_ns;
    task.releases.overrun = random.is(3, 4) ? LAXITY_OVERRUN_QUEUE : LAXITY_OVERRUN_SKIP;
    return task;
}

/* Half of the loads are co-runners, which run until all other tasks have ended. */
void add_load(Random &random, Case &made, std::uint32_t core)
{
    const Load load = random_load(random);
    const std::uint64_t accesses = load.groups * GROUP_LINES * 4;
    laxity_sim_task task =
        random_task(random, std::uint64_t{1} << core, 3, guess_ns(random, accesses));
    Words words;
    load.define(words);
    task.is_corunner = !made.tasks.empty() && random.is(1, 2);
    if (task.is_corunner) {
        task.jobs = 0;
        words.loop_from = words.words.size();
        load.add_pass(words);
    }
    for (std::uint64_t i = 0; i < task.jobs; i++) {
        load.add_pass(words);
    }
    made.tasks.push_back(task);
    made.programs.push_back(std::move(words));
}

/* Small random programs, which preempt loads, are preempted, or have a core for themselves. */
void add_program(Random &random, Case &made, std::uint64_t cores)
{
    constexpr std::uint64_t LONGEST = 40; /* executions of blocks */
    Writer writer{random, LINE_BYTES, Extras{}, Bents{}};
    const std::uint64_t n_executions = random.between(1, LONGEST);
    laxity_sim_task task = random_task(random, cores, 4, guess_ns(random, n_executions * 8));
    task.priority = static_cast<std::int32_t>(random.below(4)) - 1;
    for (std::uint64_t i = 0; i < task.jobs; i++) {
        writer.add_job(n_executions);
    }
    made.tasks.push_back(task);
    made.programs.push_back(std::move(writer.words));
}

void add_tasks(Random &random, Case &made)
{
    const bool is_one_writer = random.is(1, 8); /* or reader; the other cores are idle */
    for (std::uint32_t core = 0; core < CORES; core++) {
        const bool is_left_out = is_one_writer && core > 0;
        if (core == 0 && random.is(1, 2)) {
            add_program(random, made, 1);
        } else if (!is_left_out) {
            add_load(random, made, core);
        }
    }
    for (std::uint64_t n = random.is(1, 3) ? 0 : random.between(1, 3); n > 0; n--) {
        constexpr std::uint64_t ALL = (std::uint64_t{1} << CORES) - 1;
        add_program(random, made, random.is(1, 2) ? ALL : random.between(1, ALL));
    }
}

} // namespace

Case board_case(std::uint64_t seed)
{
    Random random{seed};
    Case made;
    made.platform = random_board(random);
    /* 0: no instruction waits for what load reads, as on the board. */
    made.instructions_seed = random.is(1, 2) ? 0 : random.next() | 1U;
    add_tasks(random, made);
    if (random.is(1, 8)) {
        made.limit_ns = guess_ns(random, random.between(10, 2000));
    }
    if (random.is(1, 8)) {
        made.sample_ns = guess_ns(random, random.between(10, 100));
        made.interrupts = random.is(1, 2);
        made.platform.probe_ticks = small(random, 1, 400);
        made.platform.probe_code_lines = small(random, 0, 4);
    }
    add_observer(seed, made);
    return made;
}
