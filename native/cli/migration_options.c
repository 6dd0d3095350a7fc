/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-probe migration [OPTIONS] */
#include "base/error.h"
#include "base/port/nodes.h"
#include "base/port/time.h"
#include "cli/options.h"
#include "cli/probe_options.h"
#include "cli/probe_words.h"
#include "harness/plan.h"
#include "probes/migration.h"
#include "schema/run.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    DECIMAL = 10
};

struct migration_options {
    struct laxity_words sizes;
    struct laxity_words pairs;
    struct laxity_words patterns;
    int64_t budget_ns;
};

static const struct migration_options defaults = {.budget_ns = INT64_C(45) * LAXITY_NS_PER_S};

#define AT(member) .offset = offsetof(struct migration_options, member)

static const struct laxity_option options[] = {
    {.name = "--size",
     .metavar = "SIZE",
     .kind = LAXITY_OPTION_WORD,
     AT(sizes),
     .help = "of a working set; may be repeated"},
    {.name = "--pair",
     .metavar = "CPU:CPU",
     .kind = LAXITY_OPTION_WORD,
     AT(pairs),
     .help = "from where, to where; may be repeated"},
    {.name = "--pattern",
     .metavar = "HOW",
     .default_text = "sequential",
     .kind = LAXITY_OPTION_WORD,
     AT(patterns),
     .help = "of a pass: sequential, chase (random order); may be repeated"},
    {.name = "--budget",
     .metavar = "TIME",
     .default_text = "45s",
     .kind = LAXITY_OPTION_DURATION,
     AT(budget_ns),
     .low = 0,
     .high = INT64_C(24) * 3600 * LAXITY_NS_PER_S,
     .help = "fewer than --repetitions, but at least 6, where they take longer"},
};

static const struct laxity_option_table table = {
    "Options of migration", options, sizeof options / sizeof options[0]
};

/* A CPU number at the start of `text`. Returns where it ends, or NULL. */
static const char *take_cpu(const char *text, uint32_t *out_cpu)
{
    char *end = NULL;
    if (*text < '0' || *text > '9') {
        return NULL;
    }
    errno = 0;
    const unsigned long cpu = strtoul(text, &end, DECIMAL);
    if (errno != 0 || cpu >= LAXITY_CPUS_MAX) {
        return NULL;
    }
    *out_cpu = (uint32_t)cpu;
    return end;
}

static int32_t node_of(uint32_t cpu)
{
    const int node = laxity_node_of_cpu(cpu);
    return node < 0 ? INT32_MIN : node;
}

static int
take_pair(const char *word, struct laxity_migration_pair *out_pair, struct laxity_error *error)
{
    struct laxity_migration_pair pair = {0};
    const char *rest = take_cpu(word, &pair.cpu);
    rest = rest && *rest == ':' ? take_cpu(rest + 1, &pair.cpu_to) : NULL;
    if (!rest || *rest != '\0' || pair.cpu == pair.cpu_to) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "--pair \"%.60s\": not two different CPUs below %d; write 0:1",
            word,
            LAXITY_CPUS_MAX
        );
    }
    pair.node = node_of(pair.cpu);
    pair.node_to = node_of(pair.cpu_to);
    *out_pair = pair;
    return 0;
}

static int take_pairs(
    const struct laxity_words *words,
    struct laxity_migration_settings *settings,
    struct laxity_error *error
)
{
    if (words->n == 0) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "no pair of CPUs; add --pair 0:1");
    }
    settings->pairs = calloc(words->n, sizeof *settings->pairs);
    if (!settings->pairs) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory for the list of pairs");
    }
    for (size_t i = 0; i < words->n; i++) {
        if (take_pair(words->items[i], &settings->pairs[i], error)) {
            return -1;
        }
    }
    settings->n_pairs = words->n;
    return 0;
}

static int take_settings(const void *from, void *to, struct laxity_error *error)
{
    static const char *const patterns[] = {"sequential", "chase", NULL};
    const struct migration_options *given = from;
    struct laxity_migration_settings *settings = to;
    settings->budget_ns = given->budget_ns;
    if (laxity_take_needed_sizes(
            "working set", &given->sizes, &settings->sizes_bytes, &settings->n_sizes, error
        ) ||
        take_pairs(&given->pairs, settings, error)) {
        return -1;
    }
    return laxity_take_choices(
        "--pattern", &given->patterns, patterns, settings->has_pattern, error
    );
}

static void free_members(void *settings)
{
    laxity_migration_settings_free(settings);
}

const struct laxity_probe_command laxity_migration_command = {
    .probe = &laxity_probe_migration,
    .table = &table,
    .given_bytes = sizeof(struct migration_options),
    .defaults = &defaults,
    .settings_bytes = sizeof(struct laxity_migration_settings),
    .take = take_settings,
    .free_members = free_members,
};
