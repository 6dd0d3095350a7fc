/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * How much memory a task's workload needs: what it requests of the heap, what it has mapped, what
 * it touches. Nothing is locked or prefaulted, no huge pages: each page that is there, it touched.
 */
#ifndef LAXITY_HARNESS_MEMORY_NEED_H
#define LAXITY_HARNESS_MEMORY_NEED_H

#include "harness/segment.h"

/*
 * laxity_memory_need_begin - measure from here on; to be called before the workload makes a thread
 *
 * The limit of memory, if there is one, is only noted when it is crossed. Returns 0, or -1 with
 * error set (exit 3) where it cannot be measured.
 */
int laxity_memory_need_begin(struct laxity_task *task);

/* laxity_memory_need_end - take the last look */
void laxity_memory_need_end(void);

#endif
