/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * How much memory a task's workload holds, and its end when that is too much.
 *
 * Counted from before benchmark_init until after benchmark_teardown: what the harness itself
 * prefaults and maps is no part of it.
 */
#ifndef LAXITY_HARNESS_MEMORY_LIMIT_H
#define LAXITY_HARNESS_MEMORY_LIMIT_H

#include "harness/segment.h"

/*
 * laxity_memory_limit_begin - count this process's requests for memory into `task`
 *
 * A request above the limit ends the process with what exceeded it in its error. Returns 0, or -1
 * with error set (exit 3) where a limit is asked for and nothing can be counted; without a limit
 * that is no failure, and the peak is absent.
 */
int laxity_memory_limit_begin(struct laxity_task *task);

/* laxity_memory_limit_end - count no longer */
void laxity_memory_limit_end(void);

#endif
