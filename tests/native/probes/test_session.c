/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/error.h"
#include "base/npy.h"
#include "base/port/file.h"
#include "base/port/time.h"
#include "probes/probe.h"
#include "probes/session.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the made-up probe does. */
enum behaviour {
    ENDS,
    HANGS,   /* and does not look whether it should stop */
    WAITS,   /* until it is asked to stop */
    DIES,    /* by a signal */
    REFUSES, /* in setup */
    FLOODS   /* with more rows than the ring has room for */
};

enum {
    ROWS = 3,
    MANY_ROWS = 2 * LAXITY_PROBE_RING_ROWS + 5 /* twice around */
};

static char directory[] = "/tmp/laxity-test-session-XXXXXX";
static struct laxity_error error;
static char notes[LAXITY_ERROR_TEXT_BYTES];

static enum behaviour behaviour_of(const struct laxity_probe_run *run)
{
    return *(const enum behaviour *)run->plan->settings;
}

static int setup(struct laxity_probe_run *run)
{
    if (behaviour_of(run) == REFUSES) {
        laxity_error_set(&run->shared->error, LAXITY_EXIT_LACKING, "made up: refused; do without");
        return -1;
    }
    laxity_probe_add_fallback(run, "a thing", "another", "there is none");
    laxity_probe_add_fallback(run, "a thing", "another", "there is none");
    return 0;
}

static int measure(struct laxity_probe_run *run)
{
    const int64_t rows = behaviour_of(run) == FLOODS ? MANY_ROWS : ROWS;
    for (int64_t i = 0; i < rows; i++) {
        (void)laxity_probe_add_row(run, &i);
    }
    const int64_t beyond = -1;
    CHECK(!laxity_probe_add_row(run, &beyond)); /* no room */
    switch (behaviour_of(run)) {
    case DIES:
        (void)raise(SIGKILL);
        break;
    case HANGS:
        for (;;) {
            (void)pause();
        }
    case WAITS:
        while (!laxity_probe_is_stopped(run)) {
            laxity_pause_ns(LAXITY_NS_PER_MS);
        }
        break;
    case ENDS:
    case FLOODS:
    case REFUSES:
        break;
    }
    return 0;
}

static void teardown(struct laxity_probe_run *run)
{
    (void)run;
}

static uint64_t count_rows(const struct laxity_probe_plan *plan)
{
    return *(const enum behaviour *)plan->settings == FLOODS ? MANY_ROWS : ROWS;
}

static const struct laxity_field fields[] = {{"value", 'i', 8}};
static const struct laxity_probe probe = {
    .name = "made up",
    .stream = "made.npy",
    .fields = fields,
    .n_fields = 1,
    .row_bytes = sizeof(int64_t),
    .setup = setup,
    .measure = measure,
    .teardown = teardown,
    .count_rows = count_rows,
};

static void note(const char *text)
{
    laxity_format(notes, sizeof notes, "%s", text);
}

static int run_probe(enum behaviour behaviour, int parent_fd, int64_t timeout_ns)
{
    const struct laxity_probe_plan plan = {
        .run_dir = directory,
        .timeout_ns = timeout_ns,
        .parent_fd = (uint64_t)parent_fd,
        .settings = &behaviour,
    };
    error = (struct laxity_error){0};
    notes[0] = '\0';
    return laxity_probe_session(&probe, &plan, note, &error);
}

static void read_file(const char *name, char *text, size_t bytes)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    text[0] = '\0';
    (void)laxity_read_text(path, text, bytes);
}

/* The header says how many rows there are. */
static void check_rows(int n)
{
    char header[LAXITY_NPY_HEADER_BYTES];
    char shape[32];
    read_file("made.npy", header, sizeof header);
    (void)snprintf(shape, sizeof shape, "'shape': (%d,)", n);
    CHECK(strstr(header + 10, shape) != NULL);
}

static void check_outcome(const char *status)
{
    char text[2048];
    read_file("native.json", text, sizeof text);
    if (!strstr(text, status)) {
        test_fail(__FILE__, __LINE__, "no %s in %s", status, text);
    }
}

static const int64_t patience_ns = INT64_C(60) * LAXITY_NS_PER_S;

static void rows_of_a_probe_are_written(void)
{
    CHECK_EQUAL(run_probe(ENDS, 0, patience_ns), 0);
    check_rows(ROWS);
    check_outcome("\"status\": \"complete\"");
    check_outcome("\"what\": \"a thing\"");
    CHECK_TEXT(notes, "a thing: another used instead (there is none)");
}

static void rows_beyond_the_ring_are_written_in_order(void)
{
    CHECK_EQUAL(run_probe(FLOODS, 0, patience_ns), 0);
    check_rows(MANY_ROWS);
    struct laxity_npy npy;
    const int dir_fd = open(directory, O_RDONLY | O_DIRECTORY);
    CHECK_EQUAL(laxity_npy_reopen(dir_fd, "made.npy", fields, 1, MANY_ROWS, &npy), 0);
    int wrong = 0;
    for (int64_t i = 0; i < MANY_ROWS; i++) {
        int64_t value = -1;
        wrong += laxity_npy_read(&npy, (uint64_t)i, &value, 1) != 0 || value != i;
    }
    CHECK_EQUAL(wrong, 0);
    (void)laxity_npy_close(&npy);
    (void)close(dir_fd);
}

static void probe_that_hangs_is_killed_and_its_rows_are_kept(void)
{
    CHECK_EQUAL(run_probe(HANGS, 0, LAXITY_NS_PER_MS), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_NO_VERDICT);
    CHECK(strstr(error.text, "raise --timeout") != NULL);
    check_rows(ROWS);
    check_outcome("\"status\": \"failed\"");
}

static void hang_up_of_the_parent_interrupts(void)
{
    int ends[2];
    CHECK_EQUAL(pipe2(ends, O_CLOEXEC), 0);
    (void)close(ends[0]); /* a writing end reports the loss of its reader */
    CHECK_EQUAL(run_probe(WAITS, ends[1], patience_ns), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_INTERRUPTED);
    check_rows(ROWS);
    check_outcome("\"status\": \"interrupted\"");
    (void)close(ends[1]);
}

static void death_of_a_probe_is_told(void)
{
    CHECK_EQUAL(run_probe(DIES, 0, patience_ns), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_INTERNAL);
    CHECK(strstr(error.text, "signal 9") != NULL);
    check_rows(ROWS);
}

static void refusal_of_a_probe_is_told_in_its_words(void)
{
    CHECK_EQUAL(run_probe(REFUSES, 0, patience_ns), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_LACKING);
    CHECK_TEXT(error.text, "made up: refused; do without");
    check_rows(0);
}

int main(void)
{
    if (!mkdtemp(directory)) {
        return 1;
    }
    RUN(rows_of_a_probe_are_written);
    RUN(rows_beyond_the_ring_are_written_in_order);
    RUN(probe_that_hangs_is_killed_and_its_rows_are_kept);
    RUN(hang_up_of_the_parent_interrupts);
    RUN(death_of_a_probe_is_told);
    RUN(refusal_of_a_probe_is_told_in_its_words);
    const int dir_fd = open(directory, O_RDONLY | O_DIRECTORY);
    if (dir_fd >= 0) {
        (void)unlinkat(dir_fd, "made.npy", 0);
        (void)unlinkat(dir_fd, "native.json", 0);
        (void)close(dir_fd);
    }
    (void)rmdir(directory);
    return test_exit_code();
}
