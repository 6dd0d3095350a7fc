/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The ring of one task's marks, in the segment: written by any thread of the task, emptied by the
 * drain process.
 *
 * A writer takes a place by moving `head`, fills it and publishes it through its sequence; the
 * reader stops at a place that is taken and not published. Positions count modulo 2^32, which every
 * processor exchanges at once. Who finds the ring full counts the mark as lost and goes on.
 */
#ifndef LAXITY_HARNESS_MARK_RING_H
#define LAXITY_HARNESS_MARK_RING_H

#include "base/port/atomic64.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* The drain process comes every 50 ms: room for 300,000 marks a second. A power of two. */
    LAXITY_MARK_SLOTS = 16384,
    LAXITY_MARK_LINE_BYTES = 64,
};

struct laxity_mark {
    _Atomic uint32_t sequence; /* position + 1 once the rest is valid */
    uint32_t id;
    int64_t time_ns;
    int64_t value; /* LAXITY_ABSENT_NS for a phase */
    int32_t tid;
    uint32_t kind;
};

/* The drain process's account; enough to go on after that process died. */
struct laxity_mark_account {
    struct laxity_atomic64 taken; /* rows written: the one store that commits them */
    uint64_t holes;               /* places whose writer died before it published them */
    uint64_t lost;                /* without holes */
    uint32_t lost_seen;           /* of the ring's count, which wraps */
};

struct laxity_mark_ring {
    /* Writers: the task's threads. */
    _Alignas(LAXITY_MARK_LINE_BYTES) _Atomic uint32_t head;
    _Atomic uint32_t lost;
    /* Writer: the drain process. */
    _Alignas(LAXITY_MARK_LINE_BYTES) _Atomic uint32_t tail;
    struct laxity_mark_account account;
    _Alignas(LAXITY_MARK_LINE_BYTES) struct laxity_mark slots[LAXITY_MARK_SLOTS];
};

/* laxity_mark_push - append one mark; false if there is no room, and then it is counted */
static inline bool laxity_mark_push(
    struct laxity_mark_ring *ring,
    enum laxity_mark_kind kind,
    uint32_t id,
    int64_t value,
    int32_t tid,
    int64_t time_ns
)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    do {
        /* Signed: while this thread slept, others may have moved head, and the reader tail past it.
         * Then the exchange fails. */
        const uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
        if ((int32_t)(head - tail) >= LAXITY_MARK_SLOTS) {
            atomic_fetch_add_explicit(&ring->lost, 1, memory_order_relaxed);
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &ring->head, &head, head + 1, memory_order_relaxed, memory_order_relaxed
    ));
    struct laxity_mark *mark = &ring->slots[head & (LAXITY_MARK_SLOTS - 1)];
    mark->id = id;
    mark->time_ns = time_ns;
    mark->value = value;
    mark->tid = tid;
    mark->kind = kind;
    atomic_store_explicit(&mark->sequence, head + 1, memory_order_release);
    return true;
}

/* laxity_mark_at - the mark at a position, or NULL if it is not published (yet) */
static inline const struct laxity_mark *
laxity_mark_at(const struct laxity_mark_ring *ring, uint32_t position)
{
    const struct laxity_mark *mark = &ring->slots[position & (LAXITY_MARK_SLOTS - 1)];
    const uint32_t sequence = atomic_load_explicit(&mark->sequence, memory_order_acquire);
    return sequence == position + 1 ? mark : NULL;
}

#endif
