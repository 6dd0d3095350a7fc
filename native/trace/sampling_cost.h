/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What a sample takes from whatever runs: the same work with and without samples, in turns.
 *
 * The work is a loop in registers, so that this is the time of the interrupt alone. A program whose
 * caches the kernel's code and data push out loses more.
 */
#ifndef LAXITY_TRACE_SAMPLING_COST_H
#define LAXITY_TRACE_SAMPLING_COST_H

#include "base/error.h"
#include "trace/event_sampler.h"

#include <stdint.h>

enum {
    LAXITY_SAMPLING_PAIRS = 200,
};

struct laxity_sampling_pair {
    int64_t without_ns;
    int64_t with_ns;
    uint64_t samples; /* that came in the second one */
};

/*
 * laxity_measure_sampling_cost - pairs of the same work, on the CPU of the caller
 *
 * Pairs in which the caller lost its CPU are made again, for two seconds at most: then there are
 * fewer than LAXITY_SAMPLING_PAIRS. Interrupts come by the timer, whatever is asked for. Returns 0,
 * or -1 with error set (exit 3).
 */
int laxity_measure_sampling_cost(
    const struct laxity_sampling *asked,
    struct laxity_sampling_pair *out_pairs,
    unsigned *out_n,
    struct laxity_error *error
);

#endif
