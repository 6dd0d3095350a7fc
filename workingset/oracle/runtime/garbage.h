/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
#ifndef LAXITY_WORKINGSET_GARBAGE_H
#define LAXITY_WORKINGSET_GARBAGE_H

#include <stdint.h>

/* Changes every byte, each time to something else: what is never the same cannot be right by
 * chance. */
void laxity_poison_bytes(void *at, uint64_t size_bytes);

#endif
