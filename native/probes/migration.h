/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "migration": what a task loses by going on on another CPU.
 *
 * A task passes over its working set until it is warm, goes to another CPU, and passes over it
 * there. Roles that go nowhere, sleep instead, or go and come back tell apart what the move itself,
 * the rest, and the cold caches of the other CPU take. What follows from the rows is computed
 * elsewhere (python/laxity/costs/migration/rows.py).
 *
 * Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", section III.B; the
 * controls and their random order are ours.
 */
#ifndef LAXITY_PROBES_MIGRATION_H
#define LAXITY_PROBES_MIGRATION_H

#include "probes/crpd_patterns.h"
#include "probes/probe.h"
#include "schema/streams.h"

#include <stddef.h>
#include <stdint.h>

struct laxity_migration_pair {
    uint32_t cpu;
    uint32_t cpu_to;
    int32_t node; /* of the CPU; INT32_MIN where the kernel knows no nodes */
    int32_t node_to;
};

struct laxity_migration_settings {
    uint64_t *sizes_bytes; /* freed by laxity_migration_settings_free */
    size_t n_sizes;
    struct laxity_migration_pair *pairs; /* freed likewise */
    size_t n_pairs;
    int64_t budget_ns; /* no further repetition begins after so long, but for the first few */
    bool has_pattern[LAXITY_CRPD_PATTERN_COUNT];
};

extern const struct laxity_probe laxity_probe_migration;

/* laxity_migration_roles - the roles of a pair in an order that `random` decides; returns how many
 */
size_t laxity_migration_roles(
    const struct laxity_migration_pair *pair,
    uint64_t *random,
    uint8_t roles[LAXITY_MIGRATION_ROLE_COUNT]
);

void laxity_migration_settings_free(struct laxity_migration_settings *settings);

#endif
