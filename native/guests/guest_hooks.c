/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * guest: a workload whose jobs are those of a guest, isolated from one another.
 *
 * Words: OBJECT NAME CONVENTION ISOLATION EXPECTED INPUT FILTER DIRECTORY [WORD]... EXPECTED is
 * HOW:CODE:CHECK:OUTPUT:FILES, where "-" stands for what is not compared; INPUT "" is an empty one;
 * FILTER "" cuts nothing from the output; DIRECTORY is where jobs work and nobody else, "" is a new
 * one.
 * Each job has a value `right`: 1 if it ended as expected, else 0.
 */
#include "base/error.h"
#include "base/port/time.h"
#include "guests/expected.h"
#include "guests/fnv.h"
#include "guests/guest.h"
#include "guests/guest_call.h"
#include "guests/guest_files.h"
#include "guests/guest_image.h"
#include "guests/guest_regions.h"
#include "guests/guest_streams.h"
#include "guests/isolation.h"
#include "harness/segment.h"
#include "harness/workload_ops.h"

#include <laxity/hooks.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ISOLATIONS LAXITY_ISOLATIONS " exec"

enum {
    WORD_OBJECT,
    WORD_NAME,
    WORD_CONVENTION,
    WORD_ISOLATION,
    WORD_EXPECTED,
    WORD_INPUT,
    WORD_FILTER,
    WORD_DIRECTORY,
    WORDS_NEEDED,
};

/* Hooks have no argument that could lead them there. */
static struct laxity_isolated isolated;
static struct laxity_job_outcome outcome;
static struct laxity_expected expected;
static char new_directory[PATH_MAX]; /* "": it was named */
static int complaints_fd = STDERR_FILENO;

/* Of init, not of the guest, which has a standard error of its own from some point on. */
static int refuse(const char *what, const char *why)
{
    (void)dprintf(complaints_fd, "guest: %s: %s\n", what, why);
    return -1;
}

/* In a process of its own a job needs no more than init and teardown. */
static void choose_mode(enum laxity_isolation isolation)
{
    isolated.mode = isolation == LAXITY_ISOLATION_EXEC ? LAXITY_ISOLATION_FORK : isolation;
    if (isolation == LAXITY_ISOLATION_FORK) {
        laxity_workload_ops()->job_process = LAXITY_JOB_IN_CHILD;
    } else if (isolation == LAXITY_ISOLATION_EXEC) {
        laxity_workload_ops()->job_process = LAXITY_JOB_IN_FRESH;
    }
}

/* What the calls of a job print stands one behind the other, and is not what one prints; and a call
 * that does not return has no next one. */
static void check_batch(void)
{
    char silent[LAXITY_HASH_TEXT_BYTES];
    laxity_format(silent, sizeof silent, "%016" PRIx64, LAXITY_FNV_BASIS);
    if (isolated.mode != LAXITY_ISOLATION_NONE) {
        laxity_job_failed("calls: state would be taken back between them, in the measured part");
    }
    if (strncmp(expected.end, "returned:", strlen("returned:")) != 0) {
        laxity_job_failed("calls: its job does not return, so that there is no next call");
    }
    if (strcmp(expected.output, "-") != 0 && strcmp(expected.output, silent) != 0) {
        laxity_job_failed("calls: it prints, and what several calls print is not what one does");
    }
}

/* Returns 0, or -1 and has said why. */
static int change_directory(const char *path)
{
    return chdir(path) == 0 ? 0 : refuse(path, strerrordesc_np(errno));
}

/* A new one is empty again after the last job, and removed then. Returns 0, or -1 and has said why.
 */
static int enter_directory(const char *named)
{
    isolated.has_directory = true;
    if (named[0] != '\0') {
        if (change_directory(named)) {
            laxity_job_failed("the directory of its input files is gone: laxity suite run keeps "
                              "that no longer than it runs; run that again");
        }
        return 0;
    }
    const char *place = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): one thread so far */
    laxity_format(
        new_directory, sizeof new_directory, "%s/laxity-guest-XXXXXX", place ? place : "/tmp"
    );
    if (!mkdtemp(new_directory)) {
        return refuse(new_directory, strerrordesc_np(errno));
    }
    return change_directory(new_directory);
}

/* What takes memory to look at is not compared. */
static void compare_less(const char *output_filter)
{
    laxity_format(expected.files, sizeof expected.files, "-");
    if (output_filter[0] != '\0') {
        laxity_format(expected.output, sizeof expected.output, "-");
    }
}

/* Returns 0, or -1 and has said why. */
static int load(int argc, char **words)
{
    struct laxity_error error = {0};
    const int convention = laxity_guest_find_word(LAXITY_CONVENTIONS, words[WORD_CONVENTION]);
    const int isolation = laxity_guest_find_word(ISOLATIONS, words[WORD_ISOLATION]);
    if (convention < 0) {
        return refuse(words[WORD_CONVENTION], "is no convention; use one of " LAXITY_CONVENTIONS);
    }
    if (isolation < 0) {
        return refuse(words[WORD_ISOLATION], "is no mode here; use one of " ISOLATIONS);
    }
    choose_mode((enum laxity_isolation)isolation);
    if (isolated.guest.calls > 1) {
        check_batch();
    }
    const char *input = words[WORD_INPUT][0] != '\0' ? words[WORD_INPUT] : NULL;
    if (isolated.is_need_measured) {
        compare_less(words[WORD_FILTER]);
    } else if (laxity_guest_streams_filter(words[WORD_FILTER])) {
        return refuse(words[WORD_FILTER], "is no extended regular expression");
    }
    const char *directory = words[WORD_DIRECTORY];
    /* The guest's own words, its name in front. */
    words[WORD_DIRECTORY] = words[WORD_NAME];
    isolated.guest.argc = argc - WORD_DIRECTORY;
    isolated.guest.argv = words + WORD_DIRECTORY;
    if (laxity_guest_load(
            &isolated.guest,
            words[WORD_OBJECT],
            (enum laxity_convention)convention,
            words[WORD_NAME],
            &error
        )) {
        return refuse(words[WORD_OBJECT], error.text);
    }
    const int rc = laxity_guest_streams_open(input);
    if (rc) {
        return refuse(input ? input : "streams", strerrordesc_np(-rc));
    }
    if (enter_directory(directory)) {
        return -1;
    }
    if (laxity_isolated_open(&isolated, &error)) {
        return refuse(words[WORD_OBJECT], error.text);
    }
    laxity_workload_ops()->has_regions =
        laxity_image_defines(isolated.guest.image, LAXITY_REGIONS_SYMBOL);
    return 0;
}

int benchmark_init(int argc, void **argv)
{
    if (argc < WORDS_NEEDED) {
        return refuse("words", "too few; laxity suite run gives them");
    }
    if (laxity_expected_read(&expected, argv[WORD_EXPECTED])) {
        return refuse(argv[WORD_EXPECTED], "is not HOW:CODE:CHECK:OUTPUT:FILES");
    }
    complaints_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    const int rc = load(argc, (char **)argv);
    (void)close(complaints_fd);
    return rc;
}

/* It works where its task does, and finds there what its task found: what jobs before have left is
 * taken back here, because the process of a job that was killed could not. The task also removes
 * the directory. */
static void prepare_fresh(char **words)
{
    static char here[] = ".";
    laxity_guest_files_restore(&isolated.files);
    words[WORD_DIRECTORY] = here;
}

static void set_calls(uint32_t calls)
{
    isolated.guest.calls = calls;
}

static void measure_need(void)
{
    isolated.is_need_measured = true;
}

/* Not its normal end, and what it has left is taken back: the next job goes on. */
static uint32_t job_cause(void)
{
    if (laxity_expected_is_end(&expected, &outcome.end)) {
        return LAXITY_END_NONE;
    }
    return outcome.end.kind == LAXITY_GUEST_SIGNALLED ? LAXITY_END_SIGNAL : LAXITY_END_EXIT;
}

static struct laxity_job_regions regions_of_job(void)
{
    const struct laxity_guest_regions *regions = &outcome.regions;
    return (struct laxity_job_regions){regions->count > 0 ? regions->total_ns : LAXITY_ABSENT_NS,
                                       regions->count};
}

static void isolate_next(void)
{
    if (isolated.is_need_measured && isolated.mode == LAXITY_ISOLATION_RESTORE &&
        isolated.jobs > 0) {
        return; /* the one job is over, and nothing was kept for another one */
    }
    laxity_isolated_begin(&isolated, &outcome);
    if (outcome.init.kind != LAXITY_GUEST_RETURNED) {
        laxity_job_failed("its init did not return; laxity suite vet says how it ends");
    }
}

__attribute__((constructor)) static void set_ops(void)
{
    struct laxity_workload_ops *ops = laxity_workload_ops();
    ops->set_calls = set_calls;
    ops->measure_need = measure_need;
    ops->isolate_next = isolate_next;
    ops->prepare_fresh = prepare_fresh;
    ops->job_cause = job_cause;
    ops->regions_of_job = regions_of_job;
}

/* In modes none and reinit nobody takes back what such a job has left: the task ends as it would
 * have without us. */
static void end_abnormally(void)
{
    if (outcome.end.kind == LAXITY_GUEST_SIGNALLED) {
        (void)signal(outcome.end.code, SIG_DFL);
        (void)raise(outcome.end.code);
    }
    _exit(outcome.end.code);
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    laxity_isolated_job(&isolated, &outcome);
    const bool goes_on =
        isolated.mode == LAXITY_ISOLATION_RESTORE || isolated.mode == LAXITY_ISOLATION_FORK;
    if (outcome.end.kind != LAXITY_GUEST_RETURNED && !goes_on &&
        !laxity_expected_is_end(&expected, &outcome.end)) {
        end_abnormally();
    }
}

const char *benchmark_log_header(void)
{
    return ",right";
}

float benchmark_log_data(void)
{
    laxity_isolated_end(&isolated, &outcome);
    return laxity_expected_is_met(&expected, &outcome) ? 1.0F : 0.0F;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    /* Of one that was named, and not looked at, nobody knows what was there before. */
    if (!isolated.is_need_measured || new_directory[0] != '\0') {
        laxity_guest_files_restore(&isolated.files);
    }
    if (new_directory[0] != '\0') {
        (void)rmdir(new_directory);
    }
}
