/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "migration_jobs": jobs of a task that changes its CPU every few jobs, while an ordinary
 * task on every CPU uses a working set of the same size.
 *
 * Between two jobs the task sleeps and the other one runs, so each job follows a preemption; the
 * first one after a change of CPU follows a migration, too. The change comes before the sleep, so
 * that nothing but the place of the lines is different then. What follows from the rows is computed
 * elsewhere (python/laxity/costs/migration_jobs/rows.py).
 *
 * Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", section III.B and
 * figures 8 to 13; they time jobs by the kernel's switches, we by the task's own clock.
 */
#ifndef LAXITY_PROBES_MIGRATION_JOBS_H
#define LAXITY_PROBES_MIGRATION_JOBS_H

#include "probes/probe.h"
#include "schema/streams.h"

#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_MIGRATION_JOBS_LIMITS = 2, /* of the search for primes, alternating */
};

struct laxity_migration_jobs_settings {
    uint64_t *sizes_bytes; /* of MEM; freed by laxity_migration_jobs_settings_free */
    size_t n_sizes;
    bool has_cpu;     /* CPU comes first */
    uint64_t change;  /* jobs on one CPU: about so many, drawn each time */
    int64_t pause_ns; /* between two jobs at least; never less than a job took */
};

extern const struct laxity_probe laxity_probe_migration_jobs;

void laxity_migration_jobs_settings_free(struct laxity_migration_jobs_settings *settings);

#endif
