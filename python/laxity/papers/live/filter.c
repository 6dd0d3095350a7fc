/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * filter: a signal is made, smoothed, thinned out, and its energy summed up. After each step the
 * array of the step before is dead.
 */
#include <stdint.h>

enum {
    SAMPLES = 2048,
    TAPS = 8,
    EVERY = 4,
};

static uint32_t seed;
static int32_t signal[SAMPLES];
static int32_t smooth[SAMPLES];
static int32_t thin[SAMPLES / EVERY];
static int32_t energy;

static const int32_t weights[TAPS] = {1, 7, 21, 35, 35, 21, 7, 1};

static void make_signal(void)
{
    uint32_t state = seed;
    for (int i = 0; i < SAMPLES; i++) {
        state = state * 1664525U + 1013904223U; /* Numerical Recipes, ranqd1 */
        signal[i] = (int32_t)(state >> 20) - 2048;
    }
}

static void smooth_signal(void)
{
    for (int i = 0; i < SAMPLES; i++) {
        int32_t sum = 0;
        for (int tap = 0; tap < TAPS; tap++) {
            sum += weights[tap] * signal[(i + tap) % SAMPLES];
        }
        smooth[i] = sum / 128;
    }
}

static void thin_out(void)
{
    for (int i = 0; i < SAMPLES / EVERY; i++) {
        thin[i] = smooth[i * EVERY];
    }
}

static void sum_up(void)
{
    int32_t sum = 0;
    for (int i = 0; i < SAMPLES / EVERY; i++) {
        sum += thin[i] * thin[i] / 1024;
    }
    energy = sum;
}

int benchmark_init(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    seed = 1;
    return 0;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    make_signal();
    smooth_signal();
    thin_out();
    sum_up();
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    (void)energy;
}
