/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The hooks of RT-Bench. */
static int value;

int benchmark_init(int argc, void **argv);
void benchmark_execution(int argc, void **argv);
void benchmark_teardown(int argc, void **argv);

int benchmark_init(int argc, void **argv)
{
    (void)argv;
    value = argc;
    return 0;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argv;
    value = argc + 1;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}
