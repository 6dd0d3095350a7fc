/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The accesses of probe "memory_latency": what is prepared, and the loops that are timed. */
#ifndef LAXITY_PROBES_MEMORY_PATTERNS_H
#define LAXITY_PROBES_MEMORY_PATTERNS_H

#include <stddef.h>
#include <stdint.h>

enum {
    /* So many steps of a chain per turn of the loop, so that its branch costs next to nothing. */
    LAXITY_MEMORY_UNROLLED = 8
};

/* An array as the accesses see it. */
struct laxity_memory_array {
    unsigned char *start;
    size_t bytes;
    size_t line_bytes;
};

/* One element of a chain; the rest of its line is for random writes. */
struct laxity_memory_link {
    struct laxity_memory_link *volatile next;
};

/*
 * laxity_memory_shuffle - go on with a random order: numbers `from` to `to` - 1 join order[0..from)
 *
 * Number 0 stays first. Called until `to` is the number of lines, `order` is a random permutation.
 */
void laxity_memory_shuffle(uint32_t *order, size_t from, size_t to, uint64_t *random);

/* laxity_memory_link - lines order[from..to) each name the next one; the last of n names the first
 */
void laxity_memory_link(
    const struct laxity_memory_array *array, const uint32_t *order, size_t n, size_t from, size_t to
);

/*
 * laxity_memory_draw - random indices of 32-bit words, in any line with equal probability
 *
 * Never of a word that holds a link of a chain. To be drawn anew for every batch: the lines of 4096
 * fixed ones, 256 KiB, would be in the L2 the second time, whatever the size of the array.
 */
void laxity_memory_draw(
    const struct laxity_memory_array *array, uint32_t *indices, size_t n, uint64_t *random
);

/* laxity_memory_chase - follow a chain; `steps` is rounded up to a multiple of 8. Returns where it
 * ended. */
struct laxity_memory_link *laxity_memory_chase(struct laxity_memory_link *link, size_t steps);

void laxity_memory_read(const unsigned char *start, const uint32_t *indices, size_t n);
void laxity_memory_write(unsigned char *start, const uint32_t *indices, size_t n);

/* Streams over whole lines of 64 bytes; `bytes` is a multiple of it. */
void laxity_memory_stream_read(const unsigned char *start, size_t bytes);
void laxity_memory_stream_write(unsigned char *start, size_t bytes);
void laxity_memory_stream_copy(unsigned char *to, const unsigned char *from, size_t bytes);

#endif
