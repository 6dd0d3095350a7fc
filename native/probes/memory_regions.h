/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The memory that the arrays of probe "memory_latency" lie in. */
#ifndef LAXITY_PROBES_MEMORY_REGIONS_H
#define LAXITY_PROBES_MEMORY_REGIONS_H

#include "base/port/pages.h"
#include "probes/probe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The memory of one node. */
struct laxity_memory_region {
    struct laxity_pages pages;
    int32_t node;
};

/*
 * laxity_memory_map_region - map `bytes` of a node, or of LAXITY_ANY_NODE
 *
 * Returns 0, or -1 with shared->error set; what was mapped is unmapped by the caller, with
 * laxity_pages_unmap, in either case.
 */
int laxity_memory_map_region(
    struct laxity_probe_run *run,
    size_t bytes,
    int32_t node,
    bool is_huge,
    struct laxity_memory_region *out_region
);

#endif
