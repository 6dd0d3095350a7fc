/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Tests that every workload of sizes small and large passes: its digest, its seed, its words.
 *
 * The digests of `small` with seed 1 stand in the tests. They were recorded, not calculated: what
 * they show is that every instruction set gives the same.
 */
#ifndef LAXITY_TEST_SIZED_H
#define LAXITY_TEST_SIZED_H

#include "../../../workloads/common/outcome.h"
#include "driver.h" // IWYU pragma: export

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    DIGEST_OF_LIBRARY = -1 /* no fixed one: its library chooses, and may change its mind */
};

/* The workload under test. */
static struct {
    const char *name;
    const char *words; /* that it takes; NULL = small|large */
    const struct workload_outcome *outcome;
    int64_t digest;
} sized;

static void set_seed(const char *const seed)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): these tests have one thread. */
    CHECK_EQUAL(seed == NULL ? unsetenv("LAXITY_SEED") : setenv("LAXITY_SEED", seed, 1), 0);
}

static uint32_t digest_with_seed(const char *const seed)
{
    set_seed(seed);
    CHECK_EQUAL(INIT("small"), 0);
    check_jobs_succeed(3);
    set_seed(NULL);
    CHECK(sized.outcome->is_known);
    return sized.outcome->digest;
}

static void every_platform_gives_the_same_digest(void)
{
    const uint32_t digest = digest_with_seed(NULL);

    if (sized.digest != DIGEST_OF_LIBRARY) {
        CHECK_EQUAL(digest, sized.digest);
    }
    CHECK_EQUAL(digest_with_seed("1"), digest);
    CHECK(digest_with_seed("2") != digest);
}

static void many_seeds_succeed(void)
{
    enum {
        LAST_SEED = 40
    };
    char seed[8];

    for (int i = 3; i <= LAST_SEED; i++) {
        (void)snprintf(seed, sizeof seed, "%d", i);
        set_seed(seed);
        CHECK_EQUAL(INIT("small"), 0);
        check_jobs_succeed(1);
    }
    set_seed(NULL);
}

static void large_succeeds_also_without_any_job(void)
{
    CHECK_EQUAL(INIT("large"), 0);
    check_jobs_succeed(2);
    CHECK_EQUAL(INIT("large"), 0);
    CHECK(!sized.outcome->is_known);
    check_jobs_succeed(0);
}

static void bad_words_are_refused_with_what_to_write(void)
{
    char expected[DRIVER_TEXT_BYTES];

    CHECK(init_without_words() < 0);
    (void)snprintf(
        expected,
        sizeof expected,
        "%s: takes %s, got 0 words; add what is missing\n",
        sized.name,
        sized.words ? sized.words : "small|large"
    );
    CHECK_TEXT(driver.init_stderr, expected);
    CHECK(INIT("medium") < 0);
    (void)snprintf(
        expected, sizeof expected, "%s: no size \"medium\"; write small or large\n", sized.name
    );
    CHECK_TEXT(driver.init_stderr, expected);
    CHECK(INIT("small", "small") < 0);
    set_seed("x");
    CHECK(INIT("small") < 0);
    set_seed(NULL);
}

/* `digest` is what "small" gives with seed 1. */
static void run_sized_tests(
    const char *const name, const struct workload_outcome *const outcome, const int64_t digest
)
{
    sized.name = name;
    sized.outcome = outcome;
    sized.digest = digest;
    RUN(every_platform_gives_the_same_digest);
    RUN(many_seeds_succeed);
    RUN(large_succeeds_also_without_any_job);
    RUN(bad_words_are_refused_with_what_to_write);
}

#endif
