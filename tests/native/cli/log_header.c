/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A workload whose log header lacks the comma that RT-Bench wants in front, as TACLeBench's ports
 * do. */
#include <laxity/hooks.h>

int benchmark_init(int argc, void **argv)
{
    (void)argv;
    return argc == 0 ? 0 : -1;
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
    return "success(exp:1)";
}

float benchmark_log_data(void)
{
    return 1.0F;
}
