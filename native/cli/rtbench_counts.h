/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What RT-Bench counts in each job, in the order of its columns. */
#ifndef LAXITY_CLI_RTBENCH_COUNTS_H
#define LAXITY_CLI_RTBENCH_COUNTS_H

#include "base/error.h"
#include "counters/event.h"

#include <stdint.h>
#include <stdio.h>

enum laxity_rtbench_count {
    LAXITY_RTBENCH_L1_REFERENCES,
    LAXITY_RTBENCH_L1_REFILLS,
    LAXITY_RTBENCH_L2_REFERENCES,
    LAXITY_RTBENCH_L2_REFILLS,
    LAXITY_RTBENCH_INSTRUCTIONS,
    LAXITY_RTBENCH_CYCLES,
    LAXITY_RTBENCH_COUNTS,
};

/* Of one job or sample; INT64_MIN = not counted. */
struct laxity_rtbench_counted {
    int64_t values[LAXITY_RTBENCH_COUNTS];
};

/*
 * laxity_rtbench_resolve_counts - the events, as the kernel is told
 *
 * Where this processor has no event of its second level by the kernel's own names, the last level
 * is counted in its place, as RT-Bench does for CORE_I7. Returns 0, or -1 with error set.
 */
int laxity_rtbench_resolve_counts(
    struct laxity_event out_events[LAXITY_RTBENCH_COUNTS], struct laxity_error *error
);

/* laxity_rtbench_scaled - what a counter that took turns would have counted all the time. INT64_MIN
 * stays. */
int64_t laxity_rtbench_scaled(int64_t value, float scale_ratio);

/* laxity_rtbench_print_count - as a number, or `nan` if it was not counted */
void laxity_rtbench_print_count(FILE *out, int64_t value);

#endif
