/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The harness's side of the hooks, just enough to test a workload: calls its hooks with words,
 * catches laxity_job_failed() and what is printed on stderr.
 *
 * A test includes its workload's .c file, so that it can spoil the workload's state and see that
 * the check notices.
 */
#ifndef LAXITY_TEST_DRIVER_H
#define LAXITY_TEST_DRIVER_H

#include "../test.h" // IWYU pragma: export

#include <laxity/hooks.h>

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    DRIVER_WORD_LIMIT = 8,
    DRIVER_TEXT_BYTES = 512,
    DRIVER_REASON_LIMIT = 200 /* hooks.h */
};

static struct {
    jmp_buf after_failure;
    char reason[DRIVER_TEXT_BYTES];      /* what laxity_job_failed() was told */
    char init_stderr[DRIVER_TEXT_BYTES]; /* what the last init printed */
} driver;

void laxity_job_failed(const char *const reason)
{
    (void)snprintf(driver.reason, sizeof driver.reason, "%s", reason);
    longjmp(driver.after_failure, 1);
}

/* Runs a hook; true if it called laxity_job_failed(). */
static bool hook_fails(void (*const hook)(int, void **))
{
    driver.reason[0] = '\0';
    if (setjmp(driver.after_failure) != 0) {
        CHECK(strlen(driver.reason) > 0 && strlen(driver.reason) <= DRIVER_REASON_LIMIT);
        return true;
    }
    hook(0, NULL);
    return false;
}

static bool job_fails(void)
{
    return hook_fails(benchmark_execution);
}

static bool teardown_fails(void)
{
    return hook_fails(benchmark_teardown);
}

/* Hands `words`, which end with NULL, to init; what it prints goes to driver.init_stderr. */
static int init_with(const char *const words[])
{
    char copies[DRIVER_WORD_LIMIT][DRIVER_TEXT_BYTES];
    void *argv[DRIVER_WORD_LIMIT];
    int argc = 0;
    const int saved_stderr = dup(STDERR_FILENO);
    FILE *const capture = saved_stderr < 0 ? NULL : tmpfile();

    if (capture == NULL) {
        test_fail(__FILE__, __LINE__, "stderr cannot be captured");
        return 0;
    }
    for (; words[argc] != NULL; argc++) {
        (void)snprintf(copies[argc], sizeof copies[argc], "%s", words[argc]);
        argv[argc] = copies[argc];
    }
    (void)dup2(fileno(capture), STDERR_FILENO);
    const int status = benchmark_init(argc, argv);

    (void)fflush(stderr);
    (void)dup2(saved_stderr, STDERR_FILENO);
    (void)close(saved_stderr);
    (void)fseek(capture, 0, SEEK_SET);
    const size_t length = fread(driver.init_stderr, 1, sizeof driver.init_stderr - 1, capture);

    driver.init_stderr[length] = '\0';
    (void)fclose(capture);
    return status;
}

/* The words of an init, at least one, as in INIT("64KiB", "2"). */
#define INIT(...) init_with((const char *const[]){__VA_ARGS__, NULL})

static int init_without_words(void)
{
    return init_with((const char *const[]){NULL});
}

/* After an init: that many jobs, and the teardown, succeed. */
static void check_jobs_succeed(const int job_count)
{
    for (int job = 0; job < job_count; job++) {
        if (job_fails()) {
            test_fail(__FILE__, __LINE__, "job %d: %s", job, driver.reason);
            return;
        }
    }
    if (teardown_fails()) {
        test_fail(__FILE__, __LINE__, "teardown: %s", driver.reason);
    }
}

#endif
