/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A workload of simulated platforms whose jobs have phases that it names.
 *
 *   phase 1    reads a byte of every 32 of an array that no cache of the test's platform holds
 *   probe 7    the number of the job
 *   phase 300  computes, and touches no memory to speak of
 *
 * With the word `flood` it marks 50,000 probes 1 instead, with the values -1, -2, ...: more than
 * the ring of marks holds.
 */
#include <laxity/hooks.h>
#include <laxity/marks.h>

#include <stddef.h>
#include <stdint.h>

enum {
    ARRAY_BYTES = 4 << 20,
    LINE_BYTES = 32,
    ROUNDS = 500000,
    READS = 1,
    JOB = 7,
    COMPUTES = 300, /* more than a byte */
    FLOOD_MARKS = 50000,
};

static uint8_t array[ARRAY_BYTES];
static int64_t job;
static volatile uint32_t result;

static void flood(void)
{
    for (int64_t i = 1; i <= FLOOD_MARKS; i++) {
        laxity_probe(1, -i);
    }
}

int benchmark_init(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    for (size_t i = 0; i < sizeof array; i++) {
        array[i] = (uint8_t)i;
    }
    return 0;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argv;
    if (argc > 0) {
        flood();
        return;
    }
    uint32_t sum = 0;
    laxity_phase(READS);
    for (size_t i = 0; i < sizeof array; i += LINE_BYTES) {
        sum += array[i];
    }
    result = sum;
    laxity_probe(JOB, job);
    laxity_phase(COMPUTES);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        sum = sum * 1664525U + 1013904223U; /* Numerical Recipes' generator */
    }
    result = sum;
    job++;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}
