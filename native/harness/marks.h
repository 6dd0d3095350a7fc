/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The task's side of the marks (laxity/marks.h). */
#ifndef LAXITY_HARNESS_MARKS_H
#define LAXITY_HARNESS_MARKS_H

#include "harness/mark_ring.h"
#include "harness/mark_table.h"

#include <stdint.h>

extern volatile uint8_t laxity_mark_table[LAXITY_MARK_TABLE_BYTES];

/* laxity_marks_open - from now on the marks of this process go into ring; NULL = nowhere */
void laxity_marks_open(struct laxity_mark_ring *ring);

#endif
