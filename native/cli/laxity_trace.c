/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-trace: record what the scheduler does on every CPU. Needs nothing but libc. */
#include "base/cpus.h"
#include "base/error.h"
#include "base/port/time.h"
#include "cli/options.h"
#include "trace/recorder.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct trace_options {
    const char *run_dir;
    int64_t duration_ns;
    int backend;
    uint64_t ring_bytes;
    struct laxity_cpus avoided;
    uint64_t ready_fd;
    uint64_t parent_fd;
};

enum {
    FD_MAX = 1 << 20
};

#define AT(member) .offset = offsetof(struct trace_options, member)

static const struct laxity_option options[] = {
    {.name = "--run-dir",
     .metavar = "DIR",
     .kind = LAXITY_OPTION_TEXT,
     AT(run_dir),
     .help = "where sched.npy, threads.npy and trace.json go; made if it does not exist"},
    {.name = "--duration",
     .metavar = "TIME",
     .default_text = "until interrupted",
     .kind = LAXITY_OPTION_DURATION,
     AT(duration_ns),
     .low = LAXITY_NS_PER_MS,
     .high = INT64_C(400) * 24 * 3600 * LAXITY_NS_PER_S,
     .help = "end after TIME"},
    {.name = "--backend",
     .choices = LAXITY_TRACE_BACKENDS,
     .default_text = "auto",
     .kind = LAXITY_OPTION_CHOICE,
     AT(backend),
     .help = "auto: the first that serves here"},
    {.name = "--ring",
     .metavar = "SIZE",
     .default_text = "16MiB, all CPUs 256MiB",
     .kind = LAXITY_OPTION_SIZE,
     AT(ring_bytes),
     .high = INT64_C(1) << 30,
     .help = "locked memory per CPU, a power of two"},
    {.name = "--avoid",
     .metavar = "LIST",
     .kind = LAXITY_OPTION_CPUS,
     AT(avoided),
     .help = "CPUs that the recorder keeps off, if there are others"},
    {.name = "--ready-fd",
     .metavar = "FD",
     .kind = LAXITY_OPTION_COUNT,
     AT(ready_fd),
     .high = FD_MAX,
     .help = "write `ready` to FD when recording runs"},
    {.name = "--parent-fd",
     .metavar = "FD",
     .kind = LAXITY_OPTION_COUNT,
     AT(parent_fd),
     .high = FD_MAX,
     .help = "end when the other end of this pipe is closed"},
};
static const struct laxity_option_table table = {
    "Options", options, sizeof options / sizeof options[0]
};
static const struct laxity_option_table *const tables[] = {&table};
static const struct laxity_tool tool = {
    .name = "laxity-trace",
    .usage = "laxity-trace --run-dir DIR [OPTIONS]",
    .summary = "Record what the scheduler does on every CPU.",
    .tables = tables,
    .n_tables = 1,
};

static volatile sig_atomic_t stop_signal;

static void note_signal(int number)
{
    stop_signal = number;
}

static void print_note(const char *text)
{
    (void)fprintf(stderr, "laxity-trace: %s\n", text);
}

static bool answer_question(const char *word)
{
    if (strcmp(word, "--version") == 0) {
        (void)printf("laxity-trace %s\n", LAXITY_VERSION);
    } else if (strcmp(word, "--help") == 0) {
        laxity_options_print_help(&tool);
    } else if (strcmp(word, "--help=json") == 0) {
        laxity_options_print_json(&tool);
    } else {
        return false;
    }
    return true;
}

static int
read_options(int argc, char **argv, struct trace_options *read, struct laxity_error *error)
{
    *read = (struct trace_options){.duration_ns = LAXITY_ABSENT_NS};
    const int used = laxity_options_parse(&table, argc - 1, argv + 1, read, error);
    if (used < 0) {
        return -1;
    }
    if (used + 1 < argc) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "unexpected word \"%.60s\"; see --help", argv[used + 1]
        );
    } else if (!read->run_dir) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "no --run-dir; name where the trace goes");
    } else if ((read->ring_bytes & (read->ring_bytes - 1)) != 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "--ring %llu bytes: is no power of two; write 8MiB or 16MiB",
            (unsigned long long)read->ring_bytes
        );
    }
    return error->exit_code ? -1 : 0;
}

static void record(const struct trace_options *read, struct laxity_error *error)
{
    const struct sigaction action = {.sa_handler = note_signal};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of write(), not a death */
    const struct laxity_recording recording = {
        .run_dir = read->run_dir,
        .duration_ns = read->duration_ns,
        .backend = read->backend,
        .ring_bytes = read->ring_bytes,
        .avoided = read->avoided,
        .ready_fd = read->ready_fd > 0 ? (int)read->ready_fd : -1,
        .parent_fd = read->parent_fd > 0 ? (int)read->parent_fd : -1,
        .is_stopped = &stop_signal,
    };
    if (laxity_record_trace(&recording, print_note, error) == 0 && stop_signal) {
        laxity_error_set(
            error,
            LAXITY_EXIT_INTERRUPTED,
            "interrupted by signal %d; the trace up to then was kept",
            (int)stop_signal
        );
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && answer_question(argv[1])) {
        return LAXITY_EXIT_DONE;
    }
    struct trace_options read;
    struct laxity_error error = {0};
    if (read_options(argc, argv, &read, &error) == 0) {
        record(&read, &error);
    }
    if (error.exit_code != 0) {
        (void)fprintf(stderr, "laxity-trace: %s\n", error.text);
    }
    return error.exit_code;
}
