/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * image: a picture is made, its histogram taken, the threshold found, and the picture written as
 * bits, of which the rows are counted. The picture is dead as soon as it is bits.
 */
#include <stdint.h>

enum {
    SIDE = 64,
    GREYS = 256,
    WORD_BITS = 32,
};

static uint32_t seed;
static uint8_t picture[SIDE * SIDE];
static uint16_t histogram[GREYS];
static uint32_t bits[SIDE * SIDE / WORD_BITS];
static uint16_t rows[SIDE];

static void make_picture(void)
{
    uint32_t state = seed;
    for (int i = 0; i < SIDE * SIDE; i++) {
        state = state * 1664525U + 1013904223U; /* Numerical Recipes, ranqd1 */
        picture[i] = (uint8_t)((state >> 25) + (uint32_t)(i % SIDE) * 2);
    }
}

static void take_histogram(void)
{
    for (int i = 0; i < GREYS; i++) {
        histogram[i] = 0;
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        histogram[picture[i]]++;
    }
}

static int find_threshold(void)
{
    int below = 0;
    int threshold = 0;
    for (int i = 0; i < GREYS; i++) {
        below += histogram[i];
        threshold = below <= SIDE * SIDE / 2 ? i : threshold;
    }
    return threshold;
}

static void write_bits(int threshold)
{
    for (int i = 0; i < SIDE * SIDE / WORD_BITS; i++) {
        uint32_t word = 0;
        for (int bit = 0; bit < WORD_BITS; bit++) {
            word = word << 1 | (picture[i * WORD_BITS + bit] > threshold ? 1U : 0U);
        }
        bits[i] = word;
    }
}

static void count_rows(void)
{
    for (int i = 0; i < SIDE; i++) {
        uint32_t set = 0;
        for (int word = 0; word < SIDE / WORD_BITS; word++) {
            for (uint32_t left = bits[i * (SIDE / WORD_BITS) + word]; left != 0; left >>= 1) {
                set += left & 1U;
            }
        }
        rows[i] = (uint16_t)set;
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
    make_picture();
    take_histogram();
    write_bits(find_threshold());
    count_rows();
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    (void)rows;
}
