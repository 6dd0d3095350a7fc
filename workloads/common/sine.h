/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Sines in integers, the same on every platform. */
#ifndef LAXITY_WORKLOADS_SINE_H
#define LAXITY_WORKLOADS_SINE_H

#include <stdint.h>

/* Of phase / 2^32 turns, in 1/2^30; within 4 of the true value. A cosine is a quarter turn ahead.
 */
int32_t workload_sine(uint32_t phase);

#define WORKLOAD_QUARTER_TURN (UINT32_C(1) << 30)

#endif
