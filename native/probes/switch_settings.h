/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What probe "switch" is asked for, and how many rows that makes. */
#ifndef LAXITY_PROBES_SWITCH_SETTINGS_H
#define LAXITY_PROBES_SWITCH_SETTINGS_H

#include "base/error.h"
#include "base/port/time.h"
#include "probes/probe.h"
#include "schema/probes.h"

#include <stdint.h>

enum {
    /* Many ticks of any kernel in one window of spinning, and the CPU is free again soon. */
    LAXITY_SWITCH_WINDOW_NS = 40 * LAXITY_NS_PER_MS,
    /* Rounds of exchange between two pauses; an evicting one takes about a millisecond. */
    LAXITY_SWITCH_BATCH_ROUNDS = 60,
    LAXITY_SWITCH_EVICTING_ROUNDS = 14,
    /* In most such windows of an idle machine there is one interrupt at most. */
    LAXITY_SWITCH_IRQ_NS = LAXITY_NS_PER_MS,
};

/* laxity_switch_check - choose the CPUs that are woken where none are named, as probe.h says */
int laxity_switch_check(void *settings, struct laxity_error *error);

/* laxity_switch_count_rows - of all CPUs, at most */
uint64_t laxity_switch_count_rows(const struct laxity_probe_plan *plan);

/* laxity_switch_count_windows - of spinning, per CPU */
uint64_t laxity_switch_count_windows(const struct laxity_switch_settings *settings);

/* laxity_switch_count_batches - of so many rounds that make up the repetitions */
uint64_t laxity_switch_count_batches(uint64_t repetitions, uint64_t rounds);

#endif
