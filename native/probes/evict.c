/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/evict.h"

#include "base/port/flush.h"

#include <stddef.h>

enum {
    EVICT_STEP_BYTES = LAXITY_FLUSH_STEP_BYTES,
};

/* Measured loops: nothing else may be in them, or spinning is not "the same but for the lines". */
static void write_lines(volatile unsigned char *buffer, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += EVICT_STEP_BYTES) {
        buffer[i]++;
    }
}

static void read_lines(volatile unsigned char *buffer, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += EVICT_STEP_BYTES) {
        (void)buffer[i];
    }
}

static void evict_by(
    void (*use_lines)(volatile unsigned char *, size_t),
    volatile unsigned char *buffer,
    size_t buffer_bytes
)
{
    for (size_t at = 0; at < buffer_bytes; at += LAXITY_EVICT_BLOCK_BYTES) {
        const size_t rest = buffer_bytes - at;
        for (int pass = 0; pass < LAXITY_EVICT_BLOCK_PASSES; pass++) {
            use_lines(
                buffer + at, rest < LAXITY_EVICT_BLOCK_BYTES ? rest : LAXITY_EVICT_BLOCK_BYTES
            );
        }
    }
}

void laxity_evict_by_writing(volatile unsigned char *buffer, size_t buffer_bytes)
{
    evict_by(write_lines, buffer, buffer_bytes);
}

void laxity_evict_by_reading(volatile unsigned char *buffer, size_t buffer_bytes)
{
    evict_by(read_lines, buffer, buffer_bytes);
}
