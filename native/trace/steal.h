/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* How much of each CPU's time the host of a virtual machine took: a bound of what no trace sees. */
#ifndef LAXITY_TRACE_STEAL_H
#define LAXITY_TRACE_STEAL_H

#include "base/cpus.h"

#include <stdint.h>

/* Clock ticks since boot; UINT64_MAX = not told. */
struct laxity_steal {
    uint64_t ticks[LAXITY_CPUS_MAX];
};

/* laxity_steal_parse - from the text of /proc/stat; lines that are no CPU's are passed over */
void laxity_steal_parse(const char *text, struct laxity_steal *out_steal);

/* laxity_steal_read - as it is now. Returns 0 or -errno; nothing is told then. */
int laxity_steal_read(struct laxity_steal *out_steal);

/* laxity_steal_between_ns - taken from a CPU between two readings; LAXITY_ABSENT_NS = not told */
int64_t laxity_steal_between_ns(
    const struct laxity_steal *before, const struct laxity_steal *after, unsigned cpu
);

/* laxity_steal_resolution_ns - one clock tick */
int64_t laxity_steal_resolution_ns(void);

#endif
