/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* A trace of which only the counts are kept: how often each segment was executed in each context.
 */
#ifndef LAXITY_WORKINGSET_COUNT_H
#define LAXITY_WORKINGSET_COUNT_H

#include <stddef.h>
#include <stdint.h>

/*
 * laxity_count_segments - count the segments among words of a trace
 *
 * What defines contexts, and the end, is moved to the front; the rest is dropped.
 * Returns 0, with the number of words that are left in `word_count`, or -ENOMEM.
 */
int laxity_count_segments(uint64_t *words, size_t *word_count);

/* Calls `tell` once per segment and context: payload of its word, how often it was executed. */
void laxity_count_tell(void (*tell)(uint64_t payload, uint64_t executions));

#endif
