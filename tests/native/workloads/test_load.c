/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "driver.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/load/load.c"

#include <stddef.h>
#include <stdlib.h>

static void jobs_succeed_with_every_mix_and_preset_words(void)
{
    static const char *const mixes[] = {"0", "1", "5", "9", "10"};

    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        CHECK_EQUAL(INIT("64KiB", mixes[i], "3"), 0);
        check_jobs_succeed(3);
    }
    CHECK_EQUAL(INIT("320B"), 0);
    check_jobs_succeed(2);
    CHECK_EQUAL(init_without_words(), 0);
    check_jobs_succeed(1);
}

static void first_lines_of_each_ten_are_written_and_the_rest_only_read(void)
{
    /* 704 bytes are 22 lines of 4 words: two groups, and two lines that are not touched. */
    CHECK_EQUAL(INIT("704B", "3"), 0);
    CHECK(!job_fails());
    CHECK(!job_fails());
    for (size_t line = 0; line < 22; line++) {
        const uint64_t expected = line < 20 && line % 10 < 7 ? 2 : 0;
        for (size_t word = 0; word < 4; word++) {
            CHECK_EQUAL(load.words[4 * line + word], expected);
        }
    }
    CHECK(!teardown_fails());
}

static void pauses_come_after_as_many_groups_whatever_the_jobs_are(void)
{
    CHECK_EQUAL(INIT("64KiB", "5", "0", "7", "200"), 0);
    CHECK(!job_fails());
    /* 204 groups: a pause after 200, 4 of the next burst are done. */
    CHECK_EQUAL(load.until_pause, 196);
    CHECK(!job_fails());
    /* 408 groups: 8 after the second pause. */
    CHECK_EQUAL(load.until_pause, 192);
    CHECK(!teardown_fails());
}

static void every_line_of_a_pass_with_pauses_is_loaded(void)
{
    CHECK_EQUAL(INIT("704B", "3", "0", "1", "1"), 0);
    check_jobs_succeed(3);
    CHECK_EQUAL(INIT("64KiB", "0", "3", "5"), 0);
    check_jobs_succeed(3);
}

static void changed_word_fails_the_teardown(void)
{
    CHECK_EQUAL(INIT("64KiB", "10"), 0);
    CHECK(!job_fails());
    load.words[41]++;
    CHECK(teardown_fails());
    CHECK_TEXT(driver.reason, "load: word 41 of the buffer is 1, expected 0");
    free(load.words);
}

static void job_that_did_nothing_is_noticed(void)
{
    CHECK_EQUAL(INIT("64KiB", "9"), 0);
    CHECK(!job_fails());
    load.job_number++;
    CHECK(teardown_fails());
    free(load.words);
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    CHECK(INIT("256B") < 0);
    CHECK_TEXT(driver.init_stderr, "load: SIZE \"256B\": is less than 320B; ask for more\n");
    CHECK(INIT("1MiB", "11") < 0);
    CHECK(INIT("1MiB", "-1") < 0);
    CHECK(INIT("1MiB", "0", "1000001") < 0);
    CHECK(INIT("1MiB", "0", "0", "-1") < 0);
    CHECK(INIT("1MiB", "0", "0", "1", "0") < 0);
}

static void word_too_many_is_refused(void)
{
    CHECK(INIT("1MiB", "0", "0", "1", "1", "0") < 0);
    CHECK_TEXT(
        driver.init_stderr,
        "load: takes [SIZE [READS [DELAY [PAUSE [GROUPS]]]]], got one word more, \"0\"; leave it "
        "out\n"
    );
}

int main(void)
{
    RUN(jobs_succeed_with_every_mix_and_preset_words);
    RUN(first_lines_of_each_ten_are_written_and_the_rest_only_read);
    RUN(pauses_come_after_as_many_groups_whatever_the_jobs_are);
    RUN(every_line_of_a_pass_with_pauses_is_loaded);
    RUN(changed_word_fails_the_teardown);
    RUN(job_that_did_nothing_is_noticed);
    RUN(bad_arguments_are_refused_with_what_to_write);
    RUN(word_too_many_is_refused);
    return test_exit_code();
}
