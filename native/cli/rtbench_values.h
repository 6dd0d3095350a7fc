/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Values as RT-Bench's options have them: times and sizes without laxity's units. */
#ifndef LAXITY_CLI_RTBENCH_VALUES_H
#define LAXITY_CLI_RTBENCH_VALUES_H

#include "base/error.h"
#include "base/port/deadline.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * laxity_parse_seconds - "0.001", "1e-3" or ".5" seconds into nanoseconds, rounded to the nearest
 *
 * In integers, so that 0.001 is 1000000 ns. Scripts hand over what a division gave, so more digits
 * than nanoseconds are right. Returns 0, -EINVAL for what is no such number, -ERANGE if too large.
 */
int laxity_parse_seconds(const char *text, int64_t *out_ns);

/*
 * laxity_parse_rtbench_bytes - "65536", "64K", "1m" or "2G" into bytes
 *
 * K, M and G are powers of 1024. No sign, no blanks, no fraction. Returns 0, -EINVAL for what is no
 * such size, -ERANGE above 1 TiB.
 */
int laxity_parse_rtbench_bytes(const char *text, uint64_t *out_bytes);

/*
 * laxity_parse_reserved_ns - plain nanoseconds, as RT-Bench's -P, -D and -T have them
 *
 * Returns 0, -EINVAL for what is no whole number above 0, -ERANGE if too large.
 */
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
