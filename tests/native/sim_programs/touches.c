/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A workload of simulated platforms that touches as many lines of 64 bytes as it is told:
 *
 *   touches READ WRITTEN STACK
 *
 * Of an array that begins with a page a job reads a byte of each of READ lines, and writes one of
 * each of WRITTEN behind them; jobs after the first one of as many behind those. Of an array on its
 * stack it writes a byte of each of STACK lines. Of all that is in .bss it touches that array
 * alone, and of .data one line.
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
    size_t skipped; /* lines between those that are read and those that are written */
} told __attribute__((aligned(LINE_BYTES))) = {1, 1, 1, 0};

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
    return told.n_read + 2 * told.n_written <= LINES && told.n_stack <= STACK_LINES ? 0 : -1;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    volatile uint8_t *const lines = array;
    for (size_t i = 0; i < told.n_read; i++) {
        (void)lines[i * LINE_BYTES];
    }
    for (size_t i = 0; i < told.n_written; i++) {
        lines[(told.n_read + told.skipped + i) * LINE_BYTES] = 1;
    }
    touch_stack();
    told.skipped = told.n_written;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}
