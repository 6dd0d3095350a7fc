/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-trace: record what the scheduler does on every CPU. Needs nothing but libc. */
#include "base/cpus.h"
#include "base/error.h"
#include "base/port/time.h"
#include "base/port/tracefs.h"
#include "base/visible.h"
#include "cli/option.h"
#include "cli/options.h"
#include "counters/events.h"
#include "harness/plan.h"
#include "schema/streams.h"
#include "trace/event_sampler.h"
#include "trace/recorder.h"
#include "trace/sampling_cost.h"
#include "trace/sched_kinds.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct trace_options {
    const char *run_dir;
    int64_t duration_ns;
    int64_t keep_last_ns;
    int backend;
    uint64_t ring_bytes;
    const char *kinds;
    bool is_histogram;
    struct laxity_cpus avoided;
    uint64_t ready_fd;
    uint64_t parent_fd;
    struct laxity_words events;
    int64_t sample_every_ns;
    uint64_t sample_overflow;
    bool is_cost;
    bool removes_left;
};

enum {
    FD_MAX = 1 << 20,
    KIND_TEXT_MAX = 20,
    /* The kernel's timers for samples are no faster, and above 100,000 samples a second it holds
     * them back. */
    SAMPLE_EVERY_LEAST_NS = 20000,
};

/* Interrupts only on demand: each costs two records, and few questions are about them. */
#define DEFAULT_KINDS "switch,wakeup,migrate"
#define DEFAULT_SAMPLE_EVERY_NS (INT64_C(10) * LAXITY_NS_PER_MS)
#define AT(member) .offset = offsetof(struct trace_options, member)

static const struct laxity_option options[] = {
    {.name = "--run-dir",
     .metavar = "DIR",
     .kind = LAXITY_OPTION_TEXT,
     AT(run_dir),
     .help = "where the streams and trace.json go; made if it does not exist"},
    {.name = "--duration",
     .metavar = "TIME",
     .default_text = "until interrupted",
     .kind = LAXITY_OPTION_DURATION,
     AT(duration_ns),
     .low = LAXITY_NS_PER_MS,
     .high = INT64_C(400) * 24 * 3600 * LAXITY_NS_PER_S,
     .help = "end after TIME"},
    {.name = "--keep-last",
     .metavar = "TIME",
     .default_text = "everything",
     .kind = LAXITY_OPTION_DURATION,
     AT(keep_last_ns),
     .low = LAXITY_NS_PER_MS,
     .high = INT64_C(400) * 24 * 3600 * LAXITY_NS_PER_S,
     .help = "keep the rows of the last TIME only; the file holds some more until the end"},
    {.name = "--backend",
     .choices = LAXITY_TRACE_BACKENDS,
     .default_text = "auto",
     .kind = LAXITY_OPTION_CHOICE,
     AT(backend),
     .help =
         "auto: the first that serves here, those that know all of --kinds before the others; perf "
         "knows neither wake-ups nor interrupts"},
    {.name = "--ring",
     .metavar = "SIZE",
     .default_text = "16MiB, all CPUs 256MiB",
     .kind = LAXITY_OPTION_SIZE,
     AT(ring_bytes),
     .high = INT64_C(1) << 30,
     .help = "locked memory per CPU, a power of two"},
    {.name = "--kinds",
     .metavar = "LIST",
     .default_text = DEFAULT_KINDS,
     .kind = LAXITY_OPTION_TEXT,
     AT(kinds),
     .help = "of switch, wakeup, migrate, irq, softirq; switches are always recorded, and what the "
             "back-end cannot is not"},
    {.name = "--switch-histogram",
     .kind = LAXITY_OPTION_FLAG,
     AT(is_histogram),
     .help = "write switches.npy instead: how long the kernel takes from off to on, and what "
             "recording that takes itself"},
    {.name = "--event",
     .metavar = "NAME",
     .kind = LAXITY_OPTION_WORD,
     AT(events),
     .help = "count it on every CPU, and write counters.npy: what interrupts read; may be repeated"
    },
    {.name = "--sample-every",
     .metavar = "TIME",
     .default_text = "10ms",
     .kind = LAXITY_OPTION_DURATION,
     AT(sample_every_ns),
     .low = SAMPLE_EVERY_LEAST_NS,
     .high = INT64_C(3600) * LAXITY_NS_PER_S,
     .help = "read the events at a timer's interrupt on each CPU, so often"},
    {.name = "--sample-overflow",
     .metavar = "N",
     .kind = LAXITY_OPTION_COUNT,
     AT(sample_overflow),
     .low = 1,
     .high = INT64_MAX,
     .help = "instead of a timer: whenever the first --event has come N times on a CPU"},
    {.name = "--sampling-cost",
     .kind = LAXITY_OPTION_FLAG,
     AT(is_cost),
     .help = "print how long a loop takes without and with samples, and record nothing"},
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
     .help = "end when the other end of this pipe is closed; \"from NS\" written to it before says "
             "what to keep"},
    {.name = "--remove-left",
     .kind = LAXITY_OPTION_FLAG,
     AT(removes_left),
     .help = "remove what killed recorders have left in tracefs, and record nothing"},
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

static const struct {
    const char *name;
    uint32_t kinds;
} kind_words[] = {
    {"switch", LAXITY_SUPPLIES(LAXITY_SCHED_KIND_OFF) | LAXITY_SUPPLIES(LAXITY_SCHED_KIND_ON)},
    {"wakeup", LAXITY_SUPPLIES(LAXITY_SCHED_KIND_WAKEUP)},
    {"migrate", LAXITY_SUPPLIES(LAXITY_SCHED_KIND_MIGRATE)},
    {"irq", LAXITY_SUPPLIES(LAXITY_SCHED_KIND_IRQ_IN) | LAXITY_SUPPLIES(LAXITY_SCHED_KIND_IRQ_OUT)},
    {"softirq",
     LAXITY_SUPPLIES(LAXITY_SCHED_KIND_SOFTIRQ_IN) | LAXITY_SUPPLIES(LAXITY_SCHED_KIND_SOFTIRQ_OUT)
    },
};

static volatile sig_atomic_t stop_signal;

static void note_signal(int number)
{
    stop_signal = number;
}

static void print_note(const char *text)
{
    laxity_write_message("laxity-trace", text);
}

/* Returns 0, or -1 with error. */
static int read_kinds(const char *list, uint32_t *out_kinds, struct laxity_error *error)
{
    uint32_t kinds = 0;
    for (const char *word = list; *word != '\0';) {
        const size_t length = strcspn(word, ",");
        uint32_t found = 0;
        for (size_t i = 0; i < sizeof kind_words / sizeof kind_words[0]; i++) {
            if (strlen(kind_words[i].name) == length &&
                strncmp(kind_words[i].name, word, length) == 0) {
                found = kind_words[i].kinds;
            }
        }
        if (found == 0) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "--kinds %.60s: \"%.*s\" is unknown; choose of switch, wakeup, migrate, irq, "
                "softirq",
                list,
                (int)(length < KIND_TEXT_MAX ? length : KIND_TEXT_MAX),
                word
            );
        }
        kinds |= found;
        word += length + (word[length] == ',');
    }
    *out_kinds = kinds;
    return 0;
}

static int
read_options(int argc, char **argv, struct trace_options *read, struct laxity_error *error)
{
    *read = (struct trace_options){
        .duration_ns = LAXITY_ABSENT_NS,
        .keep_last_ns = LAXITY_ABSENT_NS,
        .sample_every_ns = LAXITY_ABSENT_NS,
        .kinds = DEFAULT_KINDS,
    };
    const int used = laxity_options_parse(&table, argc - 1, argv + 1, read, error);
    if (used < 0) {
        return -1;
    }
    if (used + 1 < argc) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "unexpected word \"%.60s\"; see --help", argv[used + 1]
        );
    } else if (!read->run_dir && !read->removes_left && !read->is_cost) {
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

/* What of the events does not go with the rest. */
static const char *find_conflict(const struct trace_options *read)
{
    const bool has_time = read->sample_every_ns != LAXITY_ABSENT_NS;
    if (read->events.n == 0 && (has_time || read->sample_overflow > 0 || read->is_cost)) {
        return "no event to sample; add --event NAME";
    }
    if (has_time && read->sample_overflow > 0) {
        return "--sample-every and --sample-overflow: either of them says when; choose one";
    }
    if (read->events.n > 0 && (read->is_histogram || read->keep_last_ns != LAXITY_ABSENT_NS)) {
        return "--event: samples are kept from the first one on, beside the trace; leave "
               "--switch-histogram and --keep-last out";
    }
    return NULL;
}

/* Returns 0, or -1 with error. */
static int read_sampling(
    const struct trace_options *read,
    struct laxity_sampling *out_sampling,
    struct laxity_error *error
)
{
    const char *conflict = find_conflict(read);
    if (conflict) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "%s", conflict);
    }
    out_sampling->n_events = read->events.n;
    out_sampling->every_count = read->sample_overflow;
    out_sampling->every_ns =
        read->sample_every_ns == LAXITY_ABSENT_NS ? DEFAULT_SAMPLE_EVERY_NS : read->sample_every_ns;
    return laxity_events_resolve(read->events.items, read->events.n, out_sampling->events, error);
}

/* Raw: whoever asks computes. */
static void print_cost(const struct trace_options *read, struct laxity_error *error)
{
    struct laxity_sampling sampling = {0};
    struct laxity_sampling_pair pairs[LAXITY_SAMPLING_PAIRS];
    unsigned n = 0;
    if (read_sampling(read, &sampling, error) ||
        laxity_measure_sampling_cost(&sampling, pairs, &n, error)) {
        return;
    }
    (void)puts("[");
    for (unsigned i = 0; i < n; i++) {
        (void)printf(
            "{\"without_ns\": %lld, \"with_ns\": %lld, \"samples\": %llu}%s\n",
            (long long)pairs[i].without_ns,
            (long long)pairs[i].with_ns,
            (unsigned long long)pairs[i].samples,
            i + 1 < n ? "," : ""
        );
    }
    (void)puts("]");
}

static void record(const struct trace_options *read, struct laxity_error *error)
{
    uint32_t kinds = 0;
    struct laxity_sampling sampling = {0};
    if (read_kinds(read->kinds, &kinds, error) || read_sampling(read, &sampling, error)) {
        return;
    }
    const struct sigaction action = {.sa_handler = note_signal};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of write(), not a death */
    const struct laxity_recording recording = {
        .run_dir = read->run_dir,
        .is_histogram = read->is_histogram,
        .duration_ns = read->duration_ns,
        .keep_last_ns = read->keep_last_ns,
        .backend = read->backend,
        .ring_bytes = read->ring_bytes,
        .kinds = kinds,
        .avoided = read->avoided,
        .ready_fd = read->ready_fd > 0 ? (int)read->ready_fd : -1,
        .parent_fd = read->parent_fd > 0 ? (int)read->parent_fd : -1,
        .is_stopped = &stop_signal,
        .sampling = sampling,
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

static void print_removed(const char *name)
{
    (void
    )printf("laxity-trace: removed the tracefs instance %s, which a killed recorder left\n", name);
}

static void remove_left(struct laxity_error *error)
{
    const int rc = laxity_tracefs_remove_left(print_removed);
    if (rc) {
        laxity_error_set(
            error,
            LAXITY_EXIT_LACKING,
            "instances of tracefs: cannot be removed: %s; run as root",
            strerrordesc_np(-rc)
        );
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && laxity_options_answer(&tool, argv[1])) {
        return LAXITY_EXIT_DONE;
    }
    struct trace_options read;
    struct laxity_error error = {0};
    if (read_options(argc, argv, &read, &error) == 0) {
        if (read.removes_left) {
            remove_left(&error);
        } else if (read.is_cost) {
            print_cost(&read, &error);
        } else {
            record(&read, &error);
        }
    }
    if (error.exit_code != 0) {
        print_note(error.text);
    }
    return error.exit_code;
}
