/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Digests of a result: FNV-1a (Fowler, Noll, Vo: RFC 9923), cheap beside the job, the same on every
 * platform; any single change shows.
 *
 * One state of 32 bits goes on byte by byte, for results that are bytes or few; one of 64 bits goes
 * on number by number, with one multiplication for each, for images and long lists. They give
 * different digests, and those of the workloads are recorded: a workload keeps the one it has.
 */
#ifndef LAXITY_WORKLOADS_DIGEST_H
#define LAXITY_WORKLOADS_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define WORKLOAD_DIGEST_START UINT32_C(2166136261)

/* Goes on from `digest`: bytes in their order; a word as its four bytes, lowest first. */
uint32_t workload_fold_bytes(uint32_t digest, const uint8_t *bytes, size_t count);
uint32_t workload_fold_word(uint32_t digest, uint32_t word);

/* Counts values, not bytes in memory: the same on either endianness. */
static inline uint64_t workload_digest_start(void)
{
    return UINT64_C(0xcbf29ce484222325); /* FNV's offset basis for 64 bits */
}

static inline uint64_t workload_digest_add(const uint64_t digest, const uint32_t value)
{
    return (digest ^ value) * UINT64_C(0x100000001b3); /* FNV's prime for 64 bits */
}

static inline uint32_t workload_digest_end(const uint64_t digest)
{
    return (uint32_t)(digest ^ (digest >> 32));
}

/* Of bytes, four as one number as long as there are four. */
uint32_t workload_digest_bytes(const uint8_t *bytes, uint64_t count);

#endif
