/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/probe_options.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/flush.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "cli/options.h"
#include "harness/plan.h"
#include "probes/crpd.h"
#include "probes/probe.h"

#include <laxity/units.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    PRIORITY_DEFAULT = 80,
    PRIORITY_MAX = 98, /* the preemptor has one more */
    FD_MAX = 1 << 20,
    REPETITIONS_DEFAULT = 60,
    REPETITIONS_MAX = 1000000,
    /* A pass over less would be shorter than reading the clock. */
    SIZE_MIN_BYTES = 1024,
};
static const int64_t timeout_default_ns = INT64_C(600) * LAXITY_NS_PER_S;
static const uint64_t size_max_bytes = UINT64_C(1) << 36;

struct probe_options {
    const char *run_dir;
    struct laxity_cpus cpus;
    struct laxity_words sizes;
    struct laxity_words cases;
    struct laxity_words evicts;
    struct laxity_words patterns;
    struct laxity_words evict_sizes;
    uint64_t repetitions;
    uint64_t seed;
    uint64_t priority;
    uint64_t progress_fd;
    uint64_t parent_fd;
    int64_t preemption_ns;
    int64_t timeout_ns;
    bool is_unprivileged_allowed;
};

#define AT(member) .offset = offsetof(struct probe_options, member)

static const struct laxity_option options[] = {
    {.name = "--run-dir",
     .metavar = "DIR",
     .kind = LAXITY_OPTION_TEXT,
     AT(run_dir),
     .help = "where the stream is written; made if it does not exist"},
    {.name = "--cpus",
     .letter = 'c',
     .metavar = "LIST",
     .default_text = "the last one that the caller may use",
     .kind = LAXITY_OPTION_CPUS,
     AT(cpus),
     .help = "measured one after the other"},
    {.name = "--size",
     .metavar = "SIZE",
     .kind = LAXITY_OPTION_WORD,
     AT(sizes),
     .help = "of a working set; may be repeated"},
    {.name = "--case",
     .metavar = "CASE",
     .default_text = "synchronous",
     .kind = LAXITY_OPTION_WORD,
     AT(cases),
     .help = "synchronous, asynchronous; may be repeated"},
    {.name = "--evict",
     .metavar = "HOW",
     .default_text = "write",
     .kind = LAXITY_OPTION_WORD,
     AT(evicts),
     .help = "write, read, flush; may be repeated"},
    {.name = "--pattern",
     .metavar = "HOW",
     .default_text = "sequential",
     .kind = LAXITY_OPTION_WORD,
     AT(patterns),
     .help = "of a pass: sequential, chase (random order); may be repeated"},
    {.name = "--evict-size",
     .metavar = "SIZE",
     .default_text = "4MiB",
     .kind = LAXITY_OPTION_WORD,
     AT(evict_sizes),
     .help = "what the preemptor writes or reads; may be repeated"},
    {.name = "--preemption",
     .metavar = "TIME",
     .default_text = "as long as evicting takes",
     .kind = LAXITY_OPTION_DURATION,
     AT(preemption_ns),
     .low = 0,
     .high = LAXITY_NS_PER_S / 2,
     .help = "the preemptor runs at least so long"},
    {.name = "--repetitions",
     .metavar = "N",
     .default_text = "60",
     .kind = LAXITY_OPTION_COUNT,
     AT(repetitions),
     .low = 1,
     .high = REPETITIONS_MAX,
     .help = "observations of each kind, beside two spinning ones each"},
    {.name = "--priority",
     .letter = 'f',
     .metavar = "N",
     .default_text = "80",
     .kind = LAXITY_OPTION_COUNT,
     AT(priority),
     .low = 1,
     .high = PRIORITY_MAX,
     .help = "of the victim, 1-98; the preemptor has one more"},
    {.name = "--seed",
     .metavar = "N",
     .default_text = "1",
     .kind = LAXITY_OPTION_COUNT,
     AT(seed),
     .high = INT64_MAX,
     .help = "of the order in which evicting and spinning alternate"},
    {.name = "--timeout",
     .metavar = "TIME",
     .default_text = "10m",
     .kind = LAXITY_OPTION_DURATION,
     AT(timeout_ns),
     .low = LAXITY_NS_PER_MS,
     .high = INT64_C(24) * 3600 * LAXITY_NS_PER_S,
     .help = "the measurement is ended, then killed"},
    {.name = "--allow-unprivileged",
     .kind = LAXITY_OPTION_FLAG,
     AT(is_unprivileged_allowed),
     .help = "FIFO where permitted, else OTHER"},
    {.name = "--progress-fd",
     .metavar = "FD",
     .kind = LAXITY_OPTION_COUNT,
     AT(progress_fd),
     .high = FD_MAX,
     .help = "write `progress ROWS 0 NS` lines to FD"},
    {.name = "--parent-fd",
     .metavar = "FD",
     .kind = LAXITY_OPTION_COUNT,
     AT(parent_fd),
     .high = FD_MAX,
     .help = "end when the other end of this pipe is closed"},
};

static const struct laxity_option_table crpd_table = {
    "Options of crpd", options, sizeof options / sizeof options[0]
};
static const struct laxity_option_table *const tables[] = {&crpd_table};

const struct laxity_tool laxity_probe_tool = {
    .name = "laxity-probe",
    .usage = "laxity-probe crpd --run-dir DIR --size SIZE [OPTIONS]",
    .summary = "Measure what a preemption costs and write every observation.",
    .tables = tables,
    .n_tables = sizeof tables / sizeof tables[0],
};

/* One of `names`, which ends with NULL. Returns its index, or -1 with error set. */
static int take_choice(
    const char *option, const char *word, const char *const *names, struct laxity_error *error
)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], word) == 0) {
            return i;
        }
    }
    laxity_error_set(
        error, LAXITY_EXIT_USAGE, "%s: unknown value \"%.60s\"; see --help", option, word
    );
    return -1;
}

static int take_choices(
    const char *option,
    const struct laxity_words *words,
    const char *const *names,
    bool *out_flags,
    struct laxity_error *error
)
{
    if (words->n == 0) {
        out_flags[0] = true;
    }
    for (size_t i = 0; i < words->n; i++) {
        const int index = take_choice(option, words->items[i], names, error);
        if (index < 0) {
            return -1;
        }
        out_flags[index] = true;
    }
    return 0;
}

static int take_sizes(
    const char *option,
    const struct laxity_words *words,
    uint64_t **out_sizes,
    size_t *out_n,
    struct laxity_error *error
)
{
    uint64_t *sizes = calloc(words->n, sizeof *sizes);
    if (!sizes) {
        laxity_error_set(error, LAXITY_EXIT_LACKING, "no memory for the list of sizes");
        return -1;
    }
    *out_sizes = sizes;
    for (size_t i = 0; i < words->n; i++) {
        const int rc = laxity_parse_bytes(words->items[i], &sizes[i]);
        if (rc || sizes[i] < SIZE_MIN_BYTES || sizes[i] > size_max_bytes) {
            laxity_error_set(
                error,
                LAXITY_EXIT_USAGE,
                "%s \"%.60s\": %s; write 64KiB",
                option,
                words->items[i],
                rc ? "no size" : "not within 1KiB to 64GiB"
            );
            return -1;
        }
        ++*out_n;
    }
    return 0;
}

static int take_settings(
    const struct probe_options *given,
    struct laxity_crpd_settings *settings,
    struct laxity_error *error
)
{
    static const char *const cases[] = {"synchronous", "asynchronous", NULL};
    static const char *const evicts[] = {"write", "read", "flush", NULL};
    static const char *const patterns[] = {"sequential", "chase", NULL};
    char default_size[] = "4MiB";
    char *default_evict_size[] = {default_size};
    const struct laxity_words defaults = {.items = default_evict_size, .n = 1};
    const struct laxity_words *evict_sizes =
        given->evict_sizes.n == 0 ? &defaults : &given->evict_sizes;
    settings->repetitions = given->repetitions;
    settings->preemption_ns = (uint64_t)given->preemption_ns;
    if (given->sizes.n == 0) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "no working set; add --size 64KiB");
        return -1;
    }
    if (take_sizes("--size", &given->sizes, &settings->sizes_bytes, &settings->n_sizes, error) ||
        take_sizes(
            "--evict-size", evict_sizes, &settings->evict_bytes, &settings->n_evict_bytes, error
        ) ||
        take_choices("--case", &given->cases, cases, settings->has_case, error) ||
        take_choices("--evict", &given->evicts, evicts, settings->has_evict, error) ||
        take_choices("--pattern", &given->patterns, patterns, settings->has_pattern, error)) {
        return -1;
    }
    if (settings->has_evict[LAXITY_CRPD_FLUSH] && !laxity_can_flush()) {
        laxity_error_set(
            error,
            LAXITY_EXIT_LACKING,
            "--evict flush: this build knows no instruction that flushes a line; use write"
        );
        return -1;
    }
    return 0;
}

static int default_cpus(struct laxity_cpus *cpus, struct laxity_error *error)
{
    struct laxity_cpus allowed;
    if (!laxity_cpus_is_empty(cpus)) {
        return 0;
    }
    if (laxity_get_affinity(&allowed)) {
        laxity_error_set(error, LAXITY_EXIT_LACKING, "cannot tell the CPUs; name one with --cpus");
        return -1;
    }
    for (unsigned cpu = LAXITY_CPUS_MAX; cpu-- > 0;) {
        if (laxity_cpus_has(&allowed, cpu)) {
            laxity_cpus_add(cpus, cpu);
            return 0;
        }
    }
    return 0;
}

static void free_words(struct probe_options *given)
{
    free((void *)given->sizes.items);
    free((void *)given->cases.items);
    free((void *)given->evicts.items);
    free((void *)given->patterns.items);
    free((void *)given->evict_sizes.items);
}

static int take_all(
    struct probe_options *given, struct laxity_probe_request *request, struct laxity_error *error
)
{
    if (!given->run_dir) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "no --run-dir");
        return -1;
    }
    if (take_settings(given, &request->crpd, error) || default_cpus(&given->cpus, error)) {
        return -1;
    }
    request->plan = (struct laxity_probe_plan){
        .run_dir = given->run_dir,
        .cpus = given->cpus,
        .seed = given->seed,
        .timeout_ns = given->timeout_ns,
        .priority = (int)given->priority,
        .progress_fd = given->progress_fd > 0 ? (int)given->progress_fd : -1,
        .parent_fd = given->parent_fd > 0 ? (int)given->parent_fd : -1,
        .is_unprivileged_allowed = given->is_unprivileged_allowed,
        .settings = &request->crpd,
    };
    return 0;
}

int laxity_probe_options_parse(
    int argc, char **argv, struct laxity_probe_request *out_request, struct laxity_error *error
)
{
    *out_request = (struct laxity_probe_request){.probe = &laxity_probe_crpd};
    if (argc < 1 || strcmp(argv[0], "crpd") != 0) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "unknown probe \"%.60s\"; use crpd", argc < 1 ? "" : argv[0]
        );
        return -1;
    }
    struct probe_options given = {
        .repetitions = REPETITIONS_DEFAULT,
        .seed = 1,
        .priority = PRIORITY_DEFAULT,
        .timeout_ns = timeout_default_ns,
    };
    const int used = laxity_options_parse(&crpd_table, argc - 1, argv + 1, &given, error);
    int rc = used < 0 ? -1 : 0;
    if (rc == 0 && used + 1 < argc) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "unexpected word \"%.60s\"; see --help", argv[used + 1]
        );
        rc = -1;
    }
    rc = rc ? rc : take_all(&given, out_request, error);
    free_words(&given);
    return rc;
}

void laxity_probe_options_free(struct laxity_probe_request *request)
{
    laxity_crpd_settings_free(&request->crpd);
}
