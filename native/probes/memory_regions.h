/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The memory that the arrays of probe "memory_latency" lie in: one mapping per node. */
#ifndef LAXITY_PROBES_MEMORY_REGIONS_H
#define LAXITY_PROBES_MEMORY_REGIONS_H

#include "base/port/pages.h"
#include "probes/memory_latency.h"
#include "probes/probe.h"

#include <stddef.h>
#include <stdint.h>

/* The memory of one node. */
struct laxity_memory_region {
    struct laxity_pages pages;
    int32_t node;
};

/* laxity_memory_largest - bytes of the largest array that is measured */
size_t laxity_memory_largest(const struct laxity_memory_settings *settings);

/*
 * laxity_memory_map_regions - map one region per node, or a single one where none is asked for
 *
 * Returns 0, or -1 with shared->error set; what was mapped until then is unmapped by the caller,
 * with laxity_pages_unmap, in either case.
 */
int laxity_memory_map_regions(
    struct laxity_probe_run *run, struct laxity_memory_region *regions, size_t n
);

#endif
