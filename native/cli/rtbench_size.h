/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Sizes as RT-Bench's -m has them. */
#ifndef LAXITY_CLI_RTBENCH_SIZE_H
#define LAXITY_CLI_RTBENCH_SIZE_H

#include <stdint.h>

/*
 * laxity_parse_rtbench_bytes - "65536", "64K", "1m" or "2G" into bytes
 *
 * K, M and G are powers of 1024. No sign, no blanks, no fraction. Returns 0, -EINVAL for what is no
 * such size, -ERANGE above 1 TiB.
 */
int laxity_parse_rtbench_bytes(const char *text, uint64_t *out_bytes);

#endif
