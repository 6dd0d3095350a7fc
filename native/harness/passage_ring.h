/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Starts, marks and ends of the jobs of a regulated task, in the segment, for its regulator.
 *
 * One writer: the thread that makes the jobs. It never waits. A reader that comes too late for the
 * ring learns that passages were lost: then it knows nothing of the job.
 */
#ifndef LAXITY_HARNESS_PASSAGE_RING_H
#define LAXITY_HARNESS_PASSAGE_RING_H

#include "base/port/atomic64.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    /* A power of two. The kernel may keep a regulator from its CPU for 50 ms: room for 160 marks in
     * a millisecond. */
    LAXITY_PASSAGE_SLOTS = 8192,
    LAXITY_PASSAGE_LINE_BYTES = 64,
};

struct laxity_passage {
    uint64_t job;
    uint32_t mark;        /* number of a phase, or LAXITY_MARK_JOB_START, LAXITY_MARK_JOB_FINISH */
    uint32_t preemptions; /* of the job so far */
    int64_t own_ns;       /* processor time of the job so far */
    int64_t wall_ns;      /* instant */
};

struct laxity_passage_ring {
    _Alignas(LAXITY_PASSAGE_LINE_BYTES) struct laxity_atomic64 head; /* passages so far */
    struct laxity_passage slots[LAXITY_PASSAGE_SLOTS];
};

static inline void
laxity_passage_push(struct laxity_passage_ring *ring, const struct laxity_passage *passage)
{
    const uint64_t head = laxity_atomic64_load(&ring->head);
    ring->slots[head & (LAXITY_PASSAGE_SLOTS - 1)] = *passage;
    laxity_atomic64_store(&ring->head, head + 1);
}

/*
 * laxity_passage_at - the passage at a position below the head
 *
 * Returns false if it may have been overwritten, also while it was read: the writer may be at work
 * on the slot of the head.
 */
static inline bool laxity_passage_at(
    const struct laxity_passage_ring *ring, uint64_t position, struct laxity_passage *out_passage
)
{
    *out_passage = ring->slots[position & (LAXITY_PASSAGE_SLOTS - 1)];
    atomic_thread_fence(memory_order_acquire);
    return laxity_atomic64_load(&ring->head) - position < LAXITY_PASSAGE_SLOTS;
}

#endif
