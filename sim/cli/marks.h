/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* From the marks that a platform sees, a byte each, to what laxity_phase and laxity_probe were
 * told. */
#ifndef LAXITY_SIM_MARKS_H
#define LAXITY_SIM_MARKS_H

#include "harness/mark_stream.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stdint.h>

/* What is still to come of a mark of one task. */
struct laxity_sim_mark {
    enum laxity_mark_kind kind;
    uint32_t id;
    int64_t time_ns; /* of its first byte */
    uint64_t value;
    unsigned id_bytes; /* that are still to come, the lowest first; so of the value */
    unsigned value_bytes;
    bool is_begun;
};

/* laxity_sim_mark_is_phase - whether a mark of the table (harness/mark_table.h) begins a phase */
bool laxity_sim_mark_is_phase(uint32_t which);

/*
 * laxity_sim_mark_take - go on with a mark by one of the table's (harness/mark_table.h)
 *
 * Whether it is whole now: kind, id, time and value say what it is. What does not fit is left out.
 */
bool laxity_sim_mark_take(struct laxity_sim_mark *mark, uint32_t which, int64_t time_ns);

/* laxity_sim_mark_store - put a whole mark into the ring of a task, which is drained if it is full.
 * Returns 0 or -errno. */
int laxity_sim_mark_store(
    struct laxity_mark_stream *stream,
    uint32_t task,
    int32_t tid,
    const struct laxity_sim_mark *mark
);

#endif
