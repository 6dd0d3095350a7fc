/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The instructions of one job, of all threads, counted by valgrind's callgrind around this process.
 */
#ifndef LAXITY_GUESTS_WORK_H
#define LAXITY_GUESTS_WORK_H

/* laxity_work_can_count - whether this build knows how to ask callgrind */
int laxity_work_can_count(void);

/* laxity_work_begin - count from here; costs a few instructions and does nothing without callgrind
 */
void laxity_work_begin(void);

/* laxity_work_end - no longer; what was counted since begin is dumped as one part */
void laxity_work_end(void);

#endif
