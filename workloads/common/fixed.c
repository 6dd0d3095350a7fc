/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "fixed.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CORDIC_STEPS = 24,
    CORDIC_GAIN_Q30 = 652032874, /* 2^30 / product of sqrt(1 + 4^-i), i < CORDIC_STEPS */
    EXP_STEPS = 20,
    /* exp(-12) is below half of 2^-16. */
    EXP_END_Q16 = 12 << 16,
    NORMAL_SUMMANDS = 12
};

int32_t workload_random_between(uint64_t *const state, const int32_t low, const int32_t high)
{
    const uint64_t span = (uint64_t)((int64_t)high - low + 1);

    return (int32_t)(low + (int64_t)(((workload_next_random(state) >> 32) * span) >> 32));
}

/* The sum of twelve uniform numbers has variance 1 and looks normal within three deviations: Knuth,
 * "The art of computer programming", volume 2, exercise 3.4.1-10. */
int32_t workload_random_normal_q12(uint64_t *const state)
{
    int32_t sum = -(NORMAL_SUMMANDS / 2) * 4096;

    /* Five draws of 12 bits fit a number. */
    for (int i = 0; i < NORMAL_SUMMANDS; i += 4) {
        const uint64_t bits = workload_next_random(state);

        for (unsigned j = 0; j < 4; j++) {
            sum += (int32_t)((bits >> (12 * j)) & 0xfff);
        }
    }
    return sum;
}

uint32_t workload_hash(const uint64_t seed, const uint32_t x, const uint32_t y)
{
    uint64_t state = seed * UINT64_C(0x2545f4914f6cdd1d) + (((uint64_t)y << 32) | x);

    return (uint32_t)(workload_next_random(&state) >> 32);
}

/* Bit by bit from the top, as by hand: Warren, "Hacker's delight", section 11-1. */
uint32_t workload_square_root(uint64_t value)
{
    uint64_t root = 0;
    uint64_t bit = UINT64_C(1) << 62;

    while (bit > value) {
        bit >>= 2;
    }
    for (; bit != 0; bit >>= 2) {
        if (value >= root + bit) {
            value -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return (uint32_t)root;
}

/* The product of exp(-2^k) over the bits that x has. */
uint32_t workload_exp_minus_q16(const uint32_t x_q16)
{
    /* round(2^32 * exp(-2^(k - 16))) */
    static const uint32_t factors_q32[EXP_STEPS] = {
        0xffff0000, 0xfffe0002, 0xfffc0008, 0xfff80020, 0xfff00080, 0xffe00200, 0xffc007ff,
        0xff801ffb, 0xff007fd5, 0xfe01feab, 0xfc07f560, 0xf81fab54, 0xf07d5fde, 0xe1eb5127,
        0xc75f7cf5, 0x9b4597e3, 0x5e2d58d9, 0x22a55547, 0x04b0556e, 0x0015fc21,
    };
    uint64_t product_q32 = UINT64_C(1) << 32;

    if (x_q16 >= EXP_END_Q16) {
        return 0;
    }
    for (unsigned k = 0; k < EXP_STEPS; k++) {
        if ((x_q16 >> k & 1) != 0) {
            product_q32 = (product_q32 * factors_q32[k]) >> 32;
        }
    }
    return (uint32_t)((product_q32 + (1 << 15)) >> 16);
}

/* round(2^32 * atan(2^-i) / (2 pi)): the angles of CORDIC in 2^-32 turns. Volder, "The CORDIC
 * trigonometric computing technique", IRE Transactions on Electronic Computers, 1959. */
static const int32_t cordic_angles[CORDIC_STEPS] = {
    0x20000000, 0x12e4051e, 0x09fb385b, 0x051111d4, 0x028b0d43, 0x0145d7e1, 0x00a2f61e, 0x00517c55,
    0x0028be53, 0x00145f2f, 0x000a2f98, 0x000517cc, 0x00028be6, 0x000145f3, 0x0000a2fa, 0x0000517d,
    0x000028be, 0x0000145f, 0x00000a30, 0x00000518, 0x0000028c, 0x00000146, 0x000000a3, 0x00000051,
};

void workload_cos_sin_q14(const uint16_t angle, int32_t out[2])
{
    /* CORDIC reaches a quarter turn either way; the other half is its mirror. */
    const bool is_mirrored = angle > QUARTER_TURN && angle < 3 * QUARTER_TURN;
    const uint16_t near = is_mirrored ? (uint16_t)(angle + 2 * QUARTER_TURN) : angle;
    int64_t left = near >= 2 * QUARTER_TURN ? (int64_t)near - 4 * (int64_t)QUARTER_TURN : near;
    int32_t x = CORDIC_GAIN_Q30;
    int32_t y = 0;

    left *= Q16_ONE;
    for (int i = 0; i < CORDIC_STEPS; i++) {
        const int32_t sign = left < 0 ? -1 : 1;
        const int32_t turned = x - sign * (y >> i);

        y += sign * (x >> i);
        x = turned;
        left -= (int64_t)sign * cordic_angles[i];
    }
    x = (x + (1 << 15)) >> 16;
    y = (y + (1 << 15)) >> 16;
    out[0] = is_mirrored ? -x : x;
    out[1] = is_mirrored ? -y : y;
}

uint16_t workload_angle_of(const int32_t x, const int32_t y)
{
    int64_t u = x < 0 ? -(int64_t)x : x;
    int64_t v = x < 0 ? -(int64_t)y : y;
    int64_t angle = x < 0 ? INT64_C(1) << 31 : 0;

    if (x == 0 && y == 0) {
        return 0;
    }
    u *= INT64_C(1) << 32;
    v *= INT64_C(1) << 32;
    for (int i = 0; i < CORDIC_STEPS; i++) {
        const int64_t sign = v < 0 ? -1 : 1;
        const int64_t turned = u + sign * (v >> i);

        v -= sign * (u >> i);
        u = turned;
        angle += sign * cordic_angles[i];
    }
    return (uint16_t)((uint64_t)(angle + (1 << 15)) >> 16);
}
