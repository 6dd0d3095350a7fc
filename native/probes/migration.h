/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "migration": what a task loses by going on on another CPU.
 *
 * A task passes over its working set until it is warm, goes to another CPU, and passes over it
 * there. Roles that go nowhere, sleep instead, or go and come back tell apart what the move itself,
 * the rest, and the cold caches of the other CPU take. What follows from the rows is computed
 * elsewhere (python/laxity/analysis/migration.py).
 *
 * Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", section III.B; the
 * controls and their random order are ours.
 */
#ifndef LAXITY_PROBES_MIGRATION_H
#define LAXITY_PROBES_MIGRATION_H

#include "probes/crpd.h"
#include "probes/probe.h"

#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_MIGRATION_PASSES = 6, /* after the event */
};

/* Two roles do the same, so that their difference tells what the figures cannot resolve. */
enum laxity_migration_role {
    LAXITY_MIGRATION_STAY,    /* asks the kernel for the CPU that it is on */
    LAXITY_MIGRATION_MOVE,    /* goes to the other CPU; its memory stays on its node */
    LAXITY_MIGRATION_CONTROL, /* stays, too */
    LAXITY_MIGRATION_SLEEP,   /* sleeps where it is, as long as moving took last */
    LAXITY_MIGRATION_RETURN,  /* goes to the other CPU and back at once, to caches that are warm */
    LAXITY_MIGRATION_FETCH,   /* as move, and takes its memory along to the node of the other CPU */
    LAXITY_MIGRATION_ROLES
};

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
    bool has_pattern[LAXITY_CRPD_PATTERNS];
};

/* One row of migration.npy, as it lies in the file. */
struct laxity_migration_row {
    int64_t time_ns; /* the event begins */
    uint64_t working_set_bytes;
    int64_t event_ns; /* from asking to going on: the move, the sleep, or the call alone */
    int64_t warm_ns;  /* the last pass before */
    int64_t pass_ns[LAXITY_MIGRATION_PASSES];
    int32_t cpu;
    int32_t cpu_to;
    int32_t node; /* where the memory lies during the passes; smallest value: no nodes here */
    uint16_t role;
    uint16_t pattern;
};

extern const struct laxity_probe laxity_probe_migration;

/* laxity_migration_roles - the roles of a pair in an order that `random` decides; returns how many
 */
size_t laxity_migration_roles(
    const struct laxity_migration_pair *pair,
    uint64_t *random,
    uint8_t roles[LAXITY_MIGRATION_ROLES]
);

void laxity_migration_settings_free(struct laxity_migration_settings *settings);

#endif
