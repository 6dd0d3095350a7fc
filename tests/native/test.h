/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A test program in four words: TEST, CHECK, SKIP, RUN.
 *
 * Each test is a function named as a sentence. RUN prints one TAP line for it; test_exit_code()
 * prints the plan and says what main() returns: 0 all good, 1 something failed, 77 nothing failed
 * and at least one test lacked something.
 */
#ifndef LAXITY_TEST_H
#define LAXITY_TEST_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    TEST_EXIT_SKIPPED = 77, /* meson's and automake's exit code of a skipped test */
    TEST_REASON_BYTES = 200
};

struct test_state {
    int run_count, failed_count, skipped_count;
    int failures_of_this_test;
    char skip_reason[TEST_REASON_BYTES]; /* empty: not skipped */
    char last_reason[TEST_REASON_BYTES]; /* of any test */
};

/* One per test program: every test program is a single translation unit. */
static struct test_state test_state;

__attribute__((format(printf, 3, 4), unused)) static void
test_fail(const char *const file, const int line, const char *const format, ...)
{
    va_list arguments;

    test_state.failures_of_this_test++;
    printf("# %s:%d: ", file, line);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* The values are compared as int64_t: every quantity of ours fits, UINT64_MAX is compared with
 * CHECK. */
__attribute__((unused)) static void test_check_equal(
    const int64_t got,
    const int64_t want,
    const char *const expression,
    const char *const file,
    const int line
)
{
    if (got != want) {
        test_fail(file, line, "%s is %" PRId64 ", expected %" PRId64, expression, got, want);
    }
}

__attribute__((unused)) static void test_check_text(
    const char *const got,
    const char *const want,
    const char *const expression,
    const char *const file,
    const int line
)
{
    if (got == NULL || strcmp(got, want) != 0) {
        test_fail(
            file, line, "%s is \"%s\", expected \"%s\"", expression, got ? got : "(null)", want
        );
    }
}

static void test_run(void (*const test)(void), const char *const name)
{
    test_state.run_count++;
    test_state.failures_of_this_test = 0;
    test_state.skip_reason[0] = '\0';
    test();
    if (test_state.failures_of_this_test > 0) {
        test_state.failed_count++;
        printf("not ok %d - %s\n", test_state.run_count, name);
    } else if (test_state.skip_reason[0] != '\0') {
        test_state.skipped_count++;
        printf("ok %d - %s # SKIP %s\n", test_state.run_count, name, test_state.skip_reason);
        memcpy(test_state.last_reason, test_state.skip_reason, sizeof test_state.last_reason);
    } else {
        printf("ok %d - %s\n", test_state.run_count, name);
    }
    (void)fflush(stdout);
}

static int test_exit_code(void)
{
    printf("1..%d\n", test_state.run_count);
    if (test_state.failed_count > 0) {
        return 1;
    }
    if (test_state.skipped_count > 0) {
        printf("# %s\n", test_state.last_reason); /* what ./check takes for the reason */
        return TEST_EXIT_SKIPPED;
    }
    return 0;
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            test_fail(__FILE__, __LINE__, "%s does not hold", #condition);                         \
        }                                                                                          \
    } while (0)

#define CHECK_EQUAL(got, want)                                                                     \
    test_check_equal((int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)

#define CHECK_TEXT(got, want) test_check_text((got), (want), #got, __FILE__, __LINE__)

/* Leaves the test; `reason` says what is missing. */
#define SKIP(reason)                                                                               \
    do {                                                                                           \
        (void)snprintf(test_state.skip_reason, sizeof test_state.skip_reason, "%s", (reason));     \
        return;                                                                                    \
    } while (0)

#define RUN(test) test_run((test), #test)

#endif
