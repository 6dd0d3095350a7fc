/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* One ordinary task on every CPU that uses a working set, or computes, whenever it may run. */
#ifndef LAXITY_PROBES_INTERFERING_H
#define LAXITY_PROBES_INTERFERING_H

#include "probes/probe.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    LAXITY_INTERFERING_PRIMES_BELOW = 1000, /* that are counted in a pass without memory */
};

struct laxity_interfering_shared;

struct laxity_interfering {
    struct laxity_interfering_shared *shared;
    size_t shared_bytes;
    pid_t *pids;
    size_t n;
};

/* laxity_count_primes - what computes: how many there are below `limit`, by trial division */
uint32_t laxity_count_primes(uint32_t limit);

/*
 * laxity_interfering_start - fork one task on each of `cpus`; they wait for the first use
 *
 * Called under an ordinary policy, which they keep; `largest` is what they may be told to use.
 * Returns 0, or -1 with error set; stopped by laxity_interfering_stop in either case.
 */
int laxity_interfering_start(
    struct laxity_probe_run *run,
    const uint32_t *cpus,
    size_t n_cpus,
    size_t largest,
    struct laxity_interfering *interfering
);

/* laxity_interfering_use - from now on a working set of `bytes`; 0: no memory, they compute */
void laxity_interfering_use(struct laxity_interfering *interfering, size_t bytes);

/* laxity_interfering_passes - how often the task on CPU number `at` of the list has finished; only
 * differences mean anything, the count wraps */
uint32_t laxity_interfering_passes(const struct laxity_interfering *interfering, size_t at);

void laxity_interfering_stop(struct laxity_interfering *interfering);

#endif
