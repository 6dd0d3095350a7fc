/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/*
 * What is dead where, for the runtime that poisons: a header, one set per context and instruction
 * (uint32_t, contexts outermost), the first range of each set (uint64_t, one more than there are
 * sets), the ranges. Contexts count as in the trace it is made from.
 */
#ifndef LAXITY_WORKINGSET_POISON_TABLE_H
#define LAXITY_WORKINGSET_POISON_TABLE_H

#include "trace_words.h"

struct laxity_poison_header {
    uint64_t context_count;
    uint64_t instruction_count;
    uint64_t set_starts_offset; /* bytes from the header */
    uint64_t ranges_offset;
};

/* Nothing is known to be dead there. */
#define LAXITY_POISON_NOTHING UINT32_MAX

struct laxity_poison_range {
    uint64_t object; /* enum laxity_trace_object << 32 | index */
    uint64_t first_byte;
    uint64_t end_byte;
};

#endif
