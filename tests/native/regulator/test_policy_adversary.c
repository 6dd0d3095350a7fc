/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* test_policy_adversary [RUNS [FIRST]]: the promise against best-effort work that knows all. */
#include "../test.h"
#include "adversary.h"

#include <laxity/units.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    RUNS = 3000,
    FAILURES_MAX = 20, /* enough to know that something is wrong */
};

static uint64_t n_runs = RUNS;
static uint64_t first_seed = 1;

static bool has_failed_enough(void)
{
    return test_state.failures_of_this_test >= FAILURES_MAX;
}

static void no_job_takes_longer_than_promised(void)
{
    static struct setting setting;
    struct outcome sum = {.excess_ns = INT64_MIN};
    uint64_t n_alarms = 0;
    for (uint64_t seed = first_seed;
         seed < first_seed + n_runs && n_alarms < FAILURES_MAX && !has_failed_enough();
         seed++) {
        setting_of(&setting, seed);
        CHECK(laxity_contention_check(&setting.table) == 0);
        const struct outcome one = play(&setting);
        if (one.n_over > 0) {
            test_fail(
                __FILE__,
                __LINE__,
                "seed %" PRIu64 ": %" PRId64 " ns above the promise",
                seed,
                one.excess_ns
            );
        }
        sum.excess_ns = one.excess_ns > sum.excess_ns ? one.excess_ns : sum.excess_ns;
        sum.allowed_ns += one.allowed_ns;
        sum.job_ns += one.job_ns;
        sum.n_stops += one.n_stops;
        sum.n_resumes += one.n_resumes;
        sum.n_marks += one.n_marks;
        n_alarms += one.n_void;
    }
    CHECK_EQUAL((int64_t)n_alarms, 0);
    /* A policy that allows nothing would keep every promise. */
    CHECK(sum.allowed_ns * 10 > sum.job_ns);
    CHECK(sum.n_stops > n_runs);
    printf(
        "# %" PRIu64 " runs: largest excess %" PRId64
        " ns, allowed %.1f %% of the jobs' time, %" PRIu64 " stops, %" PRIu64 " marks\n",
        n_runs,
        sum.excess_ns,
        100 * (double)sum.allowed_ns / (double)sum.job_ns,
        sum.n_stops,
        sum.n_marks
    );
}

/* A job 20 % longer than any that was profiled is outside the promise, and said to be. */
static void job_beyond_its_profile_is_said_to_be(void)
{
    static struct setting setting;
    uint64_t n_over = 0;
    for (uint64_t seed = first_seed; seed < first_seed + n_runs && !has_failed_enough(); seed++) {
        setting_of(&setting, seed);
        CHECK(laxity_contention_check(&setting.table) == 0);
        setting.scale_percent = 120;
        const struct outcome one = play(&setting);
        if (one.n_void < one.n_over) {
            test_fail(__FILE__, __LINE__, "seed %" PRIu64 " goes unsaid", seed);
        }
        n_over += one.n_over;
    }
    CHECK(n_over > n_runs / 2);
    printf("# %" PRIu64 " jobs beyond the promise\n", n_over);
}

int main(int argc, char **argv)
{
    if ((argc > 1 && laxity_parse_count(argv[1], 1, UINT32_MAX, &n_runs)) ||
        (argc > 2 && laxity_parse_count(argv[2], 1, UINT32_MAX, &first_seed))) {
        return 2;
    }
    RUN(no_job_takes_longer_than_promised);
    RUN(job_beyond_its_profile_is_said_to_be);
    return test_exit_code();
}
