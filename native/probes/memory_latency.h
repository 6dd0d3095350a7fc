/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "memory_latency": how long an access takes, against the size of the array that is used.
 *
 * Per CPU, node of the memory and size, each repetition takes other physical pages and another
 * random order, and times one batch of each case. What follows from the times is computed elsewhere
 * (python/laxity/costs/memory_latency/rows.py).
 *
 * Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", section III.B and
 * figures 4 and 5: 4096 reads and writes at random indices of an increasingly larger array. Chase
 * and streams are ours.
 */
#ifndef LAXITY_PROBES_MEMORY_LATENCY_H
#define LAXITY_PROBES_MEMORY_LATENCY_H

#include "probes/probe.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Of a batch, as in the paper. */
    LAXITY_MEMORY_ACCESSES = 4096,
    /* Streams are counted in these, whatever the line of the processor. */
    LAXITY_MEMORY_STREAM_LINE_BYTES = 64,
    LAXITY_MEMORY_LINE_MIN_BYTES = 16,
    LAXITY_MEMORY_LINE_MAX_BYTES = 1024,
};

struct laxity_memory_settings {
    uint64_t *sizes_bytes; /* freed by laxity_memory_settings_free */
    size_t n_sizes;
    int32_t *nodes; /* freed likewise; none: wherever the kernel lets it lie */
    size_t n_nodes;
    uint64_t line_bytes; /* from one element of the chain to the next possible one */
    bool has_case[LAXITY_MEMORY_CASE_COUNT];
    bool is_huge; /* transparent huge pages */
};

extern const struct laxity_probe laxity_probe_memory_latency;

void laxity_memory_settings_free(struct laxity_memory_settings *settings);

#endif
