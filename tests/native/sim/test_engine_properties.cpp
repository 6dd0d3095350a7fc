/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What holds of every case, whatever its platform. The naive engine tells the same, as another test
 * says. */
#include "../test.h"
#include "case.hpp"
#include "interface/engine.h"

#include <algorithm>
#include <cstdint>

namespace {

constexpr std::uint64_t CASES = 100;

laxity_sim_counts sum_of(const Told &told)
{
    laxity_sim_counts sum{};
    for (const laxity_sim_counts &core : told.totals.cores) {
        sum.fetch_misses += core.fetch_misses;
        sum.load_misses += core.load_misses;
        sum.store_misses += core.store_misses;
        sum.joins += core.joins;
        sum.transfers += core.transfers;
        sum.merged += core.merged;
        sum.reads += core.reads;
        for (std::uint32_t i = 0; i < LAXITY_SIM_LEVELS_MAX; i++) {
            sum.levels[i].lookups += core.levels[i].lookups;
            sum.levels[i].misses += core.levels[i].misses;
            sum.levels[i].prefetches += core.levels[i].prefetches;
        }
    }
    return sum;
}

/* A store that is written through asks for its line though it hits; the last pass of a co-runner
 * may leave something merging. */
bool is_accountable(const Case &asked)
{
    const laxity_sim_platform &platform = asked.platform;
    const auto is_corunner = [](const laxity_sim_task &task) { return task.is_corunner; };
    return !platform.writes_through && platform.l1d.size_bytes > 0 &&
           !(platform.merges_stores && std::ranges::any_of(asked.tasks, is_corunner));
}

/* What misses the first level joins a request, or makes one; a request is answered by another core,
 * written whole, or looked up in the levels, one after the other; what misses all is read, and so
 * is what is prefetched. */
void every_miss_is_a_join_a_transfer_a_merged_line_or_a_lookup_below(void)
{
    std::uint64_t n_accountable = 0;
    for (std::uint64_t seed = 1; seed <= CASES; seed++) {
        const Case asked = random_case(seed);
        if (!is_accountable(asked)) {
            continue;
        }
        n_accountable++;
        const laxity_sim_counts sum = sum_of(run_engine(asked));
        std::uint64_t left = sum.fetch_misses + sum.load_misses + sum.store_misses - sum.joins -
                             sum.transfers - sum.merged;
        for (std::uint32_t i = 0; i < asked.platform.n_levels; i++) {
            if (asked.platform.levels[i].cache.size_bytes > 0) {
                CHECK_EQUAL(sum.levels[i].lookups, left);
                left = sum.levels[i].misses + sum.levels[i].prefetches;
            }
        }
        CHECK_EQUAL(sum.reads, left);
    }
    CHECK(n_accountable > CASES / 4);
}

/* A tick is a nanosecond, so that nothing is rounded. */
void every_tick_of_a_job_that_is_not_preempted_is_busy_or_has_a_cause(void)
{
    std::uint64_t n_jobs = 0;
    for (std::uint64_t seed = 1; seed <= CASES; seed++) {
        Case asked = random_case(seed);
        asked.platform.ticks_per_s[0] = 1'000'000'000;
        asked.platform.ticks_per_s[1] = 1;
        const bool is_interrupted = asked.platform.timer_interval > 0 ||
                                    (asked.interrupts && asked.sample_ns > 0) ||
                                    asked.observer.ticks > 0;
        for (const Call &call : run_engine(asked).calls) {
            if (call.what != Call::What::Finish) {
                continue;
            }
            const laxity_sim_job &job = call.job;
            CHECK_EQUAL(job.exec_ticks, static_cast<std::uint64_t>(job.exec_ns));
            CHECK_EQUAL(
                job.busy_ns + job.stall_own_ns + job.stall_reload_ns + job.stall_moved_ns +
                    job.stall_shared_ns,
                job.exec_ns
            );
            if (job.preemptions == 0 && !is_interrupted) {
                CHECK_EQUAL(job.finish_ns - job.start_ns, job.exec_ns);
                n_jobs++;
            }
        }
    }
    CHECK(n_jobs > CASES);
}

void cores_that_idle_change_nothing_of_the_others(void)
{
    std::uint64_t n_cases = 0;
    for (std::uint64_t seed = 1; seed <= CASES; seed++) {
        Case asked = random_case(seed);
        if (asked.platform.domain_cores > 0) {
            continue; /* cores of a further domain come with memory */
        }
        n_cases++;
        /* Who answers draws cores, and adds up samples of all. */
        asked.waits = Case::Waits::Nobody;
        asked.sample_ns = 0;
        asked.observer.ticks = 0;
        const Told told = run_engine(asked);
        asked.platform.cores += 2;
        CHECK(first_difference(run_engine(asked), told).empty());
    }
    CHECK(n_cases > CASES / 2);
}

} // namespace

int main()
{
    RUN(every_miss_is_a_join_a_transfer_a_merged_line_or_a_lookup_below);
    RUN(every_tick_of_a_job_that_is_not_preempted_is_busy_or_has_a_cause);
    RUN(cores_that_idle_change_nothing_of_the_others);
    return test_exit_code();
}
