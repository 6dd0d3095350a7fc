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

#include "base/lists.h"
#include "schema/streams.h"

#include <stddef.h>
#include <stdint.h>

/* laxity_migration_roles - the roles of a pair in an order that `random` decides; returns how many
 */
size_t laxity_migration_roles(
    const struct laxity_cpu_pair *pair, uint64_t *random, uint8_t roles[LAXITY_MIGRATION_ROLE_COUNT]
);

#endif
