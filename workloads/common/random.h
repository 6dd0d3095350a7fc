/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Pseudo-random numbers from a seed, the same on every platform.
 *
 * splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
 * Figure 17.
 */
#ifndef LAXITY_WORKLOADS_RANDOM_H
#define LAXITY_WORKLOADS_RANDOM_H

#include <stdint.h>

/*
 * workload_read_seed - the environment's LAXITY_SEED, 1 if there is none
 *
 * Returns 0; -EINVAL or -ERANGE, said on stderr, if it is no number of 64 bits.
 */
int workload_read_seed(const char *workload, uint64_t *out_seed);

/* The next number; the seed is the first `state`. */
uint64_t workload_next_random(uint64_t *state);

/* Uniform in [0, bound). */
uint64_t workload_random_below(uint64_t *state, uint64_t bound);

#endif
