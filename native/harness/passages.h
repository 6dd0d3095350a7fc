/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The regulated task's side of its passages. In other tasks nothing happens. */
#ifndef LAXITY_HARNESS_PASSAGES_H
#define LAXITY_HARNESS_PASSAGES_H

#include "harness/passage_ring.h"

#include <stdint.h>

/* laxity_passages_open - from now on the jobs of this process write there; NULL = nowhere */
void laxity_passages_open(struct laxity_passage_ring *ring);

/* laxity_passages_start, laxity_passages_finish - just before and after a job, by its thread */
void laxity_passages_start(uint64_t job);
void laxity_passages_finish(void);

/* laxity_passages_mark - of any thread; those of other threads than the jobs' are left out */
void laxity_passages_mark(uint32_t mark);

#endif
