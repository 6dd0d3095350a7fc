/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Text that compresses as prose does: words of a small vocabulary, the first ones much more often
 * than the last. */
#ifndef LAXITY_WORKLOADS_TEXT_H
#define LAXITY_WORKLOADS_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* `count` letters, spaces and ends of lines; no final 0. */
void workload_make_text(char *text, size_t count, uint64_t seed);

#endif
