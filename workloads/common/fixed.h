/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Integer arithmetic of the vision workloads: what would be libm, and random numbers.
 *
 * No floating point anywhere: a result must be the same, bit by bit, on every instruction set.
 */
#ifndef LAXITY_WORKLOADS_FIXED_H
#define LAXITY_WORKLOADS_FIXED_H

#include "random.h" // IWYU pragma: export

#include <stdint.h>

enum {
    Q14_ONE = 1 << 14,
    Q16_ONE = 1 << 16,
    /* Angles are fractions of a turn, so that they wrap round as integers do. */
    QUARTER_TURN = 1 << 14
};

/* Uniform in [low, high] but for a bias below (high - low) / 2^32; low <= high. */
int32_t workload_random_between(uint64_t *state, int32_t low, int32_t high);

/* Approximately normal with mean 0 and a standard deviation of 2^12: see fixed.c. */
int32_t workload_random_normal_q12(uint64_t *state);

/* The same 32 bits for the same three numbers, unrelated otherwise. */
uint32_t workload_hash(uint64_t seed, uint32_t x, uint32_t y);

/* The largest root with root * root <= value. */
uint32_t workload_square_root(uint64_t value);

/* exp(-x) with 16 bits after the point, both ways; error below 1 of 2^16. */
uint32_t workload_exp_minus_q16(uint32_t x_q16);

/* out[0] = cos, out[1] = sin, with 14 bits after the point; error at most 1 of 2^14. */
void workload_cos_sin_q14(uint16_t angle, int32_t out[2]);

/* The angle of (x, y) in 2^-16 turns, error at most 1; 0 for (0, 0). |x| and |y| < 2^28. */
uint16_t workload_angle_of(int32_t x, int32_t y);

#endif
