/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The job that does nothing: what is measured is the harness, the kernel and the machine. Nothing
 * to check either. */
#include "../common/arguments.h"

#include <laxity/hooks.h>

#include <stddef.h>

int benchmark_init(const int argc, void **const argv)
{
    return workload_check_word_count("empty", "", argc, argv, (const int[2]){0, 0});
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
}
