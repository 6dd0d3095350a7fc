/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/marks.h"

#include "base/port/time.h"
#include "harness/mark_ring.h"
#include "harness/mark_stream.h"
#include "harness/mark_table.h"
#include "harness/segment.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    WIDE_ID_BYTES = 4,
    VALUE_BYTES = 8,
    BITS_PER_BYTE = 8
};

bool laxity_sim_mark_is_phase(uint32_t which)
{
    return which < LAXITY_MARK_PROBES || which == LAXITY_MARK_WIDE_PHASE;
}

static struct laxity_sim_mark begun(uint32_t which, int64_t time_ns)
{
    const bool is_wide = which == LAXITY_MARK_WIDE_PHASE || which == LAXITY_MARK_WIDE_PROBE;
    const bool is_phase = laxity_sim_mark_is_phase(which);
    return (struct laxity_sim_mark){
        .kind = is_phase ? LAXITY_MARK_KIND_PHASE : LAXITY_MARK_KIND_PROBE,
        .id = is_wide ? 0 : which % LAXITY_MARK_BYTE_VALUES,
        .time_ns = time_ns,
        .value = is_phase ? (uint64_t)LAXITY_ABSENT_NS : 0,
        .id_bytes = is_wide ? WIDE_ID_BYTES : 0,
        .value_bytes = is_phase ? 0 : VALUE_BYTES,
        .is_begun = true,
    };
}

static void add_byte(struct laxity_sim_mark *mark, uint64_t byte)
{
    if (mark->id_bytes > 0) {
        mark->id |= (uint32_t)byte << (BITS_PER_BYTE * (WIDE_ID_BYTES - mark->id_bytes));
        mark->id_bytes--;
        return;
    }
    mark->value |= byte << (BITS_PER_BYTE * (VALUE_BYTES - mark->value_bytes));
    mark->value_bytes--;
}

bool laxity_sim_mark_take(struct laxity_sim_mark *mark, uint32_t which, int64_t time_ns)
{
    const bool is_byte = which >= LAXITY_MARK_BYTES && which < LAXITY_MARK_WIDE_PHASE;
    if (is_byte && !mark->is_begun) {
        return false;
    }
    if (is_byte) {
        add_byte(mark, which - LAXITY_MARK_BYTES);
    } else {
        *mark = begun(which, time_ns);
    }
    const bool is_whole = mark->id_bytes == 0 && mark->value_bytes == 0;
    mark->is_begun = !is_whole;
    return is_whole;
}

int laxity_sim_mark_store(
    struct laxity_mark_stream *stream,
    uint32_t task,
    int32_t tid,
    const struct laxity_sim_mark *mark
)
{
    struct laxity_mark_ring *ring = laxity_segment_marks(stream->segment, task);
    const uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    const uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    const int rc = head - tail == LAXITY_MARK_SLOTS ? laxity_mark_stream_drain(stream, false) : 0;
    if (rc == 0) {
        (void
        )laxity_mark_push(ring, mark->kind, mark->id, (int64_t)mark->value, tid, mark->time_ns);
    }
    return rc;
}
