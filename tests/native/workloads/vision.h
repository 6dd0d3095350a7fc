/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What the tests of the vision workloads share: that jobs succeed for many seeds, that results
 * follow from the seed alone, and what is refused.
 */
#ifndef LAXITY_TEST_VISION_H
#define LAXITY_TEST_VISION_H

#include "../../../workloads/common/outcome.h"
#include "driver.h" // IWYU pragma: export

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_seed(const char *const seed)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): this test has one thread. */
    CHECK_EQUAL(seed == NULL ? unsetenv("LAXITY_SEED") : setenv("LAXITY_SEED", seed, 1), 0);
}

/* Init itself checks a result against the truth; true if it, two jobs or the teardown do not
 * succeed. */
static bool seed_fails(const char *const size_name, const uint64_t seed)
{
    char text[DRIVER_TEXT_BYTES];

    (void)snprintf(text, sizeof text, "%" PRIu64, seed);
    set_seed(text);
    driver.reason[0] = '\0';
    if (setjmp(driver.after_failure) != 0) {
        test_fail(__FILE__, __LINE__, "%s, seed %s: %s", size_name, text, driver.reason);
        return true;
    }
    CHECK_EQUAL(INIT(size_name), 0);
    benchmark_execution(0, NULL);
    benchmark_execution(0, NULL);
    benchmark_teardown(0, NULL);
    return false;
}

/* The seeds from 1 on, and the highest. */
static void check_seeds_succeed(const char *const size_name, const uint64_t seed_count)
{
    for (uint64_t seed = 1; seed <= seed_count; seed++) {
        if (seed_fails(size_name, seed)) {
            return;
        }
    }
    (void)seed_fails(size_name, UINT64_MAX);
    set_seed(NULL);
}

static uint32_t digest_with(
    const char *const size_name,
    const char *const seed,
    const struct workload_outcome *const outcome
)
{
    set_seed(seed);
    CHECK_EQUAL(INIT(size_name), 0);
    const uint32_t digest = outcome->digest;

    CHECK_TEXT(outcome->size_name, size_name);
    check_jobs_succeed(1);
    set_seed(NULL);
    return digest;
}

/* `outcome` is the workload's, changed by every init; `recorded` its digest at sim_fast with
 * seed 1. That one was not calculated by other means: it shows that every instruction set gives the
 * same.
 */
static void check_digest_follows_from_seed(
    const struct workload_outcome *const outcome, const uint32_t recorded
)
{
    const uint32_t with_one = digest_with("sim_fast", "1", outcome);

    CHECK_EQUAL(with_one, recorded);
    CHECK_EQUAL(with_one, digest_with("sim_fast", NULL, outcome));
    CHECK(with_one != digest_with("sim_fast", "2", outcome));
    CHECK(with_one != digest_with("sim", "1", outcome));
    CHECK_EQUAL(init_without_words(), 0);
    CHECK_TEXT(outcome->size_name, "cif");
    check_jobs_succeed(0);
}

static void check_bad_words_are_refused(const char *const workload)
{
    char expected[DRIVER_TEXT_BYTES];

    (void)snprintf(
        expected,
        sizeof expected,
        "%s: SIZE_NAME \"hd\": is no size; write one of sim_fast, sim, sqcif, qcif, cif, vga, "
        "fullhd\n",
        workload
    );
    CHECK(INIT("hd") < 0);
    CHECK_TEXT(driver.init_stderr, expected);
    (void)snprintf(
        expected,
        sizeof expected,
        "%s: takes [SIZE_NAME], got one word more, \"2\"; leave it out\n",
        workload
    );
    CHECK(INIT("cif", "2") < 0);
    CHECK_TEXT(driver.init_stderr, expected);
    set_seed("x");
    CHECK(INIT("sim_fast") < 0);
    CHECK(strstr(driver.init_stderr, ": LAXITY_SEED \"x\": is no whole number;") != NULL);
    set_seed(NULL);
}

/* The job compares its digest with init's. */
static void check_job_fails_with_other_digest(const char *const workload)
{
    char start[DRIVER_TEXT_BYTES];

    (void)snprintf(start, sizeof start, "%s: the result's digest is ", workload);
    CHECK(job_fails());
    CHECK(strncmp(driver.reason, start, strlen(start)) == 0);
}

#endif
