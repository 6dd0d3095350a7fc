/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The harness of a program of a suite on a simulated platform, which is linked with it
 * (laxity.suites.static_link): in place of main.c and of native/guests/guest_hooks.c.
 *
 *   PROGRAM JOBS NAME CONVENTION ISOLATION EXPECTED INPUT FILTER DIRECTORY [WORD]...
 *
 * Words as guest_hooks.c has them; INPUT and DIRECTORY are "": no files are simulated. Between jobs
 * memory, streams and handlers of signals are taken back, which the platform does not see. A job
 * that is not as expected ends the program: the platform knows no values of jobs.
 */
#include "base/error.h"
#include "guests/expected.h"
#include "guests/fnv.h"
#include "guests/guest.h"
#include "guests/guest_call.h"
#include "guests/guest_streams.h"
#include "guests/isolation.h"
#include "harness/mark_table.h"
#include "harness/marks.h"
#include "settle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WORD_PROGRAM,
    WORD_JOBS,
    WORD_NAME,
    WORD_CONVENTION,
    WORD_ISOLATION,
    WORD_EXPECTED,
    WORD_INPUT,
    WORD_FILTER,
    WORD_DIRECTORY,
    WORDS_NEEDED,
    USAGE = 2,
    DECIMAL = 10,
};

/* Too large for a stack. */
static struct laxity_isolated isolated;
static struct laxity_job_outcome outcome;
static struct laxity_expected expected;
static int complaints_fd = STDERR_FILENO;

/* The last line is what a user is told; the guest's standard error is another one. */
static _Noreturn void refuse(const char *what, const char *why)
{
    (void)dprintf(complaints_fd, "%s: %s\n", what, why);
    _exit(EXIT_FAILURE);
}

static void load(int argc, char **argv)
{
    struct laxity_error error = {0};
    const int convention = laxity_guest_find_word(LAXITY_CONVENTIONS, argv[WORD_CONVENTION]);
    const int mode = laxity_guest_find_word(LAXITY_ISOLATIONS, argv[WORD_ISOLATION]);
    if (convention < 0 || mode < 0 || mode == LAXITY_ISOLATION_FORK) {
        refuse(argv[WORD_ISOLATION], "is no mode of a simulated platform");
    }
    if (laxity_expected_read(&expected, argv[WORD_EXPECTED])) {
        refuse(argv[WORD_EXPECTED], "is not HOW:CODE:CHECK:OUTPUT:FILES");
    }
    if (laxity_guest_streams_filter(argv[WORD_FILTER])) {
        refuse(argv[WORD_FILTER], "is no extended regular expression");
    }
    isolated.mode = (enum laxity_isolation)mode;
    /* The guest's own words, its name in front. */
    argv[WORD_DIRECTORY] = argv[WORD_NAME];
    isolated.guest.argc = argc - WORD_DIRECTORY;
    isolated.guest.argv = argv + WORD_DIRECTORY;
    if (laxity_guest_load(
            &isolated.guest, "", (enum laxity_convention)convention, argv[WORD_NAME], &error
        )) {
        refuse(argv[WORD_NAME], error.text);
    }
}

static void prepare(void)
{
    static char time_zone[] = "TZ=UTC0"; /* not the host's, whose file lies in memory */
    struct laxity_error error = {0};
    complaints_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int rc = laxity_guest_streams_open(NULL);
    if (rc) {
        refuse("streams", strerrordesc_np(-rc));
    }
    /* Nobody can make a file there: what it writes after all is not the user's. */
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    if (putenv(time_zone) != 0 || chdir("/proc") != 0) {
        refuse("/proc", strerrordesc_np(errno));
    }
    if (laxity_isolated_open(&isolated, &error)) {
        refuse("guest", error.text);
    }
}

static void begin_job(void)
{
    laxity_isolated_begin(&isolated, &outcome);
    if (outcome.init.kind != LAXITY_GUEST_RETURNED) {
        refuse("init", "did not return; laxity suite vet says how it ends");
    }
}

static void end_job(unsigned long long job)
{
    char which[LAXITY_EXPECTED_BYTES];
    char how[LAXITY_EXPECTED_BYTES];
    /* In mode none nobody takes back what such a job has left. */
    laxity_isolated_end(&isolated, &outcome);
    outcome.files.hash = LAXITY_FNV_BASIS; /* of no files */
    if (laxity_expected_is_met(&expected, &outcome)) {
        return;
    }
    laxity_format(which, sizeof which, "job %llu is not like a fresh process", job);
    laxity_format(
        how,
        sizeof how,
        "%s:%d, its check %d, output %016llx in place of %s:%s",
        laxity_guest_end_name(outcome.end.kind),
        outcome.end.code,
        outcome.check.code,
        (unsigned long long)outcome.output.hash,
        expected.end,
        expected.output
    );
    refuse(which, how);
}

int main(int argc, char **argv)
{
    if (argc < WORDS_NEEDED) {
        (void)fputs(LAXITY_SIM_BY_HAND, stderr);
        return USAGE;
    }
    const unsigned long long jobs = strtoull(argv[WORD_JOBS], NULL, DECIMAL);
    settle();
    load(argc, argv);
    prepare();
    for (unsigned long long job = 0; job < jobs; job++) {
        begin_job();
        laxity_mark_table[LAXITY_MARK_JOB_START] = 1;
        laxity_isolated_job(&isolated, &outcome);
        laxity_mark_table[LAXITY_MARK_JOB_FINISH] = 1;
        end_job(job);
    }
    return EXIT_SUCCESS;
}
