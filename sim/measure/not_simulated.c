/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What probes find on a machine and a simulated platform does not have. */
#include "base/error.h"
#include "probes/interfering.h"
#include "probes/probe.h"
#include "probes/switch_quantities.h"
#include "probes/switch_victim.h"

#include <stddef.h>
#include <stdint.h>

int laxity_switch_measure_kernel(struct laxity_switch_victim *victim)
{
    laxity_probe_add_fallback(
        victim->run, "switch_kernel", "nothing", "no Linux records switches on it"
    );
    return 0;
}

int laxity_interfering_start(
    struct laxity_probe_run *run,
    const uint32_t *cpus,
    size_t n_cpus,
    size_t largest,
    struct laxity_interfering *interfering
)
{
    (void)cpus;
    (void)n_cpus;
    (void)largest;
    (void)interfering;
    return laxity_refuse(
        &run->shared->error, LAXITY_EXIT_LACKING, "migration_jobs cannot be simulated yet"
    );
}

void laxity_interfering_use(struct laxity_interfering *interfering, size_t bytes)
{
    (void)interfering;
    (void)bytes;
}

uint32_t laxity_interfering_passes(const struct laxity_interfering *interfering, size_t at)
{
    (void)interfering;
    (void)at;
    return 0;
}

void laxity_interfering_stop(struct laxity_interfering *interfering)
{
    (void)interfering;
}

uint32_t laxity_count_primes(uint32_t limit)
{
    (void)limit;
    return 0;
}
