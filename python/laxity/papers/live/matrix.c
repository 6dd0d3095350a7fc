/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * matrix: two matrices that stay are multiplied; the product is scaled row by row, and its trace
 * taken.
 */
#include <stdint.h>

enum {
    N = 24,
};

static int32_t left[N][N];
static int32_t right[N][N];
static int32_t product[N][N];
static int32_t trace;

static void multiply(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            int32_t sum = 0;
            for (int k = 0; k < N; k++) {
                sum += left[i][k] * right[k][j];
            }
            product[i][j] = sum;
        }
    }
}

static void scale(void)
{
    for (int i = 0; i < N; i++) {
        int32_t largest = 1;
        for (int j = 0; j < N; j++) {
            const int32_t size = product[i][j] < 0 ? -product[i][j] : product[i][j];
            largest = size > largest ? size : largest;
        }
        for (int j = 0; j < N; j++) {
            product[i][j] = product[i][j] * 64 / largest;
        }
    }
}

static void take_trace(void)
{
    int32_t sum = 0;
    for (int i = 0; i < N; i++) {
        sum += product[i][i];
    }
    trace = sum;
}

int benchmark_init(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            left[i][j] = (i * 7 + j * 3) % 23 - 11;
            right[i][j] = (i * 5 + j * 11) % 19 - 9;
        }
    }
    return 0;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    multiply();
    scale();
    take_trace();
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    (void)trace;
}
