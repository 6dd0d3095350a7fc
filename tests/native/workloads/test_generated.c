/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/executable.h"
#include "codegen/code.h"
#include "codegen/isa.h"
#include "codegen/shape.h"
#include "driver.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/generated/generated.c"

#include <stddef.h>
#include <stdint.h>

static void jobs_succeed_from_one_line_on(void)
{
    CHECK_EQUAL(INIT("code=64B"), 0);
    check_jobs_succeed(3);
    CHECK_EQUAL(INIT("data=64B"), 0);
    check_jobs_succeed(3);
    CHECK_EQUAL(INIT("code=256KiB", "code_miss=100%", "data=96KiB", "passes=7"), 0);
    check_jobs_succeed(3);
    CHECK_EQUAL(INIT("line=16B", "data_miss=30%", "data=1008B", "code=16B", "code_miss=99.9%"), 0);
    check_jobs_succeed(3);
    CHECK_EQUAL(INIT("code=64KiB"), 0);
    check_jobs_succeed(0);
}

static void words_become_shapes(void)
{
    CHECK_EQUAL(INIT("data=1KiB", "line=32B", "code=2KiB", "passes=5", "code_miss=12.5%"), 0);
    CHECK_EQUAL(generated.words.code.bytes, 2048);
    CHECK_EQUAL(generated.words.code.line_bytes, 32);
    CHECK_EQUAL(generated.words.code.miss_ratio, 125000);
    CHECK_EQUAL(generated.words.data.bytes, 1024);
    CHECK_EQUAL(generated.words.data.line_bytes, 32);
    CHECK_EQUAL(generated.words.data.miss_ratio, 125000); /* 1 / 8 words: all of them */
    CHECK_EQUAL(generated.words.passes_per_job, 5);
    check_jobs_succeed(0);
    CHECK_EQUAL(INIT("code=128B", "code_miss=66.6667%"), 0);
    CHECK_EQUAL(generated.words.code.line_bytes, 64);
    CHECK_EQUAL(generated.words.code.miss_ratio, 666667);
    check_jobs_succeed(0);
    CHECK_EQUAL(INIT("code=128B", "code_miss=100.0000%"), 0);
    CHECK_EQUAL(generated.words.code.miss_ratio, 1000000);
    check_jobs_succeed(0);
}

/* The loop's own arithmetic against the one that code is made by. */
static void data_is_read_where_the_miss_ratio_says(void)
{
    enum {
        LINES = 61,
        WORDS = 16
    };
    static uint32_t data[LINES * WORDS];
    for (uint32_t ratio = 62500; ratio <= LAXITY_RATIO_ONE; ratio += 977) {
        const struct laxity_shape shape = {sizeof data, 64, ratio};
        /* A word that is read adds 1, any other would add 1000. */
        for (uint32_t i = 0; i < LINES * WORDS; i++) {
            data[i] = i % WORDS < laxity_shape_line_uses(&shape, i / WORDS) ? 1 : 1000;
        }
        CHECK_EQUAL(read_data(data, &shape), laxity_shape_uses(&shape));
    }
}

static void changed_word_fails_the_job(void)
{
    CHECK_EQUAL(INIT("data=128B", "data_miss=50%", "passes=2"), 0);
    CHECK(!job_fails());
    generated.data[2]++; /* the third of its line: not read */
    CHECK(!job_fails());
    generated.data[17]++; /* the second of the second line */
    CHECK(job_fails());
    /* Words 0, 1, 16 and 17 times 2654435769: 34 * 2654435769 = 90250816146 = 21 * 2^32 + 56502930
     * a pass; twice that, and 2 passes of 1 more. */
    CHECK_TEXT(driver.reason, "generated: sum of the data is 113005862, expected 113005860");
    generated.data[17]--;
    CHECK(!job_fails());
    CHECK(!teardown_fails());
}

static void code_that_adds_fails_the_job(void)
{
    const struct laxity_shape shape = {128, 64, LAXITY_RATIO_ONE / 2};
    CHECK_EQUAL(INIT("code=128B", "code_miss=50%"), 0);
    CHECK(!job_fails());
    CHECK_EQUAL(laxity_executable_open(generated.code.start, generated.code.mapped_bytes), 0);
    laxity_code_write(laxity_isa_host(), &shape, LAXITY_CODE_ADD_ONE, generated.code.start);
    CHECK_EQUAL(laxity_executable_seal(generated.code.start, generated.code.mapped_bytes), 0);
    CHECK(job_fails());
    /* Job 2; two lines with one add each. */
    CHECK_TEXT(driver.reason, "generated: adding 0 to 2 gave 4");
    CHECK(!teardown_fails());
}

static void bad_words_are_refused_with_what_to_write(void)
{
    CHECK(init_without_words() < 0);
    CHECK_TEXT(
        driver.init_stderr, "generated: neither code= nor data=; write one, such as code=32KiB\n"
    );
    CHECK(INIT("32KiB") < 0);
    CHECK_TEXT(
        driver.init_stderr,
        "generated: unknown word \"32KiB\"; write code= code_miss= data= data_miss= line= "
        "passes=\n"
    );
    CHECK(INIT("cod=1KiB") < 0);
    CHECK(INIT("code_=1KiB") < 0);
    CHECK(INIT("code=1KiB", "code=1KiB") < 0);
    CHECK_TEXT(driver.init_stderr, "generated: code= is given twice; write it once\n");
}

static void bad_values_are_refused_with_what_to_write(void)
{
    CHECK(INIT("code=100B") < 0);
    CHECK_TEXT(driver.init_stderr, "generated: SIZE \"100B\": is no multiple of 64B; write 64B\n");
    CHECK(INIT("code=32B") < 0);
    CHECK(INIT("code=1KiB", "data_miss=50%") < 0);
    CHECK_TEXT(driver.init_stderr, "generated: data_miss= without data=; add its size\n");
    CHECK(INIT("code=1KiB", "passes=0") < 0);
}

static void bad_lines_are_refused_with_what_to_write(void)
{
    CHECK(INIT("code=1KiB", "line=48B") < 0);
    CHECK_TEXT(
        driver.init_stderr, "generated: line \"48B\": is none of 16B, 32B, 64B, 128B; write one\n"
    );
    CHECK(INIT("code=1KiB", "line=8B") < 0);
    CHECK(INIT("code=1KiB", "line=256B") < 0);
}

static void ratios_out_of_bounds_are_refused(void)
{
    static const char *const wrong[] = {
        "code_miss=6.2499%",
        "code_miss=100.0001%",
        "code_miss=0.5",
        "code_miss=",
        "code_miss=%",
        "code_miss=50",
        "code_miss=50.%",
        "code_miss=.5%",
        "code_miss=-50%",
        "code_miss=5.00001%",
        "code_miss=1e1%",
        "code_miss=50%%",
        "code_miss=0%",
        "code_miss=1.2.3%",
        "code_miss=99999999999999999999%",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(INIT("code=1KiB", wrong[i]) < 0);
    }
    CHECK(INIT("code=1KiB", "code_miss=6.2499%") < 0);
    CHECK_TEXT(
        driver.init_stderr,
        "generated: code_miss \"6.2499%\": is no percentage from 6.2500% (all 16 words of a line) "
        "to 100%; write one, such as 50%\n"
    );
    CHECK_EQUAL(INIT("code=1KiB", "code_miss=6.25%"), 0);
    check_jobs_succeed(1);
}

static void locked_lines_are_refused_by_name(void)
{
    CHECK(INIT("code=1KiB", "locked=512B") < 0);
    CHECK_TEXT(
        driver.init_stderr,
        "generated: locked=512B: no processor that laxity runs on lets a program lock cache lines; "
        "leave it out\n"
    );
}

int main(void)
{
    RUN(jobs_succeed_from_one_line_on);
    RUN(words_become_shapes);
    RUN(data_is_read_where_the_miss_ratio_says);
    RUN(changed_word_fails_the_job);
    RUN(code_that_adds_fails_the_job);
    RUN(bad_words_are_refused_with_what_to_write);
    RUN(bad_values_are_refused_with_what_to_write);
    RUN(bad_lines_are_refused_with_what_to_write);
    RUN(ratios_out_of_bounds_are_refused);
    RUN(locked_lines_are_refused_by_name);
    return test_exit_code();
}
