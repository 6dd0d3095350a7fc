/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * waves: tones of a table of constants are added up, the sum is transformed by Haar's wavelets in
 * place, coefficients that are small are thrown away, and what is left is packed.
 */
#include <stdint.h>

enum {
    POINTS = 1024,
    TABLE = 64,
    TONES = 4,
    SMALL = 40,
};

/* 100 sin(2 pi i / 64), rounded */
static const int8_t sine[TABLE] = {
    0,    10,   20,  29,  38,  47,  56,  63,  71,  77,  83,  88,  92,  96,  98,  100,
    100,  100,  98,  96,  92,  88,  83,  77,  71,  63,  56,  47,  38,  29,  20,  10,
    0,    -10,  -20, -29, -38, -47, -56, -63, -71, -77, -83, -88, -92, -96, -98, -100,
    -100, -100, -98, -96, -92, -88, -83, -77, -71, -63, -56, -47, -38, -29, -20, -10,
};

static uint32_t phase;
static int32_t wave[POINTS];
static int32_t scratch[POINTS];
static int16_t packed[POINTS];
static uint32_t n_packed;

static void add_tones(void)
{
    for (int i = 0; i < POINTS; i++) {
        int32_t sum = 0;
        for (int tone = 1; tone <= TONES; tone++) {
            sum += sine[(phase + (uint32_t)(i * tone)) % TABLE];
        }
        wave[i] = sum;
    }
}

static void transform(void)
{
    for (int half = POINTS / 2; half >= 1; half /= 2) {
        for (int i = 0; i < half; i++) {
            scratch[i] = (wave[2 * i] + wave[2 * i + 1]) / 2;
            scratch[half + i] = (wave[2 * i] - wave[2 * i + 1]) / 2;
        }
        for (int i = 0; i < 2 * half; i++) {
            wave[i] = scratch[i];
        }
    }
}

static void pack(void)
{
    uint32_t n = 0;
    for (int i = 0; i < POINTS; i++) {
        const int32_t size = wave[i] < 0 ? -wave[i] : wave[i];
        if (size >= SMALL) {
            packed[n % POINTS] = (int16_t)wave[i];
            n++;
        }
    }
    n_packed = n;
}

int benchmark_init(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    phase = 5;
    return 0;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    add_tones();
    transform();
    pack();
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    (void)packed;
    (void)n_packed;
}
