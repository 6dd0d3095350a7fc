/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/*
 * What is dead where, for the runtime that poisons. Contexts count as in the trace it is made from.
 *
 * A context has a row: a set for each end of a segment of its function. A set is a list of
 * patterns, a pattern is what is dead of one object: ranges of bytes. All arrays that a start is
 * looked up in have one entry more than there are things.
 */
#ifndef LAXITY_WORKINGSET_POISON_TABLE_H
#define LAXITY_WORKINGSET_POISON_TABLE_H

#include "trace_words.h"

enum laxity_poison_array {         /* NOLINT(performance-enum-size): C has no other size */
    LAXITY_POISON_OBJECTS,         /* uint64_t: enum laxity_trace_object << 32 | index; ascending */
    LAXITY_POISON_ROW_STARTS,      /* uint64_t, by context: where its row begins, or NO_ROW */
    LAXITY_POISON_ENDS,            /* uint32_t, by instruction: which end of its function it is */
    LAXITY_POISON_ROWS,            /* uint32_t: sets, by end; contexts share rows */
    LAXITY_POISON_SET_STARTS,      /* uint64_t, by set */
    LAXITY_POISON_SETS,            /* uint32_t: patterns */
    LAXITY_POISON_PATTERN_STARTS,  /* uint64_t, by pattern */
    LAXITY_POISON_PATTERN_OBJECTS, /* uint32_t, by pattern: place among the objects */
    LAXITY_POISON_RANGES,          /* struct laxity_poison_range */
    LAXITY_POISON_ARRAYS,
};

struct laxity_poison_header {
    uint64_t context_count;
    uint64_t instruction_count;
    uint64_t object_count;
    uint64_t starts[LAXITY_POISON_ARRAYS]; /* bytes from the header; multiples of 8 */
};

/* Nothing is known to be dead there. */
#define LAXITY_POISON_NOTHING UINT32_MAX
#define LAXITY_POISON_NO_ROW UINT64_MAX

struct laxity_poison_range {
    uint64_t first_byte;
    uint64_t end_byte;
};

#endif
