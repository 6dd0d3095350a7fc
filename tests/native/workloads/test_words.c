/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "driver.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/words/words.c"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void set_seed(const char *const seed)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): this test has one thread. */
    CHECK_EQUAL(seed == NULL ? unsetenv("LAXITY_SEED") : setenv("LAXITY_SEED", seed, 1), 0);
}

static void jobs_succeed_from_one_word_to_the_most(void)
{
    set_seed(NULL);
    CHECK_EQUAL(INIT("4B"), 0);
    check_jobs_succeed(2);
    CHECK_EQUAL(INIT("64KiB"), 0);
    check_jobs_succeed(2);
}

static void each_word_is_read_once(void)
{
    set_seed(NULL);
    CHECK_EQUAL(INIT("1KiB"), 0);
    bool is_read[256] = {false};
    for (size_t i = 0; i < 256; i++) {
        CHECK(order[i] < 256 && !is_read[order[i]]);
        is_read[order[i] % 256] = true;
    }
    check_jobs_succeed(1);
}

static uint16_t first_of(const char *const seed)
{
    set_seed(seed);
    CHECK_EQUAL(INIT("64KiB"), 0);
    const uint16_t first = order[0];

    check_jobs_succeed(1);
    return first;
}

static void order_follows_from_the_seed(void)
{
    CHECK_EQUAL(first_of("1"), first_of(NULL));
    CHECK_EQUAL(first_of("7"), first_of("7"));
    CHECK(first_of("7") != first_of("8"));
}

static void changed_word_fails_the_job(void)
{
    set_seed(NULL);
    CHECK_EQUAL(INIT("8B"), 0);
    words.array[0] = 5;
    words.array[1] = 6;
    words.sum = 12;
    CHECK(job_fails());
    CHECK_TEXT(driver.reason, "words: the sum of all words is 11, expected 12");
    free(words.array);
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    set_seed(NULL);
    CHECK(init_without_words() < 0);
    CHECK_TEXT(driver.init_stderr, "words: takes SIZE, got 0 words; add what is missing\n");
    CHECK(INIT("65540B") < 0);
    CHECK_TEXT(driver.init_stderr, "words: SIZE \"65540B\": is more than 64KiB; ask for less\n");
    CHECK(INIT("6B") < 0);
    set_seed("x");
    CHECK(INIT("4KiB") < 0);
}

int main(void)
{
    RUN(jobs_succeed_from_one_word_to_the_most);
    RUN(each_word_is_read_once);
    RUN(order_follows_from_the_seed);
    RUN(changed_word_fails_the_job);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
