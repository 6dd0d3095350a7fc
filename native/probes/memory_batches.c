/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The measured loops of probe "memory_latency". */
#include "probes/memory_patterns.h"

#include <stddef.h>
#include <stdint.h>

enum {
    VECTOR_BYTES = 16
};

/* The widest that every processor we build for has or can be given by pairs of words. */
typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES)));

/* The measured loops: nothing may be added, every instruction in them is part of a batch. */

__attribute__((noinline)) struct laxity_memory_link *
laxity_memory_chase(struct laxity_memory_link *link, size_t steps)
{
    for (size_t i = 0; i < steps; i += LAXITY_MEMORY_UNROLLED) {
        link = link->next;
        link = link->next;
        link = link->next;
        link = link->next;
        link = link->next;
        link = link->next;
        link = link->next;
        link = link->next;
    }
    return link;
}

__attribute__((noinline)) void
laxity_memory_read(const unsigned char *start, const uint32_t *indices, size_t n)
{
    const volatile uint32_t *words = (const volatile uint32_t *)start;
    for (size_t i = 0; i < n; i++) {
        (void)words[indices[i]];
    }
}

__attribute__((noinline)) void
laxity_memory_write(unsigned char *start, const uint32_t *indices, size_t n)
{
    volatile uint32_t *words = (volatile uint32_t *)start;
    for (size_t i = 0; i < n; i++) {
        words[indices[i]] = (uint32_t)i;
    }
}

/* volatile, or the compiler calls memset and memcpy, which differ from one C library to the next.
 */

__attribute__((noinline)) void laxity_memory_stream_read(const unsigned char *start, size_t bytes)
{
    const volatile vector *vectors = (const volatile vector *)start;
    for (size_t i = 0; i < bytes / VECTOR_BYTES; i += 4) {
        (void)vectors[i];
        (void)vectors[i + 1];
        (void)vectors[i + 2];
        (void)vectors[i + 3];
    }
}

__attribute__((noinline)) void laxity_memory_stream_write(unsigned char *start, size_t bytes)
{
    const vector value = {0};
    volatile vector *vectors = (volatile vector *)start;
    for (size_t i = 0; i < bytes / VECTOR_BYTES; i += 4) {
        vectors[i] = value;
        vectors[i + 1] = value;
        vectors[i + 2] = value;
        vectors[i + 3] = value;
    }
}

__attribute__((noinline)) void
laxity_memory_stream_copy(unsigned char *to, const unsigned char *from, size_t bytes)
{
    volatile vector *out = (volatile vector *)to;
    const volatile vector *in = (const volatile vector *)from;
    for (size_t i = 0; i < bytes / VECTOR_BYTES; i += 4) {
        out[i] = in[i];
        out[i + 1] = in[i + 1];
        out[i + 2] = in[i + 2];
        out[i + 3] = in[i + 3];
    }
}
