/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-probe migration_jobs [OPTIONS] */
#include "base/error.h"
#include "base/port/time.h"
#include "cli/options.h"
#include "cli/probe_options.h"
#include "cli/probe_words.h"
#include "harness/plan.h"
#include "probes/migration_jobs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHANGE_DEFAULT = 9,
    CHANGE_MAX = 1000000
};

struct migration_jobs_options {
    struct laxity_words sizes;
    bool has_cpu;
    uint64_t change;
    int64_t pause_ns;
};

static const struct migration_jobs_options defaults = {
    .change = CHANGE_DEFAULT,
    .pause_ns = LAXITY_NS_PER_MS,
};

#define AT(member) .offset = offsetof(struct migration_jobs_options, member)

static const struct laxity_option options[] = {
    {.name = "--size",
     .metavar = "SIZE",
     .kind = LAXITY_OPTION_WORD,
     AT(sizes),
     .help = "of a working set of workload MEM; may be repeated"},
    {.name = "--primes",
     .kind = LAXITY_OPTION_FLAG,
     AT(has_cpu),
     .help = "also workload CPU: primes up to two limits in turn"},
    {.name = "--change",
     .metavar = "N",
     .default_text = "9",
     .kind = LAXITY_OPTION_COUNT,
     AT(change),
     .low = 1,
     .high = CHANGE_MAX,
     .help = "jobs on one CPU, about; how many is drawn each time"},
    {.name = "--pause",
     .metavar = "TIME",
     .default_text = "1ms",
     .kind = LAXITY_OPTION_DURATION,
     AT(pause_ns),
     .low = 0,
     .high = LAXITY_NS_PER_S,
     .help = "between two jobs, or as long as a job takes"},
};

static const struct laxity_option_table table = {
    "Options of migration_jobs", options, sizeof options / sizeof options[0]
};

static int take_settings(const void *from, void *to, struct laxity_error *error)
{
    const struct migration_jobs_options *given = from;
    struct laxity_migration_jobs_settings *settings = to;
    settings->has_cpu = given->has_cpu;
    settings->change = given->change;
    settings->pause_ns = given->pause_ns;
    if (given->sizes.n > 0) {
        return laxity_take_sizes(
            "--size", &given->sizes, &settings->sizes_bytes, &settings->n_sizes, error
        );
    }
    if (!given->has_cpu) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "no workload; add --size 64KiB or --primes");
    }
    return 0;
}

static void free_members(void *settings)
{
    laxity_migration_jobs_settings_free(settings);
}

const struct laxity_probe_command laxity_migration_jobs_command = {
    .probe = &laxity_probe_migration_jobs,
    .table = &table,
    .given_bytes = sizeof(struct migration_jobs_options),
    .defaults = &defaults,
    .settings_bytes = sizeof(struct laxity_migration_jobs_settings),
    .take = take_settings,
    .free_members = free_members,
};
