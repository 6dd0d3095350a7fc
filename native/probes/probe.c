/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/probe.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/time.h"
#include "probes/machine.h"
#include "schema/run.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    FULL_PAUSE_NS = LAXITY_NS_PER_MS
};

bool laxity_probe_is_stopped(const struct laxity_probe_run *run)
{
    return atomic_load_explicit(&run->shared->is_stopped, memory_order_relaxed) != 0;
}

bool laxity_probe_add_row(struct laxity_probe_run *run, const void *row)
{
    const uint32_t at = atomic_load_explicit(&run->shared->rows, memory_order_relaxed);
    if (at >= run->rows_max || !laxity_probe_is_in_place(run)) {
        return false;
    }
    while (at - atomic_load_explicit(&run->shared->written, memory_order_acquire) >=
           LAXITY_PROBE_RING_ROWS) {
        if (laxity_probe_is_stopped(run)) {
            return false;
        }
        laxity_pause_ns(FULL_PAUSE_NS);
    }
    const size_t row_bytes = run->probe->row_bytes;
    memcpy(run->rows + at % LAXITY_PROBE_RING_ROWS * row_bytes, row, row_bytes);
    atomic_store_explicit(&run->shared->rows, at + 1, memory_order_release);
    return !laxity_probe_is_stopped(run);
}

void laxity_probe_add_fallback(
    struct laxity_probe_run *run, const char *what, const char *used, const char *reason
)
{
    struct laxity_probe_shared *shared = run->shared;
    const uint32_t n = atomic_load_explicit(&shared->n_fallbacks, memory_order_acquire);
    for (uint32_t i = 0; i < n; i++) {
        if (strncmp(shared->fallbacks[i].what, what, sizeof shared->fallbacks[i].what - 1) == 0) {
            return;
        }
    }
    if (n >= LAXITY_PROBE_FALLBACKS_MAX) {
        return;
    }
    struct laxity_probe_fallback *fallback = &shared->fallbacks[n];
    laxity_format(fallback->what, sizeof fallback->what, "%s", what);
    laxity_format(fallback->used, sizeof fallback->used, "%s", used);
    laxity_format(fallback->reason, sizeof fallback->reason, "%s", reason);
    atomic_store_explicit(&shared->n_fallbacks, n + 1, memory_order_release);
}

int laxity_probe_measure_cpus(
    struct laxity_probe_run *run, int (*measure_cpu)(struct laxity_probe_run *run, unsigned cpu)
)
{
    if (laxity_probe_enter_policy(run, (int)run->plan->priority)) {
        return -1;
    }
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        if (!laxity_cpus_has(&run->plan->cpus, cpu)) {
            continue;
        }
        run->worked_since_ns = laxity_machine_now_ns();
        int rc = laxity_probe_go_to(run, cpu);
        rc = rc ? rc : measure_cpu(run, cpu);
        if (rc) {
            return rc < 0 ? -1 : 0;
        }
    }
    return 0;
}
