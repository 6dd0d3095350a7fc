/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-probe switch [OPTIONS] */
#include "base/cpus.h"
#include "base/error.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "cli/options.h"
#include "cli/probe_options.h"
#include "cli/probe_words.h"
#include "harness/plan.h"
#include "probes/switch.h"
#include "probes/switch_settings.h"

#include <stddef.h>
#include <stdint.h>

struct switch_options {
    struct laxity_words quantities;
    struct laxity_cpus to;
    uint64_t evict_bytes;
    int64_t spin_ns;
};

static const struct switch_options defaults = {
    .evict_bytes = UINT64_C(4) << 20,
    .spin_ns = INT64_C(2) * LAXITY_NS_PER_S,
};

#define AT(member) .offset = offsetof(struct switch_options, member)

static const struct laxity_option options[] = {
    {.name = "--quantity",
     .metavar = "WHAT",
     .default_text = "preemption",
     .kind = LAXITY_OPTION_WORD,
     AT(quantities),
     .help = "preemption, sync, timer, release, spin, wakeup, kernel, irq; may be repeated"},
    {.name = "--to",
     .metavar = "LIST",
     .default_text = "all that the caller may use",
     .kind = LAXITY_OPTION_CPUS,
     AT(to),
     .help = "CPUs that are woken from each measured one"},
    {.name = "--evict-size",
     .metavar = "SIZE",
     .default_text = "4MiB",
     .kind = LAXITY_OPTION_SIZE,
     AT(evict_bytes),
     .low = 1024,
     .high = INT64_C(1) << 36,
     .help = "buffer that is written in the worst case"},
    {.name = "--spin",
     .metavar = "TIME",
     .default_text = "2s",
     .kind = LAXITY_OPTION_DURATION,
     AT(spin_ns),
     .low = LAXITY_NS_PER_MS,
     .high = INT64_C(3600) * LAXITY_NS_PER_S,
     .help = "how long gaps are looked for, per CPU"},
};

static const struct laxity_option_table table = {
    "Options of switch", options, sizeof options / sizeof options[0]
};

static int take_settings(const void *from, void *to, struct laxity_error *error)
{
    static const char *const quantities[] = {
        "preemption", "sync", "timer", "release", "spin", "wakeup", "kernel", "irq", NULL
    };
    const struct switch_options *given = from;
    struct laxity_switch_settings *settings = to;
    settings->to = given->to;
    settings->evict_bytes = given->evict_bytes;
    settings->spin_ns = given->spin_ns;
    if (laxity_cpus_is_empty(&settings->to) && laxity_get_affinity(&settings->to)) {
        return laxity_refuse(
            error, LAXITY_EXIT_LACKING, "cannot tell the CPUs; name them with --to"
        );
    }
    return laxity_take_choices(
        "--quantity", &given->quantities, quantities, settings->has_quantity, error
    );
}

const struct laxity_probe_command laxity_switch_command = {
    .probe = &laxity_probe_switch,
    .table = &table,
    .given_bytes = sizeof(struct switch_options),
    .defaults = &defaults,
    .settings_bytes = sizeof(struct laxity_switch_settings),
    .take = take_settings,
};
