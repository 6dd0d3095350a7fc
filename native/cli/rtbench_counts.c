/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/rtbench_counts.h"

#include "base/error.h"
#include "counters/event.h"
#include "counters/events.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* One of two names: the second where this processor has no counterpart of the first. */
static int resolve_either(
    const char *name, const char *other, struct laxity_event *event, struct laxity_error *error
)
{
    if (laxity_event_resolve(name, event, error)) {
        return -1;
    }
    const int is_there = event->platform_event[0] != '\0';
    return is_there ? 0 : laxity_event_resolve(other, event, error);
}

int laxity_rtbench_resolve_counts(
    struct laxity_event out_events[LAXITY_RTBENCH_COUNTS], struct laxity_error *error
)
{
    static const char *const names[LAXITY_RTBENCH_COUNTS][2] = {
        [LAXITY_RTBENCH_L1_REFERENCES] = {"l1d_access", "l1d_access"},
        [LAXITY_RTBENCH_L1_REFILLS] = {"l1d_refill", "l1d_refill"},
        [LAXITY_RTBENCH_L2_REFERENCES] = {"l2_access", "llc_access"},
        [LAXITY_RTBENCH_L2_REFILLS] = {"l2_refill", "llc_refill"},
        [LAXITY_RTBENCH_INSTRUCTIONS] = {"instructions", "instructions"},
        [LAXITY_RTBENCH_CYCLES] = {"cycles", "cycles"},
    };
    for (unsigned i = 0; i < LAXITY_RTBENCH_COUNTS; i++) {
        if (resolve_either(names[i][0], names[i][1], &out_events[i], error)) {
            return -1;
        }
    }
    return 0;
}

int64_t laxity_rtbench_scaled(int64_t value, float scale_ratio)
{
    if (value == INT64_MIN || !(scale_ratio > 1.0F)) {
        return value;
    }
    return (int64_t)((double)value * (double)scale_ratio);
}

void laxity_rtbench_print_count(FILE *out, int64_t value)
{
    if (value == INT64_MIN) {
        (void)fputs("nan", out);
    } else {
        (void)fprintf(out, "%" PRId64, value);
    }
}
