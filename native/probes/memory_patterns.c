/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/memory_patterns.h"

#include "probes/crpd_patterns.h"

#include <stddef.h>
#include <stdint.h>

enum {
    WORD_BYTES = 4,
    LINK_WORDS = (int)(sizeof(struct laxity_memory_link) / WORD_BYTES),
    /* So many steps per turn of the loop, so that its branch costs next to nothing. */
    UNROLLED = 8,
    VECTOR_BYTES = 16,
};

/* The widest that every processor we build for has or can be given by pairs of words. */
typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES)));

void laxity_memory_shuffle(uint32_t *order, size_t from, size_t to, uint64_t *random)
{
    for (size_t i = from; i < to; i++) {
        /* Number 0 stays first: i = 0, and later ones draw only from 1...i. */
        const size_t at = i == 0 ? 0 : 1 + (size_t)(laxity_crpd_random(random) % i);
        order[i] = order[at];
        order[at] = (uint32_t)i;
    }
}

static struct laxity_memory_link *link_at(const struct laxity_memory_array *array, uint32_t line)
{
    return (struct laxity_memory_link *)(array->start + line * array->line_bytes);
}

void laxity_memory_link(
    const struct laxity_memory_array *array, const uint32_t *order, size_t n, size_t from, size_t to
)
{
    for (size_t i = from; i < to; i++) {
        link_at(array, order[i])->next = link_at(array, order[i + 1 == n ? 0 : i + 1]);
    }
}

void laxity_memory_draw(
    const struct laxity_memory_array *array, uint32_t *indices, size_t n, uint64_t *random
)
{
    const size_t lines = array->bytes / array->line_bytes;
    const size_t line_words = array->line_bytes / WORD_BYTES;
    for (size_t i = 0; i < n; i++) {
        const uint64_t drawn = laxity_crpd_random(random);
        const size_t line = (size_t)((drawn >> 16) % lines);
        const size_t word = LINK_WORDS + (size_t)(drawn & UINT16_MAX) % (line_words - LINK_WORDS);
        indices[i] = (uint32_t)(line * line_words + word);
    }
}

/* The measured loops: nothing may be added, every instruction in them is part of a batch. */

__attribute__((noinline)) struct laxity_memory_link *
laxity_memory_chase(struct laxity_memory_link *link, size_t steps)
{
    for (size_t i = 0; i < steps; i += UNROLLED) {
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
