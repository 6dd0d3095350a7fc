/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "driver.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/cpu/cpu.c"

#include <stddef.h>
#include <stdint.h>

static void both_ways_to_count_give_the_known_numbers_of_primes(void)
{
    /* pi(n): OEIS A000720, A006880; and around a prime and a square of one. */
    static const uint32_t known[][2] = {
        {2, 1},
        {3, 2},
        {4, 2},
        {8, 4},
        {9, 4},
        {10, 4},
        {11, 5},
        {24, 9},
        {25, 9},
        {100, 25},
        {1000, 168},
        {2000, 303},
        {10000, 1229},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t sieved = 0;

        CHECK_EQUAL(count_primes(known[i][0]), known[i][1]);
        CHECK_EQUAL(sieve_prime_count(known[i][0], &sieved), 0);
        CHECK_EQUAL(sieved, known[i][1]);
    }
}

static void jobs_succeed_with_and_without_limits(void)
{
    CHECK_EQUAL(init_without_words(), 0);
    check_jobs_succeed(4);
    CHECK_EQUAL(INIT("30", "100"), 0);
    check_jobs_succeed(5);
}

static void limits_alternate_from_job_to_job(void)
{
    CHECK_EQUAL(INIT("30", "100"), 0);
    CHECK_EQUAL(cpu.limits[cpu.turn], 30);
    CHECK(!job_fails());
    CHECK_EQUAL(cpu.limits[cpu.turn], 100);
    CHECK(!job_fails());
    CHECK_EQUAL(cpu.limits[cpu.turn], 30);
}

static void wrong_count_fails_the_job(void)
{
    CHECK_EQUAL(INIT("30", "100"), 0);
    cpu.limits[0] = 31;
    CHECK(job_fails());
    CHECK_TEXT(driver.reason, "cpu: counted 11 primes up to 31, there are 10");
}

static void bad_limits_are_refused_with_what_to_write(void)
{
    CHECK(INIT("1", "100") < 0);
    CHECK_TEXT(
        driver.init_stderr,
        "cpu: LIMIT_A \"1\": is out of bounds; write a number from 2 to 10000000\n"
    );
    CHECK(INIT("2", "10000001") < 0);
    CHECK(INIT("100", "1e3") < 0);
    CHECK_TEXT(
        driver.init_stderr,
        "cpu: LIMIT_B \"1e3\": is no whole number; write a number from 2 to 10000000\n"
    );
    CHECK(INIT("100") < 0);
    CHECK_TEXT(
        driver.init_stderr, "cpu: takes two limits or none, got \"100\" alone; add LIMIT_B\n"
    );
    CHECK(INIT("100", "200", "300") < 0);
    CHECK_TEXT(
        driver.init_stderr,
        "cpu: takes [LIMIT_A LIMIT_B], got one word more, \"300\"; leave it out\n"
    );
}

int main(void)
{
    RUN(both_ways_to_count_give_the_known_numbers_of_primes);
    RUN(jobs_succeed_with_and_without_limits);
    RUN(limits_alternate_from_job_to_job);
    RUN(wrong_count_fails_the_job);
    RUN(bad_limits_are_refused_with_what_to_write);
    return test_exit_code();
}
