/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The memory that a probe passes over. */
#ifndef LAXITY_PROBES_WORKING_SET_H
#define LAXITY_PROBES_WORKING_SET_H

#include "base/lists.h"
#include "probes/probe.h"

#include <stddef.h>

/* laxity_largest_size - the largest of sizes, and at least `least` */
size_t laxity_largest_size(const struct laxity_numbers *sizes_bytes, size_t least);

/*
 * laxity_map_inherited - zeros that forked processes share, touched by the caller
 *
 * Shared memory is of small pages, so that probes whose figures are compared use the same kind.
 * Returns NULL where there is none; unmapped (munmap) by the caller.
 */
void *laxity_map_inherited(size_t bytes);

/* laxity_refuse_working_set - tell that there is no memory for it. Returns -1 with error set. */
int laxity_refuse_working_set(struct laxity_probe_run *run, size_t bytes);

#endif
