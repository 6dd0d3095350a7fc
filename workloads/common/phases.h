/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Phases of a long loop: each has the same number of turns.
 *
 *   for (size_t i = 0; i < count;) {
 *       const size_t end = workload_begin_phase(ID, i, count, TURNS);
 *       for (; i < end; i++) {
 *
 * A regulator gives slack back where a phase begins (docs/regulation.md). It reads each 50 us, so
 * phases of 100 us or more are of use. A contention table has at most 64.
 */
#ifndef LAXITY_WORKLOADS_PHASES_H
#define LAXITY_WORKLOADS_PHASES_H

#include <laxity/marks.h>

#include <stddef.h>
#include <stdint.h>

/* workload_begin_phase - mark the phase that begins at a turn; returns the first turn of the next
 */
static inline size_t workload_begin_phase(uint32_t id, size_t begin, size_t count, size_t turns)
{
    laxity_phase(id);
    return count - begin < turns ? count : begin + turns;
}

#endif
