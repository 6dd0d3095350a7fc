/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A workload whose instructions are known: `counted_loop N` passes N times through a loop of two
 * instructions, written in assembly so that no compiler changes it. It prints what one job
 * executes there. Elsewhere than on aarch64 and x86-64 it is
 * an ordinary loop, and the figure does not hold. Used under QEMU, where an instruction takes one
 * cycle (tests/cli/test_pmu.py).
 */
#include <laxity/hooks.h>
#include <laxity/units.h>

#include <stdint.h>
#include <stdio.h>

enum {
    INSTRUCTIONS_PER_PASS = 2
};

static uint64_t passes;

int benchmark_init(int argc, void **argv)
{
    if (argc != 1 || laxity_parse_count(argv[0], 1, UINT32_MAX, &passes)) {
        return -1;
    }
    (void)printf("instructions=%llu\n", (unsigned long long)passes * INSTRUCTIONS_PER_PASS);
    return 0;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    uint64_t left = passes;
#if defined(__aarch64__)
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left) : : "cc");
#elif defined(__x86_64__)
    __asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(left) : : "cc");
#else
    for (volatile uint64_t *counter = &left; *counter > 0; *counter -= 1) {
    }
#endif
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}
