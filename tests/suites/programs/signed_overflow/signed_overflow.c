/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Its checksum overflows a signed int, which the compiler may take for impossible. No main. */
#include <limits.h>

static volatile int sum;

int benchmark_init(int argc, void **argv);
void benchmark_execution(int argc, void **argv);
void benchmark_teardown(int argc, void **argv);

int benchmark_init(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    sum = INT_MAX;
    sum = sum + 1;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}
