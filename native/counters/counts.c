/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "counters/counters.h"
#include "schema/run.h"

#include <stdint.h>

void laxity_counts_set_absent(struct laxity_counts *out_counts)
{
    for (unsigned i = 0; i < LAXITY_EVENTS_MAX; i++) {
        out_counts->values[i] = INT64_MIN;
        out_counts->scale_ratios[i] = __builtin_nanf("");
    }
}
