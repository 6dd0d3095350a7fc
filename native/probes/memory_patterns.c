/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/memory_patterns.h"

#include "probes/crpd_patterns.h"

#include <stddef.h>
#include <stdint.h>

enum {
    WORD_BYTES = 4,
    LINK_WORDS = (int)(sizeof(struct laxity_memory_link) / WORD_BYTES),
};

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
