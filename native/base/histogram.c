/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/histogram.h"

#include <stdint.h>

unsigned laxity_histogram_bucket(int64_t value_ns)
{
    if (value_ns < 0) {
        return 0;
    }
    const uint64_t value = (uint64_t)value_ns;
    if (value < LAXITY_HISTOGRAM_SUB) {
        return 1 + (unsigned)value;
    }
    const unsigned exponent = 63 - (unsigned)__builtin_clzll(value);
    const unsigned shift = exponent - LAXITY_HISTOGRAM_SUB_BITS;
    const unsigned sub = (unsigned)(value >> shift) & (LAXITY_HISTOGRAM_SUB - 1);
    return 1 + LAXITY_HISTOGRAM_SUB + shift * LAXITY_HISTOGRAM_SUB + sub;
}

void laxity_histogram_edges(unsigned bucket, int64_t *out_lower_ns, int64_t *out_upper_ns)
{
    if (bucket == 0) {
        *out_lower_ns = -1;
        *out_upper_ns = 0;
        return;
    }
    const unsigned index = bucket - 1;
    if (index < LAXITY_HISTOGRAM_SUB) {
        *out_lower_ns = (int64_t)index;
        *out_upper_ns = (int64_t)index + 1;
        return;
    }
    const unsigned shift = index / LAXITY_HISTOGRAM_SUB - 1;
    const uint64_t sub = index % LAXITY_HISTOGRAM_SUB;
    const uint64_t lower = (LAXITY_HISTOGRAM_SUB + sub) << shift;
    const uint64_t upper = lower + (UINT64_C(1) << shift);
    *out_lower_ns = (int64_t)lower;
    *out_upper_ns = upper > INT64_MAX ? INT64_MAX : (int64_t)upper;
}
