/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The basic blocks of one job, counted by the guest itself: a witness of its work where neither
 * valgrind nor a counter of the machine is, as under an emulator.
 *
 * A guest that is compiled with -fsanitize-coverage=trace-pc calls __sanitizer_cov_trace_pc at the
 * beginning of each of its basic blocks. What the C library does for it is not counted.
 */
#ifndef LAXITY_GUESTS_BLOCKS_H
#define LAXITY_GUESTS_BLOCKS_H

#include <stdint.h>

/* laxity_blocks_begin - count those of all threads from here */
void laxity_blocks_begin(void);

/* laxity_blocks_counted - since the beginning; 0 = the guest was not compiled for it */
uint64_t laxity_blocks_counted(void);

#endif
