/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/switch_settings.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/sched.h"
#include "probes/probe.h"
#include "probes/switch_partner.h"
#include "probes/switch_stamps.h"
#include "schema/probes.h"
#include "schema/run.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stdint.h>

int laxity_switch_check(void *from, struct laxity_error *error)
{
    struct laxity_switch_settings *settings = from;
    if (laxity_cpus_is_empty(&settings->to) && laxity_get_affinity(&settings->to)) {
        return laxity_refuse(
            error, LAXITY_EXIT_LACKING, "cannot tell the CPUs; name them with --to"
        );
    }
    return 0;
}

uint64_t laxity_switch_count_windows(const struct laxity_switch_settings *settings)
{
    return (uint64_t)(settings->spin_ns + LAXITY_SWITCH_WINDOW_NS - 1) / LAXITY_SWITCH_WINDOW_NS;
}

uint64_t laxity_switch_count_batches(uint64_t repetitions, uint64_t rounds)
{
    return (repetitions + rounds - 1) / rounds;
}

/* CPUs other than `cpu` that it wakes. */
static unsigned count_to(const struct laxity_switch_settings *settings, unsigned cpu)
{
    return laxity_cpus_count(&settings->to) - (laxity_cpus_has(&settings->to, cpu) ? 1U : 0U);
}

static uint64_t
count_rows_of_cpu(const struct laxity_switch_settings *settings, uint64_t repetitions, unsigned cpu)
{
    const bool *has = settings->has_quantity;
    const uint64_t timed = (has[LAXITY_SWITCH_QUANTITY_PREEMPTION] ? 2U : 0U) +
                           (has[LAXITY_SWITCH_QUANTITY_TIMER] ? 1U : 0U) +
                           (has[LAXITY_SWITCH_QUANTITY_RELEASE] ? 4U : 0U);
    uint64_t rows = timed * repetitions;
    if (has[LAXITY_SWITCH_QUANTITY_SYNC]) {
        rows += laxity_switch_count_batches(repetitions, LAXITY_SWITCH_BATCH_ROUNDS) *
                LAXITY_SWITCH_BATCH_ROUNDS;
        rows += laxity_switch_count_batches(repetitions, LAXITY_SWITCH_EVICTING_ROUNDS) *
                LAXITY_SWITCH_EVICTING_ROUNDS;
    }
    if (has[LAXITY_SWITCH_QUANTITY_WAKEUP]) {
        const uint64_t to_each =
            laxity_switch_count_batches(repetitions, LAXITY_SWITCH_BATCH_ROUNDS) *
                LAXITY_SWITCH_BATCH_ROUNDS +
            LAXITY_SWITCH_ROUNDS_MAX;
        rows += to_each * count_to(settings, cpu);
    }
    if (has[LAXITY_SWITCH_QUANTITY_KERNEL]) {
        /* In each case a control, and what is observed with the tasks' stamps. */
        rows += (uint64_t)3 * LAXITY_SWITCH_CASE_COUNT * repetitions;
    }
    if (has[LAXITY_SWITCH_QUANTITY_SPIN]) {
        rows += laxity_switch_count_windows(settings) * (LAXITY_GAPS_MAX + 1); /* at most */
    }
    if (has[LAXITY_SWITCH_QUANTITY_IRQ]) {
        rows += (uint64_t)settings->spin_ns / LAXITY_SWITCH_IRQ_NS + 1; /* at most */
    }
    return rows;
}

uint64_t laxity_switch_count_rows(const struct laxity_probe_plan *plan)
{
    uint64_t rows = 0;
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        if (laxity_cpus_has(&plan->cpus, cpu)) {
            rows += count_rows_of_cpu(plan->settings, plan->repetitions, cpu);
        }
    }
    return rows;
}
