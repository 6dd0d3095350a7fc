/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sine.h"

#include <stdint.h>

/* A quarter turn in radians, pi / 2 * 2^30. */
#define QUARTER_RADIANS UINT64_C(1686629713)

enum {
    FRACTION_BITS = 30,
    /* x^15 / 15! at pi / 2 is 6.7e-10, less than 2^-30: the first term left out. */
    HIGHEST_POWER = 13
};

int32_t workload_sine(const uint32_t phase)
{
    const uint32_t place = phase % WORKLOAD_QUARTER_TURN;
    const unsigned quarter = phase / WORKLOAD_QUARTER_TURN;
    const uint64_t rising = quarter % 2 == 0 ? place : WORKLOAD_QUARTER_TURN - place;
    const uint64_t angle = rising * QUARTER_RADIANS >> FRACTION_BITS;
    const uint64_t square = angle * angle >> FRACTION_BITS;
    uint64_t factor = UINT64_C(1) << FRACTION_BITS;

    /* x (1 - x^2 / (2 * 3) (1 - x^2 / (4 * 5) (...))): no factor leaves (0, 1], so unsigned does.
     */
    for (uint64_t power = HIGHEST_POWER; power > 1; power -= 2) {
        factor = (UINT64_C(1) << FRACTION_BITS) -
                 (square * factor >> FRACTION_BITS) / (power * (power - 1));
    }
    const int32_t sine = (int32_t)(angle * factor >> FRACTION_BITS);

    return quarter < 2 ? sine : -sine;
}
