/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/event_options.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/time.h"
#include "counters/events.h"
#include "harness/plan.h"
#include "harness/segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static int take_names(
    struct laxity_run_plan *plan, const struct laxity_words *names, struct laxity_error *error
)
{
    if (names->n > 0 && plan->snapshots != LAXITY_SNAPSHOTS_ALL) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "--event %.60s: counters are read with --snapshots all; use that, or leave events out",
            names->items[0]
        );
    }
    plan->n_events = names->n;
    return laxity_events_resolve(names->items, names->n, plan->events, error);
}

int laxity_take_events(
    const struct laxity_event_options *options,
    struct laxity_run_plan *plan,
    struct laxity_error *error
)
{
    if (take_names(plan, &options->names, error)) {
        return -1;
    }
    const bool is_sampling = options->sample_bucket_ns != LAXITY_ABSENT_NS;
    const unsigned n_cpus = laxity_cpus_count(&options->sample_cpus);
    plan->sample_bucket_ns = options->sample_bucket_ns;
    plan->sample_cpu = -1;
    const char *refusal = NULL;
    if (is_sampling && plan->n_events == 0) {
        refusal = "--sample-bucket: no event to sample; add --event NAME";
    } else if (!is_sampling && n_cpus > 0) {
        refusal = "--sample-cpu: nothing is sampled; add --sample-bucket TIME";
    } else if (n_cpus > 1) {
        refusal = "--sample-cpu: more than one CPU; write one number";
    }
    if (refusal) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "%s", refusal);
    }
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX && n_cpus == 1; cpu++) {
        if (laxity_cpus_has(&options->sample_cpus, cpu)) {
            plan->sample_cpu = (int32_t)cpu;
        }
    }
    return 0;
}
