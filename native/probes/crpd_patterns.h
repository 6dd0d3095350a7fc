/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* How probe "crpd" uses a working set, and the random numbers of all probes. */
#ifndef LAXITY_PROBES_CRPD_PATTERNS_H
#define LAXITY_PROBES_CRPD_PATTERNS_H

#include "base/error.h"
#include "codegen/code.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* As Raffeck's MEM task: read a byte, write the next one, 32 bytes on. */
    LAXITY_CRPD_STEP_BYTES = 32,
};

/* One line of a chain. */
struct laxity_crpd_line {
    struct laxity_crpd_line *volatile next;
    volatile uint32_t visits;
};

/*
 * laxity_crpd_line_bytes - the shortest line of the caches: from 16 to 128, a power of two
 *
 * Whoever stepped further would leave lines out, and measure a part of the cost. Where it is not
 * known it is 32: a line that is used twice costs what one costs that is used once.
 */
size_t laxity_crpd_line_bytes(void);

static inline struct laxity_crpd_line *laxity_crpd_line(unsigned char *working_set, size_t index)
{
    return (struct laxity_crpd_line *)(working_set + index * laxity_crpd_line_bytes());
}

/* laxity_crpd_is_code - whether the working set of a pattern is executed */
static inline bool laxity_crpd_is_code(enum laxity_crpd_pattern pattern)
{
    return pattern == LAXITY_CRPD_PATTERN_CODE || pattern == LAXITY_CRPD_PATTERN_JUMPS;
}

/*
 * laxity_crpd_serves - whether a way to evict is measured with a pattern
 *
 * Data is not evicted by executing. Code is not evicted by reading: to caches of instructions that
 * is what writing is.
 */
static inline bool
laxity_crpd_serves(enum laxity_crpd_evict evict, enum laxity_crpd_pattern pattern)
{
    return evict !=
           (laxity_crpd_is_code(pattern) ? LAXITY_CRPD_EVICT_READ : LAXITY_CRPD_EVICT_EXECUTE);
}

/* laxity_crpd_check - nothing that is asked for may be left out in silence, as probe.h says */
int laxity_crpd_check(void *settings, struct laxity_error *error);

/*
 * laxity_crpd_make_code - copies of a code of `bytes`, whole lines of them, for a pattern of code
 *
 * Returns 0, or -1 with error set.
 */
int laxity_crpd_make_code(
    enum laxity_crpd_pattern pattern,
    size_t bytes,
    size_t copies,
    struct laxity_code *out_code,
    struct laxity_error *error
);

/* laxity_crpd_shuffle_roles - the three roles in an order that `random` decides */
void laxity_crpd_shuffle_roles(uint64_t *random, uint8_t roles[LAXITY_CRPD_ROLE_COUNT]);

/*
 * laxity_crpd_link_chain - make a working set one closed chain of lines in random order
 *
 * `order` has room for bytes / laxity_crpd_line_bytes() numbers. Returns the number of lines; the
 * first line starts the chain.
 */
size_t
laxity_crpd_link_chain(unsigned char *working_set, size_t bytes, uint32_t *order, uint64_t *random);

/* laxity_crpd_walk - over a working set in ascending order: read a byte, write the next one, go on
 * by 32 */
void laxity_crpd_walk(volatile unsigned char *working_set, size_t bytes);

/* laxity_crpd_chase - follow the chain once around; every line is read and written */
void laxity_crpd_chase(unsigned char *working_set);

/* laxity_crpd_random - the next number of a seeded series (splitmix64) */
uint64_t laxity_crpd_random(uint64_t *random);

#endif
