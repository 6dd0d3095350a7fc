/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "crpd": what a preemption costs the caches of the task that it preempts.
 *
 * A victim passes over its working set; a preemptor on the same CPU, one priority above it, either
 * evicts lines or spins equally long. Per observation the stream holds one warm pass before the
 * preemption and the passes after it. What follows from them is computed elsewhere
 * (python/laxity/costs/crpd/rows.py).
 *
 * Source: Sebek, "The real cost of task pre-emptions", section 3.5; the two kinds of preemptor and
 * their random order are ours.
 */
#ifndef LAXITY_PROBES_CRPD_H
#define LAXITY_PROBES_CRPD_H

#include "probes/probe.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct laxity_crpd_settings {
    uint64_t *sizes_bytes; /* freed by laxity_crpd_settings_free */
    size_t n_sizes;
    uint64_t *evict_bytes; /* what the preemptor writes, reads or executes; freed likewise */
    size_t n_evict_bytes;
    uint64_t preemption_ns; /* it lasts at least so long; 0: as long as evicting takes */
    bool has_case[LAXITY_CRPD_CASE_COUNT];
    bool has_evict[LAXITY_CRPD_EVICT_COUNT];
    bool has_pattern[LAXITY_CRPD_PATTERN_COUNT];
};

extern const struct laxity_probe laxity_probe_crpd;

void laxity_crpd_settings_free(struct laxity_crpd_settings *settings);

#endif
