/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/cpus.h"

#include <errno.h>
#include <stddef.h>

static const char *round_trip(const char *text, char *out, size_t bytes)
{
    struct laxity_cpus cpus = {{0}};
    if (laxity_cpus_parse(text, &cpus)) {
        return NULL;
    }
    laxity_cpus_format(&cpus, out, bytes);
    return out;
}

static void list_with_ranges_is_read_and_written(void)
{
    char out[64];
    CHECK_TEXT(round_trip("0-1,3", out, sizeof out), "0-1,3");
    CHECK_TEXT(round_trip("3,1,0", out, sizeof out), "0-1,3");
    CHECK_TEXT(round_trip("63-65", out, sizeof out), "63-65"); /* over a word's edge */
    CHECK_TEXT(round_trip("7", out, sizeof out), "7");
}

static void text_that_is_no_list_is_refused(void)
{
    static const char *const bad[] = {
        "", ",", "1,", "-1", "1-", "2-1", "a", "1 ", "0x1", "1--2", "1,,2"
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct laxity_cpus cpus = {{0}};
        CHECK(laxity_cpus_parse(bad[i], &cpus) == -EINVAL);
        CHECK(laxity_cpus_is_empty(&cpus)); /* untouched after an error */
    }
}

static void last_cpu_is_1023(void)
{
    struct laxity_cpus cpus = {{0}};
    CHECK_EQUAL(laxity_cpus_parse("1023", &cpus), 0);
    CHECK_EQUAL(laxity_cpus_parse("1024", &cpus), -ERANGE);
}

static void difference_keeps_what_is_not_taken(void)
{
    struct laxity_cpus all = {{0}};
    struct laxity_cpus taken = {{0}};
    CHECK_EQUAL(laxity_cpus_parse("0-3", &all), 0);
    CHECK_EQUAL(laxity_cpus_parse("1,3,9", &taken), 0);
    const struct laxity_cpus rest = laxity_cpus_without(&all, &taken);
    char out[64];
    laxity_cpus_format(&rest, out, sizeof out);
    CHECK_TEXT(out, "0,2");
    CHECK_EQUAL(laxity_cpus_count(&rest), 2);
}

/* 63 and 64 are the two sides of a word. */
static void end_is_one_more_than_the_largest(void)
{
    struct laxity_cpus cpus = {{0}};
    CHECK_EQUAL(laxity_cpus_end(&cpus), 0);
    laxity_cpus_add(&cpus, 0);
    CHECK_EQUAL(laxity_cpus_end(&cpus), 1);
    laxity_cpus_add(&cpus, 63);
    CHECK_EQUAL(laxity_cpus_end(&cpus), 64);
    laxity_cpus_add(&cpus, 64);
    CHECK_EQUAL(laxity_cpus_end(&cpus), 65);
}

static void list_that_does_not_fit_is_cut_and_terminated(void)
{
    struct laxity_cpus cpus = {{0}};
    CHECK_EQUAL(laxity_cpus_parse("0,2,4,6,8", &cpus), 0);
    char out[6];
    laxity_cpus_format(&cpus, out, sizeof out);
    CHECK_TEXT(out, "0,2,4");
}

int main(void)
{
    RUN(list_with_ranges_is_read_and_written);
    RUN(text_that_is_no_list_is_refused);
    RUN(last_cpu_is_1023);
    RUN(difference_keeps_what_is_not_taken);
    RUN(end_is_one_more_than_the_largest);
    RUN(list_that_does_not_fit_is_cut_and_terminated);
    return test_exit_code();
}
