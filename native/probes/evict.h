/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Making the caches of a core hold something else. */
#ifndef LAXITY_PROBES_EVICT_H
#define LAXITY_PROBES_EVICT_H

#include <stddef.h>

enum {
    /* More than a first-level cache holds, so that the next level sees every pass; half of the
     * smallest second level that we know of. */
    LAXITY_EVICT_BLOCK_BYTES = 128 * 1024,
    LAXITY_EVICT_BLOCK_PASSES = 3,
};

/*
 * laxity_evict_by_writing, laxity_evict_by_reading - use a buffer block by block, each several
 * times
 *
 * A single scan leaves much of what was there in a cache whose replacement resists scans; such a
 * cache keeps what is used again. (One over four times the L2 of a Zen 5 took 0.1 to 0.4 us from a
 * working set of 64 KiB, of 4.2 us.)
 */
void laxity_evict_by_writing(volatile unsigned char *buffer, size_t buffer_bytes);
void laxity_evict_by_reading(volatile unsigned char *buffer, size_t buffer_bytes);

#endif
