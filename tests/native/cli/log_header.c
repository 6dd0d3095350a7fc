/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A workload whose log header is of your choice: `log_header TEXT`. Its value is 1. */
#include <laxity/hooks.h>

#include <stddef.h>

static const char *header;

int benchmark_init(int argc, void **argv)
{
    header = argc == 1 ? argv[0] : NULL;
    return header ? 0 : -1;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}

const char *benchmark_log_header(void)
{
    return header;
}

float benchmark_log_data(void)
{
    return 1.0F;
}
