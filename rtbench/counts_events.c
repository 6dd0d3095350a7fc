/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Columns of counters. rtbench.mk asks the linker for the symbol, and so for this object, where a
 * port is built with CORE or FEAT_PERF=y. */
#include "harness/workload_ops.h"

#include <stdbool.h>

extern const char laxity_rtbench_counts_events;
const char laxity_rtbench_counts_events = 1;

__attribute__((constructor)) static void set_ops(void)
{
    laxity_workload_ops()->counts_events = true;
}
