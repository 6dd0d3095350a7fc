/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A set of address ranges, disjoint and in order; neighbours that touch are one.
 *
 * Which mappings are counted: what munmap and a MAP_FIXED take away can only be told from what was
 * added. The caller gives the memory for the ranges, because this must not allocate.
 */
#ifndef LAXITY_BASE_PAGE_RANGES_H
#define LAXITY_BASE_PAGE_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct laxity_range {
    uintptr_t begin;
    uintptr_t end; /* exclusive */
};

struct laxity_ranges {
    struct laxity_range *items;
    size_t n;
    size_t room; /* each call of add or remove needs room for one more than n */
};

/* laxity_ranges_covered - how many bytes of `part` are in the set */
size_t laxity_ranges_covered(const struct laxity_ranges *ranges, struct laxity_range part);

/* laxity_ranges_add - put `part` into the set. Returns how many of its bytes were not in it. */
size_t laxity_ranges_add(struct laxity_ranges *ranges, struct laxity_range part);

/* laxity_ranges_remove - take `part` out of the set. Returns how many of its bytes were in it. */
size_t laxity_ranges_remove(struct laxity_ranges *ranges, struct laxity_range part);

#endif
