/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Pushing single lines out of every cache, where the instruction set lets a user do that. */
#ifndef LAXITY_BASE_PORT_FLUSH_H
#define LAXITY_BASE_PORT_FLUSH_H

#include <stdbool.h>
#include <stddef.h>

/* The smallest line of the processors we know of; stepping too finely only costs time. */
enum {
    LAXITY_FLUSH_STEP_BYTES = 32
};

/* Whether this build has an instruction for it; PowerPC's dcbf is left out until one is tested. */
static inline bool laxity_can_flush(void)
{
#if defined(__SSE2__) || defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

/* laxity_flush - write back and drop every line of `bytes` at `start`; nothing without
 * laxity_can_flush() */
static inline void laxity_flush(volatile unsigned char *start, size_t bytes)
{
#if defined(__SSE2__)
    for (size_t i = 0; i < bytes; i += LAXITY_FLUSH_STEP_BYTES) {
        __asm__ volatile("clflush %0" : "+m"(start[i]));
    }
    __asm__ volatile("mfence" ::: "memory");
#elif defined(__aarch64__)
    for (size_t i = 0; i < bytes; i += LAXITY_FLUSH_STEP_BYTES) {
        __asm__ volatile("dc civac, %0" ::"r"(&start[i]) : "memory");
    }
    __asm__ volatile("dsb ish" ::: "memory");
#else
    (void)start;
    (void)bytes;
#endif
}

#endif
