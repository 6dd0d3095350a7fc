/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * guest: a workload whose jobs are those of a guest, isolated from one another.
 *
 * Words: OBJECT NAME CONVENTION ISOLATION EXPECTED INPUT FILTER DIRECTORY [WORD]... EXPECTED is
 * HOW:CODE:CHECK:OUTPUT, where "-" stands for what is not compared; INPUT "" is an empty one;
 * FILTER "" cuts nothing from the output; DIRECTORY is where jobs work, "" is where the run was
 * started.
 * Each job has a value `right`: 1 if it ended as expected, else 0.
 */
#include "base/error.h"
#include "guests/fnv.h"
#include "guests/guest.h"
#include "guests/guest_call.h"
#include "guests/guest_streams.h"
#include "guests/isolation.h"
#include "harness/isolating.h"
#include "harness/segment.h"

#include <laxity/hooks.h>

#include <errno.h>
#include <inttypes.h>
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
    EXPECTED_BYTES = 128,
};

/* Hooks have no argument that could lead them there. */
static struct laxity_isolated isolated;
static struct laxity_job_outcome outcome;
static const char *expected;
static enum laxity_job_process job_process;

/* Place of a word in a blank-separated list, -1 = none. */
static int find_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    int place = 0;
    for (const char *at = list; *at != '\0'; place++) {
        const size_t next = strcspn(at, " ");
        if (next == length && strncmp(at, word, length) == 0) {
            return place;
        }
        at += next;
        at += *at == ' ';
    }
    return -1;
}

static int refuse(const char *what, const char *why)
{
    (void)fprintf(stderr, "guest: %s: %s\n", what, why);
    return -1;
}

/* In a process of its own a job needs no more than init and teardown. */
static void choose_mode(enum laxity_isolation isolation)
{
    isolated.mode = isolation == LAXITY_ISOLATION_EXEC ? LAXITY_ISOLATION_FORK : isolation;
    job_process = LAXITY_JOB_IN_TASK;
    if (isolation == LAXITY_ISOLATION_FORK) {
        job_process = LAXITY_JOB_IN_CHILD;
    } else if (isolation == LAXITY_ISOLATION_EXEC) {
        job_process = LAXITY_JOB_IN_FRESH;
    }
}

/* What the calls of a job print stands one behind the other, and is not what one prints; and a call
 * that does not return has no next one. */
static void check_batch(const char *expected_words)
{
    char silent[EXPECTED_BYTES];
    const char *output = strrchr(expected_words, ':');
    laxity_format(silent, sizeof silent, ":%016" PRIx64, LAXITY_FNV_BASIS);
    if (isolated.mode != LAXITY_ISOLATION_NONE) {
        laxity_job_failed("calls: state would be taken back between them, in the measured part");
    }
    if (strncmp(expected_words, "returned:", strlen("returned:")) != 0) {
        laxity_job_failed("calls: its job does not return, so that there is no next call");
    }
    if (!output || (strcmp(output, ":-") != 0 && strcmp(output, silent) != 0)) {
        laxity_job_failed("calls: it prints, and what several calls print is not what one does");
    }
}

/* Returns 0, or -1 and has said why. */
static int load(int argc, char **words)
{
    struct laxity_error error = {0};
    const int convention = find_word(LAXITY_CONVENTIONS, words[WORD_CONVENTION]);
    const int isolation = find_word(ISOLATIONS, words[WORD_ISOLATION]);
    if (convention < 0) {
        return refuse(words[WORD_CONVENTION], "is no convention; use one of " LAXITY_CONVENTIONS);
    }
    if (isolation < 0) {
        return refuse(words[WORD_ISOLATION], "is no mode here; use one of " ISOLATIONS);
    }
    choose_mode((enum laxity_isolation)isolation);
    if (isolated.guest.calls > 1) {
        check_batch(words[WORD_EXPECTED]);
    }
    const char *input = words[WORD_INPUT][0] != '\0' ? words[WORD_INPUT] : NULL;
    const char *directory = words[WORD_DIRECTORY];
    if (directory[0] != '\0' && chdir(directory) != 0) {
        return refuse(directory, strerrordesc_np(errno));
    }
    if (laxity_guest_streams_filter(words[WORD_FILTER])) {
        return refuse(words[WORD_FILTER], "is no extended regular expression");
    }
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
    return laxity_isolated_open(&isolated, &error);
}

int benchmark_init(int argc, void **argv)
{
    if (argc < WORDS_NEEDED) {
        return refuse("words", "too few; laxity suite run gives them");
    }
    expected = argv[WORD_EXPECTED];
    return load(argc, (char **)argv);
}

void laxity_set_calls(uint32_t calls)
{
    isolated.guest.calls = calls;
}

enum laxity_job_process laxity_job_process(void)
{
    return job_process;
}

/* Whether it ended as a fresh one does: by the same way, and where that is no return, with the same
 * code or signal. */
static bool is_normal_end(void)
{
    const char *how = laxity_guest_end_name(outcome.end.kind);
    const size_t length = strlen(how);
    if (strncmp(expected, how, length) != 0 || expected[length] != ':') {
        return false;
    }
    return outcome.end.kind == LAXITY_GUEST_RETURNED ||
           strtol(expected + length + 1, NULL, 10) == outcome.end.code;
}

/* Not its normal end, and what it has left is taken back: the next job goes on. */
uint32_t laxity_job_cause(void)
{
    if (is_normal_end()) {
        return LAXITY_END_NONE;
    }
    return outcome.end.kind == LAXITY_GUEST_SIGNALLED ? LAXITY_END_SIGNAL : LAXITY_END_EXIT;
}

void laxity_isolate_next(void)
{
    laxity_isolated_begin(&isolated, &outcome);
    if (outcome.init.kind != LAXITY_GUEST_RETURNED) {
        laxity_job_failed("its init did not return; laxity suite vet says how it ends");
    }
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
    if (outcome.end.kind != LAXITY_GUEST_RETURNED && !goes_on && !is_normal_end()) {
        end_abnormally();
    }
}

const char *benchmark_log_header(void)
{
    return ",right";
}

/* Compared as text; what is not to be compared is "-" on both sides. */
static bool is_as_expected(void)
{
    char check[EXPECTED_BYTES];
    char output[EXPECTED_BYTES];
    char seen[EXPECTED_BYTES];
    const bool has_output = strrchr(expected, ':') && strcmp(strrchr(expected, ':'), ":-") != 0;
    laxity_format(check, sizeof check, "%d", outcome.check.code);
    laxity_format(output, sizeof output, "%016" PRIx64, outcome.output.hash);
    laxity_format(
        seen,
        sizeof seen,
        "%s:%d:%s:%s",
        laxity_guest_end_name(outcome.end.kind),
        outcome.end.code,
        outcome.has_check ? check : "-",
        has_output ? output : "-"
    );
    const bool check_returned = !outcome.has_check || outcome.check.kind == LAXITY_GUEST_RETURNED;
    return check_returned && strcmp(seen, expected) == 0;
}

float benchmark_log_data(void)
{
    laxity_isolated_end(&isolated, &outcome);
    return is_as_expected() ? 1.0F : 0.0F;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}
