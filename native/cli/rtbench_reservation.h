/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* RT-Bench's -P, -D and -T: SCHED_DEADLINE in plain nanoseconds. */
#ifndef LAXITY_CLI_RTBENCH_RESERVATION_H
#define LAXITY_CLI_RTBENCH_RESERVATION_H

#include "base/error.h"
#include "base/port/deadline.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns 0, -EINVAL for what is no whole number above 0, -ERANGE if too large. */
int laxity_parse_reserved_ns(const char *text, int64_t *out_ns);

/*
 * laxity_rtbench_complete_reservation - fill in what was left out (0): D = P, T = D
 *
 * They are independent of -p and -d, which are in seconds. All three left out is no reservation.
 * Returns 0, or -1 with error set (exit 2).
 */
int laxity_rtbench_complete_reservation(
    struct laxity_reservation *reservation, bool has_fifo, struct laxity_error *error
);

#endif
