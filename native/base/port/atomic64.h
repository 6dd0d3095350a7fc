/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A 64-bit value in shared memory that ONE process writes and any process reads.
 *
 * Where the processor stores 64 bits at once it is a plain atomic. Elsewhere (32-bit PowerPC) the
 * compiler would call libatomic, whose locks lie in each process's own memory and so protect
 * nothing here; there it is two copies and a version. The writer changes the copy that the version
 * does not name, then the version: killed at any instruction, it leaves the old value or the new
 * one, and no reader ever waits for a dead writer.
 *
 * A store has release order, a load acquire order. LAXITY_ATOMIC64_IS_SPLIT may be set to 1 for a
 * test.
 */
#ifndef LAXITY_BASE_PORT_ATOMIC64_H
#define LAXITY_BASE_PORT_ATOMIC64_H

#include <stdatomic.h>
#include <stdint.h>

#ifndef LAXITY_ATOMIC64_IS_SPLIT
#define LAXITY_ATOMIC64_IS_SPLIT (ATOMIC_LLONG_LOCK_FREE != 2)
#endif

#if !LAXITY_ATOMIC64_IS_SPLIT

struct laxity_atomic64 {
    _Atomic uint64_t value;
};

static inline uint64_t laxity_atomic64_load(const struct laxity_atomic64 *shared)
{
    return atomic_load_explicit(&shared->value, memory_order_acquire);
}

static inline void laxity_atomic64_store(struct laxity_atomic64 *shared, uint64_t value)
{
    atomic_store_explicit(&shared->value, value, memory_order_release);
}

#else

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "processes cannot share atomics on this processor");

struct laxity_atomic64 {
    _Atomic uint32_t version;      /* its lowest bit names the copy that is valid */
    _Atomic uint32_t copies[2][2]; /* high, low */
};

/*
 * Consistent if the version is the same before and after: the writer touches this copy only once
 * the next version stands. That one reading lasts for 2^32 stores is left out of account.
 */
static inline uint64_t laxity_atomic64_load(const struct laxity_atomic64 *shared)
{
    uint32_t version = atomic_load_explicit(&shared->version, memory_order_acquire);
    for (;;) {
        const _Atomic uint32_t *copy = shared->copies[version & 1];
        const uint64_t high = atomic_load_explicit(&copy[0], memory_order_relaxed);
        const uint64_t low = atomic_load_explicit(&copy[1], memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        const uint32_t after = atomic_load_explicit(&shared->version, memory_order_acquire);
        if (after == version) {
            return high << 32 | low;
        }
        version = after;
    }
}

static inline void laxity_atomic64_store(struct laxity_atomic64 *shared, uint64_t value)
{
    const uint32_t next = atomic_load_explicit(&shared->version, memory_order_relaxed) + 1;
    /* Whoever sees one of the two stores below must also see the version stored last time. */
    atomic_thread_fence(memory_order_release);
    _Atomic uint32_t *copy = shared->copies[next & 1];
    atomic_store_explicit(&copy[0], (uint32_t)(value >> 32), memory_order_relaxed);
    atomic_store_explicit(&copy[1], (uint32_t)value, memory_order_relaxed);
    atomic_store_explicit(&shared->version, next, memory_order_release);
}

#endif

/* laxity_atomic64_increment - by the one writer, so that it need not be one operation */
static inline void laxity_atomic64_increment(struct laxity_atomic64 *shared)
{
    laxity_atomic64_store(shared, laxity_atomic64_load(shared) + 1);
}

/* The same for times, which are signed. */
static inline int64_t laxity_atomic64_load_ns(const struct laxity_atomic64 *shared)
{
    return (int64_t)laxity_atomic64_load(shared);
}

static inline void laxity_atomic64_store_ns(struct laxity_atomic64 *shared, int64_t value_ns)
{
    laxity_atomic64_store(shared, (uint64_t)value_ns);
}

#endif
