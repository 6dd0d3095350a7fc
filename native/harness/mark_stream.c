/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/mark_stream.h"

#include "base/npy.h"
#include "base/port/atomic64.h"
#include "harness/mark_ring.h"
#include "harness/segment.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BATCH_ROWS = 256
};

static const struct laxity_field mark_fields[] = {LAXITY_PROBE_FIELDS};

static uint64_t rows_taken(struct laxity_segment *segment)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        rows += laxity_atomic64_load(&laxity_segment_marks(segment, i)->account.taken);
    }
    return rows;
}

/* The first mark makes the file; another drain process goes on behind the rows that were committed.
 */
static int open_stream(struct laxity_mark_stream *stream)
{
    if (stream->is_open) {
        return 0;
    }
    struct laxity_segment *segment = stream->segment;
    const unsigned n_fields = sizeof mark_fields / sizeof mark_fields[0];
    const int rc =
        segment->marks_is_open
            ? laxity_npy_reopen(
                  stream->dir_fd,
                  "probe.npy",
                  mark_fields,
                  n_fields,
                  rows_taken(segment),
                  &stream->npy
              )
            : laxity_npy_create(stream->dir_fd, "probe.npy", mark_fields, n_fields, &stream->npy);
    stream->is_open = rc == 0;
    segment->marks_is_open |= rc == 0;
    return rc;
}

static uint64_t position_of(const struct laxity_mark_account *account)
{
    return laxity_atomic64_load(&account->taken) + account->holes;
}

/* Lets the writers use what lies behind. Derived, so that nothing is lost if it was left undone. */
static void publish_tail(struct laxity_mark_ring *ring)
{
    const uint32_t tail = (uint32_t)position_of(&ring->account);
    atomic_store_explicit(&ring->tail, tail, memory_order_release);
}

static unsigned gather(
    const struct laxity_mark_ring *ring,
    uint16_t task,
    uint32_t position,
    struct laxity_probe_row *rows
)
{
    const uint32_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    unsigned n = 0;
    while (n < BATCH_ROWS && position + n != head) {
        const struct laxity_mark *mark = laxity_mark_at(ring, position + n);
        if (!mark) {
            break;
        }
        rows[n++] = (struct laxity_probe_row){
            .time_ns = mark->time_ns,
            .task = task,
            .probe = mark->id,
            .value = mark->value,
            .kind = (uint8_t)mark->kind,
            .tid = mark->tid,
        };
    }
    return n;
}

/* At most what stood in the ring when this began: a task that marks without end must not hold the
 * drain process. */
static int drain_ring(struct laxity_mark_stream *stream, uint32_t task_index, bool is_final)
{
    struct laxity_mark_ring *ring = laxity_segment_marks(stream->segment, task_index);
    struct laxity_mark_account *account = &ring->account;
    const uint32_t end = atomic_load_explicit(&ring->head, memory_order_acquire);
    publish_tail(ring);
    while ((int32_t)(end - (uint32_t)position_of(account)) > 0) {
        struct laxity_probe_row rows[BATCH_ROWS];
        const unsigned n = gather(ring, (uint16_t)task_index, (uint32_t)position_of(account), rows);
        if (n == 0 && !is_final) {
            break; /* its writer is still at it */
        }
        if (n == 0) {
            account->holes++;
            continue;
        }
        int rc = open_stream(stream);
        rc = rc ? rc : laxity_npy_write(&stream->npy, stream->npy.rows, rows, n);
        if (rc) {
            return rc;
        }
        laxity_atomic64_store(&account->taken, laxity_atomic64_load(&account->taken) + n);
        publish_tail(ring);
    }
    const uint32_t lost = atomic_load_explicit(&ring->lost, memory_order_relaxed);
    account->lost += lost - account->lost_seen;
    account->lost_seen = lost;
    return 0;
}

int laxity_mark_stream_drain(struct laxity_mark_stream *stream, bool is_final)
{
    int rc = 0;
    for (uint32_t i = 0; i < stream->segment->n_tasks && rc == 0; i++) {
        rc = drain_ring(stream, i, is_final);
    }
    return rc;
}

int laxity_mark_stream_patch(struct laxity_mark_stream *stream)
{
    return stream->is_open ? laxity_npy_patch(&stream->npy) : 0;
}

int laxity_mark_stream_close(struct laxity_mark_stream *stream)
{
    /* Left by a drain process that died, and no mark since: its header is still to be patched. */
    int rc = stream->segment->marks_is_open ? open_stream(stream) : 0;
    if (stream->is_open) {
        const int close_rc = laxity_npy_close(&stream->npy);
        rc = rc ? rc : close_rc;
        stream->is_open = false;
    }
    return rc;
}

uint64_t laxity_lost_marks(struct laxity_segment *segment, uint32_t task_index)
{
    const struct laxity_mark_account *account = &laxity_segment_marks(segment, task_index)->account;
    return account->lost + account->holes;
}
