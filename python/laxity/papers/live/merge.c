/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * merge: keys are made and sorted bottom up, from one array into the other and back; then the
 * median is taken, and both arrays are dead.
 */
#include <stdint.h>

enum {
    KEYS = 1024,
};

static uint32_t seed;
static uint32_t first[KEYS];
static uint32_t second[KEYS];
static uint32_t median;

static void make_keys(void)
{
    uint32_t state = seed;
    for (int i = 0; i < KEYS; i++) {
        state = state * 1664525U + 1013904223U; /* Numerical Recipes, ranqd1 */
        first[i] = state >> 8;
    }
}

static void merge(const uint32_t *from, uint32_t *to, int run)
{
    int left = 0;
    int right = run;
    for (int i = 0; i < KEYS; i++) {
        const int pair = i / (2 * run) * 2 * run;
        if (i == pair) {
            left = pair;
            right = pair + run;
        }
        const int takes_left =
            right >= pair + 2 * run || (left < pair + run && from[left] <= from[right]);
        to[i] = takes_left ? from[left] : from[right];
        left += takes_left;
        right += 1 - takes_left;
    }
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
    make_keys();
    for (int run = 1; run < KEYS; run *= 4) {
        merge(first, second, run);
        merge(second, first, 2 * run);
    }
    median = first[KEYS / 2];
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    (void)median;
}
