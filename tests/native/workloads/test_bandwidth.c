/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "driver.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/bandwidth/bandwidth.c"

#include <stddef.h>
#include <stdlib.h>

static const char *const names[] = {"read", "write", "copy", "nontemporal"};

enum {
    MODE_COUNT = sizeof names / sizeof *names
};

static void jobs_succeed_in_every_mode(void)
{
    static const char *const sizes[] = {"128B", "64KiB", "1MiB"};

    for (size_t i = 0; i < MODE_COUNT; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            CHECK_EQUAL(INIT(names[i], sizes[j]), 0);
            check_jobs_succeed(3);
            CHECK_EQUAL(INIT(names[i], sizes[j]), 0);
            check_jobs_succeed(0);
        }
    }
}

static void changed_word_fails_the_check_in_every_mode(void)
{
    for (size_t i = 0; i < MODE_COUNT; i++) {
        CHECK_EQUAL(INIT(names[i], "4KiB"), 0);
        CHECK(!job_fails());
        /* In copy's second half, the copy; 4 KiB are 512 words. */
        words_of(bandwidth.lines)[300]++;
        CHECK(teardown_fails());
        free(bandwidth.lines);
    }
}

static void changed_word_fails_the_next_job_that_reads(void)
{
    CHECK_EQUAL(INIT("read", "4KiB"), 0);
    words_of(bandwidth.lines)[511]++;
    CHECK(job_fails());
    CHECK_TEXT(driver.reason, "bandwidth: read: the sum of all words is wrong");
    free(bandwidth.lines);
}

static void job_that_did_nothing_is_noticed(void)
{
    for (size_t i = 1; i < MODE_COUNT; i++) {
        CHECK_EQUAL(INIT(names[i], "4KiB"), 0);
        CHECK(!job_fails());
        bandwidth.job_number++;
        CHECK(teardown_fails());
        free(bandwidth.lines);
    }
}

static void copy_moves_the_first_half_into_the_second(void)
{
    CHECK_EQUAL(INIT("copy", "128B"), 0);
    CHECK(!job_fails());
    CHECK(!job_fails());
    CHECK_EQUAL(words_of(bandwidth.lines)[8], 1);
    CHECK_EQUAL(words_of(bandwidth.lines)[14], 7);
    CHECK_EQUAL(words_of(bandwidth.lines)[15], 2); /* the job's number */
    CHECK(!teardown_fails());
}

static void nontemporal_says_if_its_stores_are_plain(void)
{
    CHECK_EQUAL(INIT("nontemporal", "128B"), 0);
    CHECK_TEXT(
        driver.init_stderr,
        HAS_NONTEMPORAL_STORES ? ""
                               : "bandwidth: nontemporal: this build has no such stores; plain "
                                 "stores are used instead\n"
    );
    check_jobs_succeed(1);
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    CHECK(init_without_words() < 0);
    CHECK(INIT("read") < 0);
    CHECK_TEXT(
        driver.init_stderr,
        "bandwidth: takes read|write|copy|nontemporal SIZE, got 1 words; add what is missing\n"
    );
    CHECK(INIT("rread", "64KiB") < 0);
    CHECK_TEXT(
        driver.init_stderr, "bandwidth: no mode \"rread\"; write read, write, copy or nontemporal\n"
    );
    CHECK(INIT("read", "100B") < 0);
    CHECK_TEXT(driver.init_stderr, "bandwidth: SIZE \"100B\": is no multiple of 64B; write 64B\n");
    CHECK(INIT("copy", "64B") < 0);
    CHECK_TEXT(driver.init_stderr, "bandwidth: SIZE \"64B\": is less than 128B; ask for more\n");
    CHECK(INIT("read", "64") < 0);
}

int main(void)
{
    RUN(jobs_succeed_in_every_mode);
    RUN(changed_word_fails_the_check_in_every_mode);
    RUN(changed_word_fails_the_next_job_that_reads);
    RUN(job_that_did_nothing_is_noticed);
    RUN(copy_moves_the_first_half_into_the_second);
    RUN(nontemporal_says_if_its_stores_are_plain);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
