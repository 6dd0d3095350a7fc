/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The task's side of the marks (laxity/marks.h). */
#ifndef LAXITY_HARNESS_MARKS_H
#define LAXITY_HARNESS_MARKS_H

#include "harness/mark_ring.h"

#include <stdint.h>

/*
 * What a platform sees that runs the program in virtual time: each mark stores one byte at an
 * address that says which mark it is, a probe then one byte for each byte of its value.
 *
 *   MARK_PHASES + id, MARK_PROBES + id    ids below 256
 *   MARK_WIDE_PHASE, MARK_WIDE_PROBE      other ids: four bytes follow, the lowest first
 *   MARK_BYTES + byte                     a byte of a wide id, or of a probe's value (eight, lowest
 *                                         first)
 */
enum {
    LAXITY_MARK_BYTE_VALUES = 256,
    LAXITY_MARK_PHASES = 0,
    LAXITY_MARK_PROBES = LAXITY_MARK_PHASES + LAXITY_MARK_BYTE_VALUES,
    LAXITY_MARK_BYTES = LAXITY_MARK_PROBES + LAXITY_MARK_BYTE_VALUES,
    LAXITY_MARK_WIDE_PHASE = LAXITY_MARK_BYTES + LAXITY_MARK_BYTE_VALUES,
    LAXITY_MARK_WIDE_PROBE,
    LAXITY_MARK_TABLE_BYTES,
};

extern volatile uint8_t laxity_mark_table[LAXITY_MARK_TABLE_BYTES];

/* laxity_marks_open - from now on the marks of this process go into ring; NULL = nowhere */
void laxity_marks_open(struct laxity_mark_ring *ring);

#endif
