/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Random cases, so small that everything runs short: caches, queues, cores and time. */
#include "case.hpp"
#include "harness/release.h"
#include "interface/engine.h"
#include "random.hpp"
#include "random_observer.hpp"
#include "random_places.hpp"
#include "random_program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace {

constexpr std::int64_t NO_TIMEOUT_NS = 1'000'000'000'000;
constexpr std::uint64_t LONGEST_MERGED_BYTES = 64;
constexpr std::uint64_t PRIORITIES = 4;
constexpr std::int64_t LEAST_BETWEEN_READS_NS = 50;
constexpr std::uint64_t MISS_TICKS = 400; /* more than most take */
constexpr std::uint64_t LONGEST_CROWDED = 16;

laxity_sim_cache random_cache(Random &random, std::uint32_t line_bytes, std::uint64_t most_sets)
{
    laxity_sim_cache cache{};
    cache.ways = 1U << (random.is(1, 12) ? random.between(4, 6) : random.between(0, 3));
    cache.replacement = static_cast<laxity_sim_replacement>(random.below(4));
    if (!random.is(1, 10)) {
        const std::uint64_t sets = std::uint64_t{1} << random.between(0, most_sets);
        cache.size_bytes = sets * cache.ways * line_bytes;
    }
    return cache;
}

/* How many share a level: whole groups of those that share the one before it. */
std::uint32_t random_sharers(Random &random, std::uint32_t cores, std::uint32_t before)
{
    std::vector<std::uint32_t> groups;
    for (std::uint32_t n = std::max(before, std::min(cores, 2U)); n <= cores; n++) {
        if (cores % n == 0 && n % before == 0) {
            groups.push_back(n);
        }
    }
    return groups[random.below(groups.size())];
}

void make_levels(Random &random, laxity_sim_platform &platform)
{
    platform.n_levels = small(random, 0, LAXITY_SIM_LEVELS_MAX);
    const std::uint64_t n_private = random.between(0, platform.n_levels);
    std::uint32_t before = 1;
    for (std::uint32_t i = 0; i < platform.n_levels; i++) {
        laxity_sim_level &level = platform.levels[i];
        level.cache = random_cache(random, platform.line_bytes, 4);
        level.cores = i < n_private ? 1 : random_sharers(random, platform.cores, before);
        before = level.cores;
        level.hit_ticks = small(random, 1, 9);
        level.prefetch = i + 1 == platform.n_levels && random.is(1, 2)
                             ? LAXITY_SIM_PREFETCH_NEXT_LINE
                             : LAXITY_SIM_PREFETCH_NONE;
        for (std::uint64_t &mask : level.way_masks) {
            mask = random.is(1, 2) ? 0 : random.next() >> (64 - level.cache.ways);
        }
    }
}

/* Fewer ways in as many sets, as 48 KiB in 12 ways have; trees stay whole. */
void drop_ways(Random &random, laxity_sim_cache &cache)
{
    const auto ways = cache.ways - static_cast<std::uint32_t>(random.below(cache.ways / 2 + 1));
    if (cache.replacement != LAXITY_SIM_PLRU) {
        cache.size_bytes = cache.size_bytes / cache.ways * ways;
        cache.ways = ways;
    }
}

/* Of every third platform. */
void make_odd_ways(Random random, laxity_sim_platform &platform)
{
    if (!random.is(1, 3)) {
        return;
    }
    for (laxity_sim_cache *const cache :
         {&platform.l1i, &platform.l1d, &platform.itlb, &platform.dtlb}) {
        if (cache->ways > 0) {
            drop_ways(random, *cache);
        }
    }
    for (std::uint32_t i = 0; i < platform.n_levels; i++) {
        laxity_sim_level &level = platform.levels[i];
        drop_ways(random, level.cache);
        for (std::uint64_t &mask : level.way_masks) {
            mask &= UINT64_MAX >> (64 - level.cache.ways);
        }
    }
}

/* Of cores half of the platforms have none, the others one or several; likewise of caches. */
Extras random_extras(Random &random)
{
    const std::uint64_t of_cores = random.is(1, 2) ? 0 : random.between(1, 7);
    const std::uint64_t of_caches = random.is(1, 2) ? 0 : random.between(1, 15);
    return {
        .has_branches = (of_cores & 1) != 0,
        .has_timer = (of_cores & 2) != 0,
        .has_pages = (of_cores & 4) != 0,
        .has_inclusion = (of_caches & 1) != 0,
        .has_frames = (of_caches & 2) != 0,
        .has_strides = (of_caches & 4) != 0,
        .writes_through = (of_caches & 8) != 0,
    };
}

/* Frames change sets only of levels whose ways are larger than a page. */
void make_frames(Random &random, laxity_sim_platform &platform)
{
    platform.placement = static_cast<laxity_sim_placement>(random.between(1, 3));
    platform.placement_seed = small(random, 0, 9);
    platform.colours = 1U << random.below(6);
    for (std::uint32_t i = 0; i < platform.n_levels; i++) {
        laxity_sim_cache &cache = platform.levels[i].cache;
        if (cache.size_bytes > 0 && random.is(2, 3)) {
            cache.size_bytes = (std::uint64_t{PAGE_BYTES} << random.between(1, 4)) * cache.ways;
        }
    }
}

void make_cache_extras(Random &random, const Extras &extras, laxity_sim_platform &platform)
{
    platform.writes_through = extras.writes_through;
    while (platform.n_levels == 0 && (extras.has_inclusion || extras.has_strides)) {
        make_levels(random, platform);
    }
    /* What hits in an exclusive level has nowhere to go then. */
    if (extras.has_inclusion && random.is(1, 4)) {
        (random.is(1, 2) ? platform.l1i : platform.l1d).size_bytes = 0;
    }
    if (extras.has_frames) {
        make_frames(random, platform);
    }
    for (std::uint32_t i = 0; extras.has_inclusion && i < platform.n_levels; i++) {
        platform.levels[i].inclusion = static_cast<laxity_sim_inclusion>(random.below(3));
    }
    /* A store that no cache above has a place for may find its line dirty there. */
    if (extras.has_inclusion && extras.writes_through && random.is(2, 3)) {
        platform.levels[0].inclusion = LAXITY_SIM_EXCLUSIVE;
    }
    /* So that an exclusive level holds, too, what caches above it hold: programs go backwards. */
    if (extras.has_inclusion && random.is(1, 4)) {
        platform.n_levels = random.is(1, 2) ? 1 : platform.n_levels;
        laxity_sim_level &last = platform.levels[platform.n_levels - 1];
        last.inclusion = LAXITY_SIM_EXCLUSIVE;
        last.prefetch = LAXITY_SIM_PREFETCH_NEXT_LINE;
    }
    if (extras.has_strides && platform.n_levels > 0) {
        platform.levels[platform.n_levels - 1].prefetch = LAXITY_SIM_PREFETCH_STRIDE;
    }
}

void make_extras(Random &random, const Extras &extras, laxity_sim_platform &platform)
{
    if (extras.has_branches) {
        platform.predictor_entries = 1U << random.below(5);
        platform.mispredict_ticks = small(random, 0, 20);
    }
    if (extras.has_timer) {
        /* Some are so short that every instruction is interrupted. */
        platform.timer_interval =
            random.is(1, 6) ? random.between(1, 20) : random.between(30, 1500);
        platform.timer_ticks = small(random, 1, 40);
        platform.timer_code_lines = random.is(1, 2) ? 0 : small(random, 0, 4);
        platform.timer_data_lines = random.is(1, 2) ? 0 : small(random, 0, 4);
    }
    if (extras.has_pages) {
        platform.itlb = random_cache(random, PAGE_BYTES, 2);
        platform.dtlb = random_cache(random, PAGE_BYTES, 2);
        platform.walk_loads = small(random, 0, 4);
        platform.walk_ticks = random.is(1, 3) ? 0 : small(random, 1, 30);
    }
}

/* In a crowd there are many tasks that come at once, and most switches take no time: what the
 * scheduler chooses is all that matters. */
void make_platform(Random &random, bool is_crowd, laxity_sim_platform &platform)
{
    static constexpr std::uint64_t CLOCKS[][2] = {
        {1'000'000'000, 1},
        {1'200'000'000, 1},
        {333'333'333, 1},
        {2'500'000'000, 3},
        {7'000'000'000, 1},
    };
    const std::uint64_t *const clock = CLOCKS[random.below(std::size(CLOCKS))];
    platform.ticks_per_s[0] = clock[0];
    platform.ticks_per_s[1] = clock[1];
    platform.cores = is_crowd ? small(random, 2, 6) : small(random, 1, 4);
    platform.line_bytes = 16U << random.below(3);
    if (random.is(1, 12)) {
        platform.line_bytes = 1U << random.between(2, 12); /* from the least to the most */
    }
    platform.instruction_ticks = small(random, 1, 3);
    platform.fill_buffers = small(random, 0, 4);
    platform.store_entries = small(random, 0, 4);
    platform.merges_stores = platform.line_bytes <= LONGEST_MERGED_BYTES && random.is(2, 3);
    platform.kernel_code_lines = random.is(1, 2) ? 0 : small(random, 0, 4);
    platform.kernel_data_lines = random.is(1, 2) ? 0 : small(random, 0, 4);
    const bool has_kernel = platform.kernel_code_lines + platform.kernel_data_lines > 0;
    platform.switch_ticks = small(random, has_kernel ? 1 : 0, 60);
    if (is_crowd && random.is(2, 3)) {
        platform.kernel_code_lines = 0;
        platform.kernel_data_lines = 0;
        platform.switch_ticks = 0;
    }
    platform.transfer_ticks = small(random, 1, 40);
    platform.upgrade_ticks = small(random, 1, 30);
    platform.l1i = random_cache(random, platform.line_bytes, 3);
    platform.l1d = random_cache(random, platform.line_bytes, 3);
    make_levels(random, platform);
    make_memory(random, platform.memory);
}

laxity_sim_task random_task(Random &random, const laxity_sim_platform &platform, bool is_crowd)
{
    laxity_sim_task task{};
    const std::uint64_t all_cores = (std::uint64_t{1} << platform.cores) - 1;
    task.priority = static_cast<std::int32_t>(random.below(PRIORITIES)) - 1;
    task.cores = random.is(is_crowd ? 1 : 2, 3) ? all_cores : random.between(1, all_cores);
    task.timeout_ns = NO_TIMEOUT_NS;
    task.releases.deadline_ns = 0;
    return task;
}

std::int64_t ns_of(const laxity_sim_platform &platform, std::uint64_t ticks)
{
    constexpr std::uint64_t NS_PER_S = 1'000'000'000;
    return static_cast<std::int64_t>(
        ticks * NS_PER_S / 1000 * platform.ticks_per_s[1] / (platform.ticks_per_s[0] / 1000) + 1
    );
}

/* A rough guess: an instruction takes some ticks, and misses more. */
std::int64_t guess_ns(Random &random, const laxity_sim_platform &platform, std::uint64_t executions)
{
    return ns_of(platform, executions * random.between(30, 300));
}

/* Of a few pages or of many. */
laxity_sim_range random_range(Random &random, std::uint64_t least, std::uint64_t end)
{
    const std::uint64_t begin = least + random.below(3) * PAGE_BYTES;
    const std::uint64_t pages =
        random.is(2, 3) ? random.between(1, 3) : std::uint64_t{1} << random.below(20);
    return {begin, std::min(begin + pages * PAGE_BYTES, end)};
}

/* Code, data and what lies behind it; any may be missing. */
std::vector<laxity_sim_range> random_ranges(Random &random)
{
    constexpr std::uint64_t END = std::uint64_t{1} << 47U;
    std::vector<laxity_sim_range> ranges;
    if (random.is(3, 4)) {
        ranges.push_back(random_range(random, CODE_ADDRESS, DATA_ADDRESS - PAGE_BYTES));
    }
    if (random.is(3, 4)) {
        ranges.push_back(random_range(random, DATA_ADDRESS, END));
        if (random.is(1, 4)) {
            ranges.push_back(random_range(random, ranges.back().end + PAGE_BYTES, END));
        }
    }
    return ranges;
}

/* Half of the cases have some: one, or several. */
void make_programs(Random &random, Case &made)
{
    for (std::uint64_t n = random.is(1, 2) ? 0 : random.between(1, 3); n > 0; n--) {
        const auto number = random.is(1, 4) ? LAXITY_SIM_TASKS_MAX - n : n;
        made.shared[static_cast<std::uint32_t>(number)] = random_ranges(random);
    }
}

/*
 * Stores that find their lines and ask for no room all the same write to the memory: through, and
 * past a level that gives its lines away; or merged, and sent by loads. The memory takes long.
 */
void make_overfilled(Random &random, laxity_sim_platform &platform)
{
    laxity_sim_memory &memory = platform.memory;
    memory.read_queue = small(random, 1, 3);
    memory.write_queue = small(random, 1, 3);
    memory.line_ticks = small(random, 8, 40);
    platform.store_entries = small(random, 2, 16);
    if (random.is(1, 2)) {
        platform.fill_buffers = small(random, 2, 8);
        platform.merges_stores = platform.line_bytes <= LONGEST_MERGED_BYTES;
        return;
    }
    while (platform.n_levels == 0) {
        make_levels(random, platform);
    }
    platform.writes_through = true;
    platform.levels[0].cores = 1;
    platform.levels[0].inclusion = LAXITY_SIM_EXCLUSIVE;
}

/* Of all tasks of a case. */
struct Habits {
    Extras extras;
    bool is_crowd;
    bool has_reservations;
    std::int64_t period_ns;        /* of a crowd, the shortest */
    bool is_overfilled;            /* the memory */
    std::int64_t late_ns = 0;      /* before it there are co-runners alone */
    std::uint64_t piece_lines = 0; /* of all programs, if there are places for their pages */
    std::uint64_t piece_pages = 0;
};

/* The program of the next task, and what its words have to do with it. */
Bents random_bents(Random &random, const Case &made, const Habits &habits, laxity_sim_task &task)
{
    Bents bents{
        .stores_much = habits.is_overfilled,
        .piece_lines = habits.piece_lines,
        .piece_pages = habits.piece_pages,
    };
    if (made.shared.empty() || random.is(1, 6)) {
        return bents; /* of program 0, which shares nothing */
    }
    const auto program = std::next(
        made.shared.begin(), static_cast<std::ptrdiff_t>(random.below(made.shared.size()))
    );
    task.program = program->first;
    bents.shared = program->second;
    bents.stores_there = random.is(1, 6);
    bents.lines_before = random.between(1, 16);
    return bents;
}

void make_releases(
    Random &random,
    const Case &made,
    const Habits &habits,
    std::int64_t length_ns,
    laxity_releases &releases
)
{
    releases.first_ns = random.is(1, 3) ? 0 : guess_ns(random, made.platform, LONGEST_JOB / 4);
    releases.period_ns =
        std::max<std::int64_t>(length_ns * static_cast<std::int64_t>(random.between(2, 12)) / 4, 1);
    if (habits.is_crowd && random.is(4, 5)) {
        releases.first_ns = 0;
        releases.period_ns = habits.period_ns << random.below(3);
    }
    releases.first_ns += habits.late_ns;
    releases.overrun = random.is(1, 2) ? LAXITY_OVERRUN_QUEUE : LAXITY_OVERRUN_SKIP;
}

/* From far too small to ample; deadlines up to the period. */
laxity_sim_reservation random_reservation(Random &random, std::int64_t period_ns)
{
    constexpr std::int64_t PARTS = 8;
    laxity_sim_reservation reservation{};
    reservation.period_ns =
        std::max<std::int64_t>(period_ns >> (random.is(1, 3) ? random.below(5) : 0), 1);
    reservation.deadline_ns = reservation.period_ns;
    if (random.is(1, 2)) {
        const auto parts = static_cast<std::int64_t>(random.between(1, PARTS));
        reservation.deadline_ns = std::max<std::int64_t>(reservation.period_ns * parts / PARTS, 1);
    }
    const auto parts = static_cast<std::int64_t>(random.between(1, PARTS));
    reservation.runtime_ns = std::max<std::int64_t>(reservation.deadline_ns * parts / PARTS, 1);
    return reservation;
}

/* Some have the words of the task before: the same addresses, which are others all the same, but
 * for what their program shares. */
void add_words(Random &random, Case &made, laxity_sim_task &task, Words words)
{
    const bool is_another = made.programs.empty() || !random.is(1, 5);
    if (!is_another) {
        task.program = made.tasks.back().program;
        words = made.programs.back();
    }
    made.programs.push_back(std::move(words));
    made.tasks.push_back(task);
}

void add_task(Random &random, Random &other, Case &made, const Habits &habits)
{
    laxity_sim_task task = random_task(random, made.platform, habits.is_crowd);
    Writer writer{
        random, made.platform.line_bytes, habits.extras, random_bents(other, made, habits, task)
    };
    /* Those of a high priority are short and many, so that they preempt. */
    const auto rank = static_cast<std::uint64_t>(std::int64_t{task.priority} + 1);
    const std::uint64_t n_jobs = random.between(4, habits.is_crowd ? 6 : 6 * (rank + 1));
    const std::uint64_t longest =
        (habits.is_crowd ? LONGEST_CROWDED : LONGEST_JOB) / (2 * rank + 1);
    const std::uint64_t n_executions = random.is(1, 12) ? 0 : random.between(1, longest);
    task.is_corunner = !made.tasks.empty() && random.is(1, habits.is_crowd ? 16 : 4);
    const std::int64_t length_ns = guess_ns(random, made.platform, n_executions + 1);
    make_releases(random, made, habits, length_ns, task.releases);
    if (!task.is_corunner && habits.has_reservations && random.is(1, 2)) {
        task.reservation = random_reservation(random, task.releases.period_ns);
    }
    task.jobs = n_jobs;
    if (random.is(1, 10)) {
        task.timeout_ns = std::max<std::int64_t>(length_ns, 1);
    }
    if (random.is(1, 40)) {
        writer.add_wrong();
    }
    if (task.is_corunner) {
        task.jobs = 0;
        task.timeout_ns = NO_TIMEOUT_NS;
        writer.define_all();
        writer.words.loop_from = random.is(1, 4) ? SIZE_MAX : writer.words.words.size();
    }
    const std::uint64_t executions =
        std::max<std::uint64_t>(n_executions, task.is_corunner ? 3 : 0);
    for (std::uint64_t i = 0; i < n_jobs; i++) {
        writer.add_job(random.between(executions / 2, executions));
    }
    if (!task.is_corunner && random.is(1, 12)) {
        writer.words.words.resize(writer.words.words.size() * random.between(5, 9) / 10);
    } else if (random.is(1, 12) && made.limit_ns != INT64_MAX) {
        task.jobs = 0; /* until the limit, or the end of the words */
    }
    add_words(random, made, task, std::move(writer.words));
}

/* Domains, further regions, or both; and programs of many pages, that lie somewhere. */
void make_places(Random &random, Case &made, Habits &habits)
{
    const std::uint64_t which = random.between(1, 3);
    if ((which & 1) != 0) {
        make_domains(random, made.platform);
    }
    if ((which & 2) != 0) {
        make_regions(random, made.platform);
    }
    if (random.is(3, 4)) {
        habits.piece_lines = std::uint64_t{1} << random.below(4);
        habits.piece_pages = std::uint64_t{1} << random.below(3);
    }
}

/* Of tasks that have been made; many move to other domains. */
void place_tasks(Random &random, Case &made)
{
    for (laxity_sim_task &task : made.tasks) {
        if (random.is(1, 2)) {
            task.cores = (std::uint64_t{1} << made.platform.cores) - 1;
        }
        made.places.push_back(random_places(random, made.platform));
    }
    if (random.is(1, 4)) {
        made.waits = Case::Waits::HandOver;
        made.waits_seed = random.next();
    }
}

/* Whether, and how, samples are taken by interrupts. */
void make_interrupts(Random &random, Case &made)
{
    made.interrupts = random.is(1, 2);
    made.platform.probe_ticks = small(random, 1, 40);
    made.platform.probe_code_lines = random.is(1, 2) ? 0 : small(random, 0, 4);
    made.platform.probe_data_lines = random.is(1, 2) ? 0 : small(random, 0, 4);
    /* A program that is read after each of its instructions, with misses each time, has no end that
     * a test could wait for: seeds 1535 and 2700 took 24 GB of samples. */
    if (made.interrupts && made.sample_ns > 0) {
        const std::uint64_t ticks =
            made.platform.probe_ticks +
            MISS_TICKS * (made.platform.probe_code_lines + made.platform.probe_data_lines);
        made.sample_ns =
            std::max({made.sample_ns, LEAST_BETWEEN_READS_NS, ns_of(made.platform, ticks)});
    }
}

void make_samples(Random &random, Case &made)
{
    if (!random.is(1, 3)) {
        return;
    }
    made.first_sample_ns = random.is(1, 2) ? 0 : guess_ns(random, made.platform, LONGEST_JOB);
    made.sample_ns = random.is(1, 8) ? static_cast<std::int64_t>(random.between(1, 3))
                                     : guess_ns(random, made.platform, random.between(1, 20));
}

} // namespace

Case random_case(std::uint64_t seed)
{
    Random random{seed};
    Random other{~seed};                /* so that what it draws changes nothing else of a case */
    Random where{Random{~seed}.next()}; /* likewise */
    Case made;
    Habits habits{
        .extras = random_extras(random),
        .is_crowd = random.is(1, 3),
        .has_reservations = random.is(1, 4),
        .period_ns = 0,
        .is_overfilled = other.is(1, 4),
    };
    make_platform(random, habits.is_crowd, made.platform);
    make_extras(random, habits.extras, made.platform);
    make_cache_extras(random, habits.extras, made.platform);
    make_programs(other, made);
    if (habits.is_overfilled) {
        make_overfilled(other, made.platform);
    }
    make_odd_ways(Random{Random{~seed}.next() + 3}, made.platform);
    const bool is_placed = where.is(2, 3);
    if (is_placed) {
        make_places(where, made, habits);
    }
    made.instructions_seed = random.is(1, 10) ? 0 : random.next() | 1U;
    std::uint64_t n_tasks = random.is(1, 8) ? 1 : made.platform.cores + random.between(1, 4);
    if (habits.is_crowd) {
        n_tasks = std::uint64_t{made.platform.cores} * 2 + random.below(4);
        habits.period_ns = guess_ns(random, made.platform, random.between(1, LONGEST_CROWDED));
    }
    if (random.is(1, 4)) {
        made.waits = random.is(1, 2) ? Case::Waits::Anyhow : Case::Waits::HandOver;
        made.waits_seed = random.next();
    }
    /* Tasks that move make lines shared: what is stored there then is upgraded. */
    if (habits.is_overfilled && other.is(1, 3)) {
        made.waits = Case::Waits::HandOver;
        made.waits_seed = other.next();
    }
    if (random.is(1, 4)) {
        made.limit_ns = guess_ns(random, made.platform, random.between(5, 150));
    }
    if (random.is(1, 8)) {
        made.stop_behind = random.between(1, 12);
    }
    if (random.is(1, 8)) {
        habits.late_ns = guess_ns(random, made.platform, random.between(1, LONGEST_JOB / 2));
    }
    for (std::uint64_t i = 0; i < n_tasks; i++) {
        add_task(random, other, made, habits);
    }
    if (is_placed) {
        place_tasks(where, made);
    }
    make_samples(random, made);
    make_interrupts(random, made); /* the last one: what it draws changes nothing else */
    add_observer(seed, made);
    return made;
}
