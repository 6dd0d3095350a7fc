/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-probe crpd [OPTIONS] */
#include "base/error.h"
#include "base/port/flush.h"
#include "base/port/time.h"
#include "cli/options.h"
#include "cli/probe_options.h"
#include "cli/probe_words.h"
#include "codegen/isa.h"
#include "harness/plan.h"
#include "probes/crpd.h"
#include "probes/crpd_patterns.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crpd_options {
    struct laxity_words sizes;
    struct laxity_words cases;
    struct laxity_words evicts;
    struct laxity_words patterns;
    struct laxity_words evict_sizes;
    int64_t preemption_ns;
};

#define AT(member) .offset = offsetof(struct crpd_options, member)

static const struct laxity_option options[] = {
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
     .help = "write, read (data), flush, execute (code); may be repeated"},
    {.name = "--pattern",
     .metavar = "HOW",
     .default_text = "sequential",
     .kind = LAXITY_OPTION_WORD,
     AT(patterns),
     .help = "of a pass: sequential, chase (random order); of code: code, jumps; may be repeated"},
    {.name = "--evict-size",
     .metavar = "SIZE",
     .default_text = "4MiB",
     .kind = LAXITY_OPTION_WORD,
     AT(evict_sizes),
     .help = "what the preemptor writes, reads or executes; may be repeated"},
    {.name = "--preemption",
     .metavar = "TIME",
     .default_text = "as long as evicting takes",
     .kind = LAXITY_OPTION_DURATION,
     AT(preemption_ns),
     .low = 0,
     .high = LAXITY_NS_PER_S / 2,
     .help = "the preemptor runs at least so long"},
};

static const struct laxity_option_table table = {
    "Options of crpd", options, sizeof options / sizeof options[0]
};

static const char *const evicts[] = {"write", "read", "flush", "execute", NULL};
static const char *const patterns[] = {"sequential", "chase", "code", "jumps", NULL};

/* Whether something that was asked for is served by something else that was asked for. */
static bool is_served(const struct laxity_crpd_settings *settings, int evict, int pattern)
{
    for (int i = 0; i < (int)LAXITY_CRPD_EVICT_COUNT * (int)LAXITY_CRPD_PATTERN_COUNT; i++) {
        const int one_evict = i / LAXITY_CRPD_PATTERN_COUNT;
        const int one_pattern = i % LAXITY_CRPD_PATTERN_COUNT;
        if ((one_evict == evict || one_pattern == pattern) && settings->has_evict[one_evict] &&
            settings->has_pattern[one_pattern] &&
            laxity_crpd_serves(
                (enum laxity_crpd_evict)one_evict, (enum laxity_crpd_pattern)one_pattern
            )) {
            return true;
        }
    }
    return false;
}

/* Nothing that was asked for may be left out in silence. Returns 0, or -1 with error set. */
static int check_served(const struct laxity_crpd_settings *settings, struct laxity_error *error)
{
    enum {
        NONE = -1
    };
    for (int i = 0; i < LAXITY_CRPD_EVICT_COUNT; i++) {
        if (settings->has_evict[i] && !is_served(settings, i, NONE)) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "--evict %s: serves %s only; add such a --pattern",
                evicts[i],
                i == LAXITY_CRPD_EVICT_EXECUTE ? "code and jumps" : "sequential and chase"
            );
        }
    }
    for (int i = 0; i < LAXITY_CRPD_PATTERN_COUNT; i++) {
        if (settings->has_pattern[i] && !is_served(settings, NONE, i)) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "--pattern %s: no way to evict that serves it; add --evict write",
                patterns[i]
            );
        }
    }
    return 0;
}

/* What this build lacks. Returns 0, or -1 with error set. */
static int check_build(const struct laxity_crpd_settings *settings, struct laxity_error *error)
{
    if (settings->has_evict[LAXITY_CRPD_EVICT_FLUSH] && !laxity_can_flush()) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "--evict flush: this build knows no instruction that flushes a line; use write"
        );
    }
    if ((settings->has_pattern[LAXITY_CRPD_PATTERN_CODE] ||
         settings->has_pattern[LAXITY_CRPD_PATTERN_JUMPS]) &&
        !laxity_isa_host()) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "--pattern code, jumps: this build writes no code for its processor; use chase"
        );
    }
    return 0;
}

static int take_settings(const void *from, void *to, struct laxity_error *error)
{
    static const char *const cases[] = {"synchronous", "asynchronous", NULL};
    const struct crpd_options *given = from;
    struct laxity_crpd_settings *settings = to;
    char default_size[] = "4MiB";
    char *default_evict_size[] = {default_size};
    const struct laxity_words defaults = {.items = default_evict_size, .n = 1};
    const struct laxity_words *evict_sizes =
        given->evict_sizes.n == 0 ? &defaults : &given->evict_sizes;
    settings->preemption_ns = (uint64_t)given->preemption_ns;
    if (laxity_take_needed_sizes(
            "working set", &given->sizes, &settings->sizes_bytes, &settings->n_sizes, error
        ) ||
        laxity_take_sizes(
            "--evict-size", evict_sizes, &settings->evict_bytes, &settings->n_evict_bytes, error
        ) ||
        laxity_take_choices("--case", &given->cases, cases, settings->has_case, error) ||
        laxity_take_choices("--evict", &given->evicts, evicts, settings->has_evict, error) ||
        laxity_take_choices(
            "--pattern", &given->patterns, patterns, settings->has_pattern, error
        )) {
        return -1;
    }
    return check_served(settings, error) ? -1 : check_build(settings, error);
}

static void free_members(void *settings)
{
    laxity_crpd_settings_free(settings);
}

const struct laxity_probe_command laxity_crpd_command = {
    .probe = &laxity_probe_crpd,
    .table = &table,
    .given_bytes = sizeof(struct crpd_options),
    .settings_bytes = sizeof(struct laxity_crpd_settings),
    .take = take_settings,
    .free_members = free_members,
};
