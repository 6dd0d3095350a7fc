/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "memory_latency": how long an access takes, against the size of the array that is used.
 *
 * Per CPU, node of the memory and size, each repetition takes other physical pages and another
 * random order, and times one batch of each case. What follows from the times is computed elsewhere
 * (python/laxity/analysis/memory_latency.py).
 *
 * Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", section III.B and
 * figures 4 and 5: 4096 reads and writes at random indices of an increasingly larger array. Chase
 * and streams are ours.
 */
#ifndef LAXITY_PROBES_MEMORY_LATENCY_H
#define LAXITY_PROBES_MEMORY_LATENCY_H

#include "probes/probe.h"

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

/* In the order in which they are measured: what destroys the chain comes last. */
enum laxity_memory_case {
    LAXITY_MEMORY_CHASE, /* each access names the next one: nothing overlaps */
    LAXITY_MEMORY_READ,  /* at random indices that are known before: as many overlap as can */
    LAXITY_MEMORY_WRITE,
    LAXITY_MEMORY_STREAM_READ, /* from the first byte to the last one */
    LAXITY_MEMORY_STREAM_WRITE,
    LAXITY_MEMORY_STREAM_COPY, /* the lower half to the upper one */
    LAXITY_MEMORY_CASES
};

struct laxity_memory_settings {
    uint64_t *sizes_bytes; /* freed by laxity_memory_settings_free */
    size_t n_sizes;
    int32_t *nodes; /* freed likewise; none: wherever the kernel lets it lie */
    size_t n_nodes;
    uint64_t line_bytes; /* from one element of the chain to the next possible one */
    bool has_case[LAXITY_MEMORY_CASES];
    bool is_huge; /* transparent huge pages */
};

/* One row of memory_latency.npy, as it lies in the file. */
struct laxity_memory_row {
    int64_t time_ns; /* the batch began */
    uint64_t working_set_bytes;
    int64_t elapsed_ns; /* of the batch, raw: with one reading of the clock */
    int64_t empty_ns;   /* of a batch without accesses, just before */
    uint64_t accesses;  /* streams: lines of 64 bytes; a copied line counts once */
    int32_t cpu;
    int32_t node;
    uint32_t repetition;
    uint16_t line_bytes;
    uint8_t access_case;
    uint8_t pages; /* 0 ordinary, 1 huge */
};

extern const struct laxity_probe laxity_probe_memory_latency;

void laxity_memory_settings_free(struct laxity_memory_settings *settings);

#endif
