/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Times as RT-Bench writes them: plain seconds. */
#ifndef LAXITY_CLI_RTBENCH_SECONDS_H
#define LAXITY_CLI_RTBENCH_SECONDS_H

#include <stdint.h>

/*
 * laxity_parse_seconds - "0.001", "1e-3" or ".5" seconds into nanoseconds, rounded to the nearest
 *
 * In integers, so that 0.001 is 1000000 ns. Scripts hand over what a division gave, so more digits
 * than nanoseconds are right. Returns 0, -EINVAL for what is no such number, -ERANGE if too large.
 */
int laxity_parse_seconds(const char *text, int64_t *out_ns);

#endif
