/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a process other than ours has used, and where its memory is. */
#ifndef LAXITY_PROGRAMS_PROCESS_USAGE_H
#define LAXITY_PROGRAMS_PROCESS_USAGE_H

#include "programs/hold.h"

#include <stdint.h>
#include <sys/types.h>

/* laxity_process_time_ns - its processor time, also once it has ended and is not reaped; INT64_MIN
 * = not told */
int64_t laxity_process_time_ns(pid_t process);

/* laxity_process_cpu - where it ran last; INT32_MIN = not told */
int32_t laxity_process_cpu(pid_t process);

/* laxity_read_process_usage - of one that is stopped; INT32_MIN and INT64_MIN = not told */
void laxity_read_process_usage(pid_t process, struct laxity_hold_start *start);

/* laxity_touch_process - make the pages of a stopped process present; what cannot be is left */
void laxity_touch_process(pid_t process);

#endif
