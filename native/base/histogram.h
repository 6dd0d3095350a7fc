/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Log-linear histogram of durations: 64 buckets per power of two, exact below 64 ns, so a bucket is
 * never wider than 1/64 of its lower edge. Counts are exact, whatever rows are kept.
 */
#ifndef LAXITY_BASE_HISTOGRAM_H
#define LAXITY_BASE_HISTOGRAM_H

#include <stdint.h>

enum {
    LAXITY_HISTOGRAM_SUB_BITS = 6,
    LAXITY_HISTOGRAM_SUB = 1 << LAXITY_HISTOGRAM_SUB_BITS,
    /* One bucket for negative values, 64 exact ones, 64 for each power of two from 2^6 to 2^62. */
    LAXITY_HISTOGRAM_BUCKETS =
        1 + LAXITY_HISTOGRAM_SUB + (63 - LAXITY_HISTOGRAM_SUB_BITS) * LAXITY_HISTOGRAM_SUB,
};

struct laxity_histogram {
    uint64_t counts[LAXITY_HISTOGRAM_BUCKETS];
};

/* laxity_histogram_bucket - index of the bucket that holds value_ns */
unsigned laxity_histogram_bucket(int64_t value_ns);

/* laxity_histogram_edges - [lower, upper) of a bucket; the first one is [-1, 0) and holds
 * everything negative */
void laxity_histogram_edges(unsigned bucket, int64_t *out_lower_ns, int64_t *out_upper_ns);

#endif
