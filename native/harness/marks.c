/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/marks.h"

#include "base/port/time.h"
#include "harness/mark_ring.h"
#include "harness/mark_table.h"
#include "harness/passages.h"
#include "schema/streams.h"

#include <laxity/marks.h>

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

enum {
    WIDE_ID_BYTES = 4,
    VALUE_BYTES = 8,
    BITS_PER_BYTE = 8
};

/* Programs of simulated platforms have the table at an address of their own
 * (sim/interface/records.h).
 */
#ifdef LAXITY_MARK_SECTION
#define PLACED __attribute__((section(LAXITY_MARK_SECTION)))
/* The platform sees the table; a call would move the code of each program. */
#define TELL_REGULATOR(id) ((void)0)
#else
#define PLACED
#define TELL_REGULATOR(id) laxity_passages_mark(id)
#endif

/* Written to and never read: what counts is the address. */
PLACED volatile uint8_t laxity_mark_table[LAXITY_MARK_TABLE_BYTES];

/* A workload knows no harness that it could hand to laxity_phase. Set before any hook is called. */
static struct laxity_mark_ring *own_ring;

/* A system call once per thread. */
static _Thread_local int32_t own_tid;

void laxity_marks_open(struct laxity_mark_ring *ring)
{
    own_ring = ring;
}

static void show_bytes(uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        laxity_mark_table[LAXITY_MARK_BYTES + (uint8_t)(value >> (BITS_PER_BYTE * i))] = 1;
    }
}

static void show_mark(unsigned narrow, unsigned wide, uint32_t id)
{
    if (id < LAXITY_MARK_BYTE_VALUES) {
        laxity_mark_table[narrow + id] = 1;
        return;
    }
    laxity_mark_table[wide] = 1;
    show_bytes(id, WIDE_ID_BYTES);
}

/* The clock comes first: what a mark costs lies behind its own time, in the phase that it begins.
 */
static void record(enum laxity_mark_kind kind, uint32_t id, int64_t value)
{
    if (!own_ring) {
        return;
    }
    const int64_t time_ns = laxity_now_ns();
    if (own_tid == 0) {
        own_tid = (int32_t)gettid();
    }
    (void)laxity_mark_push(own_ring, kind, id, value, own_tid, time_ns);
}

void laxity_record_phase(uint32_t id)
{
    show_mark(LAXITY_MARK_PHASES, LAXITY_MARK_WIDE_PHASE, id);
    TELL_REGULATOR(id);
    record(LAXITY_MARK_KIND_PHASE, id, LAXITY_ABSENT_NS);
}

void laxity_record_probe(uint32_t id, int64_t value)
{
    show_mark(LAXITY_MARK_PROBES, LAXITY_MARK_WIDE_PROBE, id);
    show_bytes((uint64_t)value, VALUE_BYTES);
    record(LAXITY_MARK_KIND_PROBE, id, value);
}
