/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/rtbench_options.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/time.h"
#include "cli/rtbench_config.h"
#include "cli/rtbench_csv.h"
#include "cli/rtbench_values.h"
#include "harness/plan.h"
#include "schema/run.h"

#include <laxity/units.h>

#include <errno.h>
#include <getopt.h> /* NOLINT(misc-include-cleaner): glibc has its content in bits/ */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in laxity-run: shorter cannot be slept for. */
static const int64_t period_min_ns = 1000;

/* Of -B: the default is RT-Bench's, the bounds those of `laxity run`. */
static const int64_t bucket_default_ns = INT64_C(10) * LAXITY_NS_PER_MS;
static const uint64_t bucket_min_ns = 100000;
static const uint64_t bucket_max_ns = UINT64_C(3600) * LAXITY_NS_PER_S;

enum {
    PRIORITY_MAX = 99,
    HELP_COLUMN = 44,
    HELP_BYTES = 96,
    /* RT-Bench's letters; these have none. */
    VALUE_USAGE = 256,
    VALUE_LAUNCHER,
    CONFIG_LETTER = 'g',
};

struct option_row {
    int letter;
    const char *name;
    const char *metavar; /* NULL = takes no value */
    int (*store)(const char *text, struct laxity_rtbench_options *options); /* 0 or -errno */
    const char *hint;
    const char *help;
    const char *missing; /* what this build lacks for it; NULL = nothing */
};

static int store_period(const char *text, struct laxity_rtbench_options *options)
{
    return laxity_parse_seconds(text, &options->period_ns);
}

static int store_deadline(const char *text, struct laxity_rtbench_options *options)
{
    return laxity_parse_seconds(text, &options->deadline_ns);
}

static int store_jobs(const char *text, struct laxity_rtbench_options *options)
{
    return laxity_parse_count(text, 0, INT64_MAX, &options->jobs);
}

static int store_cpus(const char *text, struct laxity_rtbench_options *options)
{
    return laxity_cpus_parse(text, &options->cpus);
}

static int store_priority(const char *text, struct laxity_rtbench_options *options)
{
    return laxity_parse_count(text, 1, PRIORITY_MAX, &options->priority);
}

static int store_memory_limit(const char *text, struct laxity_rtbench_options *options)
{
    return laxity_parse_rtbench_bytes(text, &options->memory_limit_bytes);
}

static int store_sched_period(const char *text, struct laxity_rtbench_options *options)
{
    return laxity_parse_reserved_ns(text, &options->reservation.period_ns);
}

static int store_sched_deadline(const char *text, struct laxity_rtbench_options *options)
{
    return laxity_parse_reserved_ns(text, &options->reservation.deadline_ns);
}

static int store_sched_runtime(const char *text, struct laxity_rtbench_options *options)
{
    return laxity_parse_reserved_ns(text, &options->reservation.runtime_ns);
}

static int store_level(const char *text, struct laxity_rtbench_options *options)
{
    uint64_t level = 0;
    const int rc = laxity_parse_count(text, LAXITY_RTBENCH_ERRORS, LAXITY_RTBENCH_DEBUG, &level);
    if (rc == 0) {
        options->level = (enum laxity_rtbench_level)level;
    }
    return rc;
}

static int store_path(const char *text, struct laxity_rtbench_options *options)
{
    static const char suffix[] = ".csv";
    const size_t suffix_bytes = sizeof suffix - 1;
    const size_t length = strlen(text);
    if (length == 0) {
        return -EINVAL;
    }
    const bool has_suffix =
        length >= suffix_bytes && strcmp(text + length - suffix_bytes, suffix) == 0;
    char *path = calloc(1, length + sizeof suffix);
    if (!path) {
        return -ENOMEM;
    }
    laxity_format(path, length + sizeof suffix, "%s%s", text, has_suffix ? "" : suffix);
    free(options->csv_path);
    options->csv_path = path;
    return 0;
}

/* The words of "-b '64KiB seq'": split at blanks, no quoting, as RT-Bench does. */
static int store_words(const char *text, struct laxity_rtbench_options *options)
{
    const size_t length = strlen(text);
    char *copy = calloc(1, length + 1);
    char **items = (char **)calloc(length / 2 + 1, sizeof *items);
    if (!copy || !items) {
        free(copy);
        free((void *)items);
        return -ENOMEM;
    }
    laxity_format(copy, length + 1, "%s", text);
    unsigned n = 0;
    char *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        items[n++] = word;
    }
    free(options->words_text);
    free((void *)options->words.items);
    options->words_text = copy;
    options->words = (struct laxity_words){items, n};
    return 0;
}

static int store_launcher(const char *text, struct laxity_rtbench_options *options)
{
    struct laxity_words *launcher = &options->launcher;
    char *copy = strdup(text);
    char **items =
        (char **)realloc((void *)launcher->items, (launcher->n + 1) * sizeof *launcher->items);
    if (items) {
        launcher->items = items;
    }
    if (!copy || !items) {
        free(copy);
        return -ENOMEM;
    }
    items[launcher->n++] = copy;
    return 0;
}

static int store_help(const char *text, struct laxity_rtbench_options *options)
{
    (void)text;
    options->question = LAXITY_RTBENCH_HELP;
    return 0;
}

static int store_usage(const char *text, struct laxity_rtbench_options *options)
{
    (void)text;
    options->question = LAXITY_RTBENCH_USAGE;
    return 0;
}

static int store_profiling(const char *text, struct laxity_rtbench_options *options)
{
    uint64_t number = 0;
    const int rc = laxity_parse_count(text, 0, INT64_MAX, &number);
    if (rc == 0) {
        options->is_profiling = number > 0;
    }
    return rc;
}

static int store_profiling_cpu(const char *text, struct laxity_rtbench_options *options)
{
    uint64_t cpu = 0;
    const int rc = laxity_parse_count(text, 0, LAXITY_CPUS_MAX - 1, &cpu);
    if (rc == 0) {
        options->profiling_cpu = (int32_t)cpu;
    }
    return rc;
}

static int store_profiling_bucket(const char *text, struct laxity_rtbench_options *options)
{
    uint64_t bucket_ns = 0;
    const int rc = laxity_parse_count(text, bucket_min_ns, bucket_max_ns, &bucket_ns);
    if (rc == 0) {
        options->profiling_bucket_ns = (int64_t)bucket_ns;
    }
    return rc;
}

#define SECONDS "write seconds, as in 0.001"
#define NANOSECONDS "write nanoseconds without a unit, as in 1000000"

static const struct option_row rows[] = {
    {'p', "period", "SECONDS", store_period, SECONDS, "between releases; required", NULL},
    {'d', "deadline", "SECONDS", store_deadline, SECONDS, "at most the period [the period]", NULL},
    {'t',
     "tasks-number",
     "N",
     store_jobs,
     "write a number",
     "jobs to start; 0 = until SIGINT [0]",
     NULL},
    {'c',
     "core-affinity",
     "CPU,CPU...",
     store_cpus,
     "write CPU numbers, as in 0,2",
     "CPUs of the jobs [those of the caller]",
     NULL},
    {'f',
     "fifo",
     "PRIORITY",
     store_priority,
     "write 1 to 99",
     "SCHED_FIFO, 1-99 [the ordinary scheduler]",
     NULL},
    {'P',
     "sched-period",
     "NS",
     store_sched_period,
     NANOSECONDS,
     "SCHED_DEADLINE of this period; not with -f",
     NULL},
    {'D',
     "sched-deadline",
     "NS",
     store_sched_deadline,
     NANOSECONDS,
     "its deadline; needs -P [that of -P]",
     NULL},
    {'T',
     "sched-runtime",
     "NS",
     store_sched_runtime,
     NANOSECONDS,
     "its runtime; needs -P [that of -D]",
     NULL},
    {'m',
     "mem-limit",
     "BYTES[KMG]",
     store_memory_limit,
     "write bytes, as in 65536, 64K or 1M",
     "limit of dynamic memory, prefaulted before job 0 (in laxity run: --heap) [0 = none]",
     NULL},
    {'H',
     "heap-location",
     "ADDRESS|FILE",
     NULL,
     NULL,
     "where the heap lies",
     "the heap stays the C library's; map that memory in benchmark_init, or leave -H out"},
    {'l',
     "log-level",
     "1-5",
     store_level,
     "write 1, 2, 3, 4 or 5",
     "1 errors, 2 CSV file, 3 CSV on stdout, 4 for people, 5 debug [3]",
     NULL},
    {'o', "output", "PATH", store_path, "write a path", "CSV file of -l 2 [./timing.csv]", NULL},
    {'g',
     "configuration-file",
     "PATH",
     NULL,
     NULL,
     "file of options by long name, as JSON: {\"period\": 0.01, \"fifo\": 90}",
     NULL},
    {'M',
     "memory-profiling-enable",
     "0|1",
     store_profiling,
     "write 0 or 1",
     "count in jobs and within them; NAME_perf_profile.csv beside the CSV [0]",
     NULL},
    {'C',
     "memory-profiling-core",
     "CPU",
     store_profiling_cpu,
     "write one CPU number",
     "where -M reads the counters [a CPU without the task]",
     NULL},
    {'B',
     "memory-profiling-time-bucket",
     "NS",
     store_profiling_bucket,
     "write nanoseconds without a unit, 100000 (100 us) or more",
     "how often -M reads them [10000000]",
     NULL},
    {'b',
     "bmark-args",
     "'WORD WORD...'",
     store_words,
     "write one quoted string",
     "the workload's words, quoted, last",
     NULL},
    {VALUE_LAUNCHER,
     "launcher",
     "WORD",
     store_launcher,
     "write a program",
     "ours: starts the jobs' process, as an emulator; repeated: its options",
     NULL},
    {'h', "help", NULL, store_help, NULL, "this text; also -?", NULL},
    {VALUE_USAGE, "usage", NULL, store_usage, NULL, "the options in short", NULL},
};

enum {
    ROW_COUNT = sizeof rows / sizeof rows[0]
};

static bool has_letter(const struct option_row *row)
{
    return row->letter < VALUE_USAGE;
}

static const struct option_row *find_row(int letter)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].letter == letter) {
            return &rows[i];
        }
    }
    return NULL;
}

static int
refuse_value(const struct option_row *row, const char *text, int rc, struct laxity_error *error)
{
    if (rc == -ENOMEM) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory");
    }
    return laxity_refuse(
        error,
        LAXITY_EXIT_USAGE,
        "-%c %.60s: %s; %s",
        row->letter,
        text,
        rc == -ERANGE ? "out of range" : "not understood",
        row->hint
    );
}

static int take_value(
    const struct option_row *row,
    const char *text,
    struct laxity_rtbench_options *options,
    struct laxity_error *error
)
{
    if (row->missing) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "-%c (--%s): %s", row->letter, row->name, row->missing
        );
    }
    const int rc = row->store(text, options);
    return rc ? refuse_value(row, text, rc, error) : 0;
}

/* One member of the file of -g: what could stand on the command line, but no other file. */
static int
take_member(void *context, const char *name, const char *value, struct laxity_error *error)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct option_row *row = &rows[i];
        if (strcmp(row->name, name) == 0 && row->metavar && row->letter != CONFIG_LETTER) {
            return take_value(row, value, context, error);
        }
    }
    return laxity_refuse(
        error, LAXITY_EXIT_USAGE, "\"%.40s\" is no option; see -h for the long names", name
    );
}

static int refuse_option(int seen, const char *word, struct laxity_error *error)
{
    if (seen == ':') {
        const struct option_row *lacking = find_row(optopt);
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "%.60s needs a value: %s",
            word,
            lacking ? lacking->metavar : "see -h"
        );
    } else if (optopt > 0 && strncmp(word, "--", 2) != 0) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "unknown option -%c; see -h", optopt);
    } else {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "unknown option %.60s; see -h", word);
    }
    return -1;
}

/* `seen` is what getopt answered, `word` the word it stood at. */
static int take_option(
    int seen, const char *word, struct laxity_rtbench_options *options, struct laxity_error *error
)
{
    const struct option_row *row = find_row(seen);
    if (!row && seen != ':' && optopt == '?') {
        return store_help(NULL, options);
    }
    if (!row) {
        return refuse_option(seen, word, error);
    }
    const char *text = optarg ? optarg : "";
    if (row->letter == CONFIG_LETTER) {
        return laxity_rtbench_config_read(text, take_member, options, error);
    }
    return take_value(row, text, options, error);
}

static int check_times(struct laxity_rtbench_options *options, struct laxity_error *error)
{
    if (options->period_ns < 0) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "no period; write -p SECONDS (see -h), or use `laxity run`, where times have units"
        );
    }
    if (options->period_ns == 0) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "-p 0: jobs back to back are not in this build; write a period"
        );
    }
    if (options->period_ns < period_min_ns) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "-p: a period of %lld ns is below 1 us; choose a longer one",
            (long long)options->period_ns
        );
    }
    if (options->deadline_ns == 0) {
        options->deadline_ns = options->period_ns;
    }
    if (options->deadline_ns > options->period_ns) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "-d: deadline %lld ns is longer than period %lld ns; shorten it",
            (long long)options->deadline_ns,
            (long long)options->period_ns
        );
    }
    return 0;
}

static void fill_getopt_tables(char *letters, struct option *longs)
{
    *letters++ = ':'; /* a missing value is told from an unknown option */
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const int has_value = rows[i].metavar ? required_argument : no_argument;
        longs[i] = (struct option){rows[i].name, has_value, NULL, rows[i].letter};
        if (has_letter(&rows[i])) {
            *letters++ = (char)rows[i].letter;
            if (rows[i].metavar) {
                *letters++ = ':';
            }
        }
    }
    *letters = '\0';
    /* As in RT-Bench, whose only option with this beginning it is. */
    longs[ROW_COUNT] = (struct option){"l", required_argument, NULL, 'l'};
    longs[ROW_COUNT + 1] = (struct option){0};
}

int laxity_rtbench_options_parse(
    int argc, char **argv, struct laxity_rtbench_options *out_options, struct laxity_error *error
)
{
    *out_options = (struct laxity_rtbench_options){
        .period_ns = -1,
        .level = LAXITY_RTBENCH_STDOUT,
        .profiling_cpu = -1,
        .profiling_bucket_ns = bucket_default_ns,
    };
    char letters[2 * ROW_COUNT + 2];
    struct option longs[ROW_COUNT + 2];
    fill_getopt_tables(letters, longs);
    optind = 0; /* glibc: start anew */
    opterr = 0;
    for (;;) {
        optopt = 0;
        optarg = NULL;
        const int at = optind == 0 ? 1 : optind;
        /* NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread exists */
        const int seen = getopt_long(argc, argv, letters, longs, NULL);
        if (seen == -1) {
            break;
        }
        const int last = optind > 1 ? optind - 1 : at;
        if (take_option(seen, argv[last], out_options, error)) {
            return -1;
        }
        if (out_options->question != LAXITY_RTBENCH_RUN) {
            return 0;
        }
    }
    if (optind < argc) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "unexpected word \"%.60s\"; the workload's words stand in one quoted string after -b",
            argv[optind]
        );
    }
    if (!out_options->csv_path && store_path(LAXITY_RTBENCH_CSV_PATH, out_options)) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory");
    }
    if (check_times(out_options, error)) {
        return -1;
    }
    const bool has_fifo = out_options->priority > 0;
    return laxity_rtbench_complete_reservation(&out_options->reservation, has_fifo, error);
}

void laxity_rtbench_options_free(struct laxity_rtbench_options *options)
{
    free(options->csv_path);
    free(options->words_text);
    free((void *)options->words.items);
    for (unsigned i = 0; i < options->launcher.n; i++) {
        free(options->launcher.items[i]);
    }
    free((void *)options->launcher.items);
    *options = (struct laxity_rtbench_options){.question = LAXITY_RTBENCH_RUN,
                                               .level = LAXITY_RTBENCH_ERRORS};
}

void laxity_rtbench_print_help(const char *name)
{
    (void)printf(
        "Usage: %s -p SECONDS [OPTIONS] [-b 'WORD WORD...']\n\n"
        "Run this workload as a periodic task, with RT-Bench's options and output.\n"
        "`laxity run %s` has more: several tasks, interference, reports, times with units.\n\n",
        name,
        name
    );
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct option_row *row = &rows[i];
        char left[HELP_BYTES];
        char letter[] = "    ";
        if (has_letter(row)) {
            laxity_format(letter, sizeof letter, "-%c, ", row->letter);
        }
        laxity_format(
            left, sizeof left, "  %s--%s %s", letter, row->name, row->metavar ? row->metavar : ""
        );
        (void)printf(
            "%-*s %s%s\n", HELP_COLUMN, left, row->help, row->missing ? " (not in this build)" : ""
        );
    }
}

void laxity_rtbench_print_usage(const char *name)
{
    (void)printf("Usage: %s", name);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct option_row *row = &rows[i];
        if (row->missing) {
            continue;
        }
        if (has_letter(row)) {
            (void)printf(" [-%c", row->letter);
        } else {
            (void)printf(" [--%s", row->name);
        }
        if (row->metavar) {
            (void)printf(" %s", row->metavar);
        }
        (void)putchar(']');
    }
    (void)putchar('\n');
}
