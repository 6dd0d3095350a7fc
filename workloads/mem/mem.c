/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * mem SIZE [PASSES]: moves through a working set of SIZE in steps of 32 bytes, reads a byte and
 * writes the next one.
 *
 * A job makes PASSES passes (default 1). Source: Raffeck et al., "Migration overheads", section III
 * (MEM; sizes there: 2KiB, 32KiB, 786KiB, 8MiB).
 */
#include "../common/arguments.h"
#include "../common/outcome.h"

#include <laxity/hooks.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    STEP_BYTES = 32,
    HIGHEST_PASSES = 1000000
};

static struct {
    uint8_t *working_set;
    size_t size_bytes;
    uint64_t passes_per_job;
    uint8_t pass_number; /* of the last pass made, modulo 256 */
} mem;

/*
 * The measured loop. Do not add anything: one read and one write per step are the workload, and
 * their addresses are all that a cache sees of it. Volatile, so that the compiler keeps every
 * access, their widths and their order.
 */
__attribute__((noinline)) static void
make_pass(volatile uint8_t *const working_set, const size_t size_bytes, const uint8_t pass_number)
{
    for (size_t offset = 0; offset < size_bytes; offset += STEP_BYTES) {
        working_set[offset + 1] = (uint8_t)(working_set[offset] + pass_number);
    }
}

/* What init puts at a step: differs between neighbours, lines and pages. A step's byte is read
 * only, never written. */
static uint8_t initial_byte(const size_t offset)
{
    const size_t step = offset / STEP_BYTES;

    return (uint8_t)(step ^ (step >> 8));
}

static void fail_at(const size_t offset, const unsigned got, const unsigned expected)
{
    workload_fail_job(
        "mem", "byte %zu of the working set is %u, expected %u", offset, got, expected
    );
}

/* After pass k, each step holds its initial byte and, next to it, that byte plus k. */
static void check_step(const size_t offset)
{
    const uint8_t initial = initial_byte(offset);
    const uint8_t written = (uint8_t)(initial + mem.pass_number);

    if (mem.working_set[offset] != initial) {
        fail_at(offset, mem.working_set[offset], initial);
    }
    if (mem.working_set[offset + 1] != written) {
        fail_at(offset + 1, mem.working_set[offset + 1], written);
    }
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_size size_rule = {"mem", STEP_BYTES, STEP_BYTES};
    const struct workload_count passes_rule = {"mem", "PASSES", 1, HIGHEST_PASSES};

    mem.passes_per_job = 1;
    mem.pass_number = 0;
    if (workload_check_word_count("mem", "SIZE [PASSES]", argc, argv, (const int[2]){1, 2}) != 0 ||
        workload_parse_size(&size_rule, argv[0], &mem.size_bytes) != 0 ||
        (argc > 1 && workload_parse_count(&passes_rule, argv[1], &mem.passes_per_job) != 0)) {
        return -1;
    }
    mem.working_set = workload_allocate("mem", mem.size_bytes);
    if (mem.working_set == NULL) {
        return -1;
    }
    for (size_t offset = 0; offset < mem.size_bytes; offset += STEP_BYTES) {
        mem.working_set[offset] = initial_byte(offset);
        mem.working_set[offset + 1] = initial_byte(offset);
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    for (uint64_t pass = 0; pass < mem.passes_per_job; pass++) {
        mem.pass_number++;
        make_pass(mem.working_set, mem.size_bytes, mem.pass_number);
    }
    /* The last step only, which the pass left in the cache; the others are checked once, in
     * teardown. */
    check_step(mem.size_bytes - STEP_BYTES);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    for (size_t offset = 0; offset < mem.size_bytes; offset += STEP_BYTES) {
        check_step(offset);
    }
    free(mem.working_set);
    mem.working_set = NULL;
}
