/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * How much work one job is, of all its threads, counted in two ways.
 *
 * Instructions, by valgrind's callgrind around this process. Or basic blocks, by the guest itself:
 * a witness where neither valgrind nor a counter of the machine is, as under an emulator. A guest
 * that is compiled with -fsanitize-coverage=trace-pc calls __sanitizer_cov_trace_pc at the
 * beginning of each of its basic blocks; what the C library does for it is not counted.
 */
#ifndef LAXITY_GUESTS_WORK_H
#define LAXITY_GUESTS_WORK_H

#include <stdint.h>

/* laxity_work_can_count - whether this build knows how to ask callgrind */
int laxity_work_can_count(void);

/* laxity_work_begin - count from here; costs a few instructions and does nothing without callgrind
 */
void laxity_work_begin(void);

/* laxity_work_end - no longer; what was counted since begin is dumped as one part */
void laxity_work_end(void);

/* laxity_blocks_begin - count those of all threads from here */
void laxity_blocks_begin(void);

/* laxity_blocks_counted - since the beginning; 0 = the guest was not compiled for it */
uint64_t laxity_blocks_counted(void);

#endif
