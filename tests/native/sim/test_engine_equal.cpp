/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Random cases through the engine and the naive engine, which must tell the same.
 *
 *   test_engine_equal                              all shapes, and for each all of its features
 *   test_engine_equal SHAPE [CASES [FIRST-SEED]]   one of them; "small" or "sabrelite"
 *   test_engine_equal --show SHAPE SEED            one case, and what both engines tell of it
 *   test_engine_equal --shrink SHAPE SEED          as much of a failing case as still fails
 */
#include "case.hpp"
#include "interface/engine.h"
#include "smaller_case.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

/* A core waits for a channel whose writes are full; at the tick of a decision another one, that
 * asks the other channel, prefetches from it, and then its reads are full, too. */
constexpr std::uint64_t PREFETCHES_FROM_ANOTHER_CHANNEL = 300185;
/* The last job ends within a block while a co-runner spins: it must not go on to the block's end.
 */
constexpr std::uint64_t ENDS_WITHIN_A_BLOCK = 990517;
constexpr std::uint64_t DIFFERENCES_SHOWN = 5;
constexpr int DECIMAL = 10;

/* Features of the shape sabrelite; the other ones are off. */
constexpr const char *SABRELITE_USES[] = {
    "jobs",
    "passes of co-runners",
    "samples",
    "preemptions",
    "migrations",
    "own ns",
    "reload ns",
    "moved ns",
    "shared ns",
    "waits for fill buffers",
    "waits for store entries",
    "waits for channels",
    "waits for owed writes",
    "waits for owed reads",
    "waits for operands",
    "hits on the way",
    "merging sent",
    "merged",
    "joins",
    "fetch_joins",
    "written back, hits",
    "written back, misses",
    "stops waiting for loads",
    "interrupts that read counters",
    "lost_fetches",
    "lost_data",
    "level 0 prefetches",
    "row_hits",
};

/* A kind of random cases. */
struct Shape {
    const char *name;
    Case (*make)(std::uint64_t seed);
    std::uint64_t cases;                     /* fewer need not use everything */
    std::span<const char *const> must_use{}; /* none: all */
};

const Shape shapes[] = {
    {"small", random_case, 100},
    {"sabrelite", board_case, 300, SABRELITE_USES},
};

/* What the cases have made use of, by name. */
using Uses = std::map<std::string, std::uint64_t>;

void add_calls(Uses &uses, const std::vector<Call> &calls)
{
    static const char *const names[] = {
        "ends by jobs", "ends by limit", "ends by stop", "ends by interrupt", "fails", "timeouts"
    };
    for (const Call &call : calls) {
        if (call.what == Call::What::End) {
            uses[names[call.end]]++;
        } else if (call.what == Call::What::Wait) {
            uses["questions for releases"]++;
        } else if (call.what == Call::What::Sample) {
            uses["samples"]++;
        } else if (call.what == Call::What::Pass) {
            uses["passes of co-runners"]++;
        } else if (call.what == Call::What::Finish) {
            uses["jobs"]++;
            uses["skipped jobs"] += call.job.job - call.job.ordinal;
            uses["preemptions"] += call.job.preemptions;
            uses["migrations"] += call.job.migrations;
            uses["own ns"] += static_cast<std::uint64_t>(call.job.stall_own_ns);
            uses["reload ns"] += static_cast<std::uint64_t>(call.job.stall_reload_ns);
            uses["moved ns"] += static_cast<std::uint64_t>(call.job.stall_moved_ns);
            uses["shared ns"] += static_cast<std::uint64_t>(call.job.stall_shared_ns);
        }
    }
}

void add_features(Uses &uses, const naive::Features &features)
{
    uses["waits for fill buffers"] += features.waits_for_fill_buffers;
    uses["waits for store entries"] += features.waits_for_store_entries;
    uses["waits for channels"] += features.waits_for_channels;
    uses["waits for owed writes"] += features.waits_for_owed_writes;
    uses["waits for owed reads"] += features.waits_for_owed_reads;
    uses["waits for what another task owes"] += features.owed_by_others;
    uses["waits of upgrades for what is owed"] += features.upgrades_that_pay;
    uses["waits for operands"] += features.waits_for_operands;
    uses["hits on the way"] += features.hits_on_the_way;
    uses["merging sent"] += features.merging_sent;
    uses["written back, hits"] += features.written_back_hits;
    uses["written back, misses"] += features.written_back_misses;
    uses["stops waiting for loads"] += features.stops_waiting_for_loads;
    uses["switches"] += features.switches;
    uses["budgets used up"] += features.used_up;
    uses["held up ticks"] += features.held_up_ticks;
    uses["branches wrongly predicted as taken"] += features.wrongly_taken;
    uses["branches wrongly predicted as not taken"] += features.wrongly_not_taken;
    uses["pages lost to other tasks"] += features.pages_lost;
    uses["timer interrupts"] += features.interrupts;
    uses["interrupts that read counters"] += features.reads;
    uses["ticks of observers"] += features.ticks;
    uses["answers called off"] += features.called_off;
    uses["cores stopped by observers"] += features.forbidden;
    uses["timer interrupts before stops"] += features.interrupts_before_stops;
}

void add_features_of_caches(Uses &uses, const naive::Features &features)
{
    uses["clean lines handed down"] += features.handed_down_clean;
    uses["clean lines handed down, held"] += features.handed_down_held;
    uses["exclusive hits"] += features.exclusive_hits;
    uses["exclusive hits, stay"] += features.exclusive_stays;
    uses["dirty lines moved up to the first level"] += features.dirty_to_first;
    uses["dirty lines moved up to a level"] += features.dirty_to_level;
    uses["dirty lines moved up to nowhere"] += features.dirty_to_nowhere;
    uses["lines removed above"] += features.removed_above;
    uses["lines removed above, dirty"] += features.removed_above_dirty;
    uses["shared lines, accesses that miss l1"] += features.shared_accesses;
    uses["shared lines, evicted by one of their tasks"] += features.shared_own;
    uses["shared lines, evicted where one of their tasks runs"] += features.shared_reload;
    uses["shared lines, evicted elsewhere"] += features.shared_lost;
    uses["stores into shared ranges"] += features.stores_into_shared;
    uses["stride prefetches"] += features.stride_prefetches;
    uses["stores written through, hits"] += features.through_hits;
    uses["stores written through, hits that join"] += features.through_joins;
    for (std::size_t i = 0; i < features.placed.size(); i++) {
        uses["accesses, placement " + std::to_string(i)] += features.placed[i];
    }
}

void add_features_of_places(Uses &uses, const naive::Features &features)
{
    uses["uncached fetches"] += features.uncached_fetches;
    uses["uncached loads"] += features.uncached_loads;
    uses["uncached stores"] += features.uncached_stores;
    uses["uncached, of the own scratchpad"] += features.uncached_own;
    uses["uncached, of another core's in the domain"] += features.uncached_near;
    uses["uncached, of another core's in another domain"] += features.uncached_far;
    uses["uncached, of what the task has left"] += features.uncached_moved;
    uses["uncached, without room"] += features.uncached_no_room;
    uses["uncached, through aliases"] += features.uncached_aliases;
    uses["cached, through aliases"] += features.cached_aliases;
    uses["cached, of further regions"] += features.cached_others;
    uses["cached, placed in a domain"] += features.placed_in_domains;
    uses["remote lines read"] += features.remote_lines_read;
    uses["remote lines written"] += features.remote_lines_written;
    uses["remote words read"] += features.remote_words_read;
    uses["remote words written"] += features.remote_words_written;
    uses["waits for links"] += features.waits_for_links;
    uses["held up by links"] += features.held_up_by_links;
    uses["away ticks"] += features.away_ticks;
    uses["overtakes"] += features.overtakes;
    for (std::size_t i = 0; i < features.homes_touched.size(); i++) {
        uses["homes by first touch, domain " + std::to_string(i)] += features.homes_touched[i];
    }
    uses["homes, interleaved"] += features.homes_interleaved;
    uses["copies in a level of another domain"] += features.copies_in_other_groups;
    uses["dirty copies, written to a common level"] += features.written_to_common_levels;
    uses["dirty copies, written behind all levels"] += features.written_behind_levels;
    uses["transfers between domains"] += features.transfers_between_domains;
    uses["upgrades between domains"] += features.upgrades_between_domains;
}

void add_platform(Uses &uses, const laxity_sim_platform &platform)
{
    const auto is_partial = [&platform](std::uint32_t group) {
        return group > 0 && platform.cores % group != 0;
    };
    uses["platforms with a last domain of fewer cores"] +=
        is_partial(platform.domain_cores) ? 1 : 0;
    for (std::uint32_t i = 0; i < platform.n_levels; i++) {
        uses["levels with a last group of fewer cores"] +=
            is_partial(platform.levels[i].cores) ? 1 : 0;
    }
}

void add(Uses &uses, const Told &told)
{
    /* So that what never happened is there, too. */
    for (const char *const name :
         {"ends by jobs",
          "ends by limit",
          "ends by stop",
          "fails",
          "timeouts",
          "jobs",
          "passes of co-runners",
          "questions for releases",
          "samples",
          "skipped jobs",
          "preemptions",
          "migrations",
          "own ns",
          "reload ns",
          "moved ns",
          "shared ns"}) {
        uses[name] += 0;
    }
    add_calls(uses, told.calls);
    for (const laxity_sim_counts &counts : told.totals.cores) {
        for (const Count &count : counts_of(counts)) {
            uses[count.name] += count.value;
        }
    }
    add_features(uses, told.features);
    add_features_of_caches(uses, told.features);
    add_features_of_places(uses, told.features);
}

std::string difference_of(const Case &asked)
{
    return first_difference(run_engine(asked), run_naive(asked));
}

int show(const Case &asked)
{
    std::printf("%s\n", describe(asked).c_str());
    (void)std::fflush(stdout);
    const Told naive = run_naive(asked);
    std::puts("naive:");
    for (const Call &call : naive.calls) {
        std::printf("  %s\n", call.text().c_str());
    }
    for (std::uint32_t core = 0; core < asked.platform.cores; core++) {
        std::printf("  core %" PRIu32 ":", core);
        for (const Count &count : counts_of(naive.totals.cores[core])) {
            std::printf(" %s %" PRIu64, count.name.c_str(), count.value);
        }
        std::puts("");
    }
    (void)std::fflush(stdout);
    const std::string difference = first_difference(run_engine(asked), naive);
    std::printf("%s\n", difference.empty() ? "no difference" : difference.c_str());
    return difference.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* With the words of its programs. */
int shrink(const Case &asked)
{
    if (difference_of(asked).empty()) {
        std::puts("no difference");
        return EXIT_SUCCESS;
    }
    const Case smaller =
        smaller_case(asked, [](const Case &changed) { return !difference_of(changed).empty(); });
    for (std::size_t i = 0; i < smaller.programs.size(); i++) {
        std::printf("words of task %zu:", i);
        for (const std::uint64_t word : smaller.programs[i].words) {
            std::printf(" %" PRIx64, word);
        }
        std::puts("");
    }
    return show(smaller);
}

/* How many differ. */
std::uint64_t
compare(const Shape &shape, std::uint64_t n_cases, std::uint64_t first_seed, Uses &uses)
{
    std::uint64_t n_different = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + n_cases; seed++) {
        const Case asked = shape.make(seed);
        const Told naive = run_naive(asked);
        add(uses, naive);
        add_platform(uses, asked.platform);
        const std::string difference = first_difference(run_engine(asked), naive);
        if (!difference.empty() && ++n_different <= DIFFERENCES_SHOWN) {
            std::printf("# seed %" PRIu64 ": %s\n", seed, difference.c_str());
            std::printf("#%s\n", describe(asked).c_str());
        }
    }
    return n_different;
}

bool is_all_used(const Shape &shape, const Uses &uses)
{
    bool is_all = true;
    for (const auto &[name, n] : uses) {
        std::printf("# %s: %" PRIu64 "\n", name.c_str(), n);
        is_all &= n > 0 || !shape.must_use.empty();
    }
    for (const char *const name : shape.must_use) {
        const auto found = uses.find(name);
        if (found == uses.end() || found->second == 0) {
            std::printf("# not used: %s\n", name);
            is_all = false;
        }
    }
    return is_all;
}

/* Two tests. */
bool check_shape(const Shape &shape, std::uint64_t n_cases, std::uint64_t first_seed, int &test)
{
    Uses uses;
    const std::uint64_t n_different = compare(shape, n_cases, first_seed, uses);
    std::printf(
        "%sok %d - %" PRIu64 " cases of %s, %" PRIu64 " told differently\n",
        n_different > 0 ? "not " : "",
        ++test,
        n_cases,
        shape.name,
        n_different
    );
    const bool is_enough = is_all_used(shape, uses) || n_cases < shape.cases;
    std::printf(
        "%sok %d - %s makes use of all of its features\n",
        is_enough ? "" : "not ",
        ++test,
        shape.name
    );
    return n_different == 0 && is_enough;
}

int check_all()
{
    int test = 0;
    bool is_good = true;
    for (const Shape &shape : shapes) {
        is_good &= check_shape(shape, shape.cases, 1, test);
    }
    Uses uses;
    const bool is_found = compare(shapes[0], 1, PREFETCHES_FROM_ANOTHER_CHANNEL, uses) == 0 &&
                          compare(shapes[1], 1, ENDS_WITHIN_A_BLOCK, uses) == 0;
    std::printf(
        "%sok %d - cases that alone have shown a fault\n1..%d\n",
        is_found ? "" : "not ",
        test + 1,
        test + 1
    );
    return is_good && is_found ? EXIT_SUCCESS : EXIT_FAILURE;
}

const Shape *shape_of(std::string_view name)
{
    const Shape *const found =
        std::ranges::find_if(shapes, [name](const Shape &shape) { return shape.name == name; });
    return found == std::end(shapes) ? nullptr : found;
}

std::uint64_t number_of(const char *word)
{
    return std::strtoull(word, nullptr, DECIMAL);
}

} // namespace

int main(int argc, char **argv)
{
    const std::string_view what = argc < 2 ? "" : argv[1];
    if (what.empty()) {
        return check_all();
    }
    const bool is_one = argc == 4 && (what == "--show" || what == "--shrink");
    const Shape *const shape = shape_of(is_one ? argv[2] : what);
    if (shape == nullptr) {
        (void)std::fputs("test_engine_equal: SHAPE is small or sabrelite\n", stderr);
        return EXIT_FAILURE;
    }
    if (is_one) {
        const Case asked = shape->make(number_of(argv[3]));
        return what == "--show" ? show(asked) : shrink(asked);
    }
    int test = 0;
    const bool is_good = check_shape(
        *shape,
        argc > 2 ? number_of(argv[2]) : shape->cases,
        argc > 3 ? number_of(argv[3]) : 1,
        test
    );
    std::printf("1..%d\n", test);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
