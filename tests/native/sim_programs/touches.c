/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A workload of simulated platforms that touches as many lines of 64 bytes as it is told:
 *
 *   touches READ WRITTEN STACK
 *
 * Of an array that begins with a page a job reads one byte of each of READ lines, then writes one
 * of each of WRITTEN behind them, in the first job only the half of these; of an array on its stack
 * it writes one byte of each of STACK lines. Nothing else of its own is in the .bss section.
 */
#include <laxity/hooks.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    LINE_BYTES = 64,
    PAGE_BYTES = 4096,
    LINES = 1024,
    STACK_LINES = 256,
    WORDS = 3,
    DECIMAL = 10,
};

static uint8_t array[LINES * LINE_BYTES] __attribute__((aligned(PAGE_BYTES)));

/* In the .data section, since they are not zero. */
static struct {
    size_t n_read;
    size_t n_written;
    size_t n_stack;
    size_t half; /* 2: in the first job */
} told __attribute__((aligned(LINE_BYTES))) = {1, 1, 1, 2};

static __attribute__((noinline)) void touch_stack(void)
{
    volatile uint8_t lines[STACK_LINES * LINE_BYTES] __attribute__((aligned(LINE_BYTES)));
    for (size_t i = 0; i < told.n_stack; i++) {
        lines[i * LINE_BYTES] = 1;
    }
}

int benchmark_init(int argc, void **argv)
{
    if (argc != WORDS) {
        return -1;
    }
    told.n_read = strtoul(argv[0], NULL, DECIMAL);
    told.n_written = strtoul(argv[1], NULL, DECIMAL);
    told.n_stack = strtoul(argv[2], NULL, DECIMAL);
    return told.n_read + told.n_written <= LINES && told.n_stack <= STACK_LINES ? 0 : -1;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    volatile uint8_t *const lines = array;
    for (size_t i = 0; i < told.n_read; i++) {
        (void)lines[i * LINE_BYTES];
    }
    for (size_t i = 0; i < told.n_written / told.half; i++) {
        lines[(told.n_read + i) * LINE_BYTES] = 1;
    }
    touch_stack();
    told.half = 1;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}
