/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/page_ranges.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The first range that ends at `address` or behind it: the first that `address` could touch. */
static size_t first_reaching(const struct laxity_ranges *ranges, uintptr_t address)
{
    size_t low = 0;
    size_t high = ranges->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ranges->items[middle].end < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Puts `n_new` (at most 2) ranges in place of those in [from, to). */
static void replace(
    struct laxity_ranges *ranges,
    size_t from,
    size_t to,
    const struct laxity_range *new_items,
    size_t n_new
)
{
    struct laxity_range *items = ranges->items;
    memmove(&items[from + n_new], &items[to], (ranges->n - to) * sizeof *items);
    memcpy(&items[from], new_items, n_new * sizeof *items);
    ranges->n = ranges->n - (to - from) + n_new;
}

static uintptr_t larger(uintptr_t left, uintptr_t right)
{
    return left > right ? left : right;
}

static uintptr_t smaller(uintptr_t left, uintptr_t right)
{
    return left < right ? left : right;
}

static size_t overlap_bytes(struct laxity_range left, struct laxity_range right)
{
    const uintptr_t begin = larger(left.begin, right.begin);
    const uintptr_t end = smaller(left.end, right.end);
    return end > begin ? end - begin : 0;
}

size_t laxity_ranges_covered(const struct laxity_ranges *ranges, struct laxity_range part)
{
    size_t bytes = 0;
    for (size_t i = first_reaching(ranges, part.begin);
         i < ranges->n && ranges->items[i].begin < part.end;
         i++) {
        bytes += overlap_bytes(ranges->items[i], part);
    }
    return bytes;
}

size_t laxity_ranges_add(struct laxity_ranges *ranges, struct laxity_range part)
{
    const size_t bytes = part.end - part.begin - laxity_ranges_covered(ranges, part);
    const size_t from = first_reaching(ranges, part.begin);
    size_t to = from;
    for (; to < ranges->n && ranges->items[to].begin <= part.end; to++) {
        part.begin = smaller(part.begin, ranges->items[to].begin);
        part.end = larger(part.end, ranges->items[to].end);
    }
    replace(ranges, from, to, &part, 1);
    return bytes;
}

size_t laxity_ranges_remove(struct laxity_ranges *ranges, struct laxity_range part)
{
    const size_t bytes = laxity_ranges_covered(ranges, part);
    if (bytes == 0) {
        return 0;
    }
    /* What is left at both ends. The first may only touch: then it stays as it is. */
    const size_t from = first_reaching(ranges, part.begin);
    size_t to = from;
    struct laxity_range left[2];
    size_t n_left = 0;
    for (; to < ranges->n && ranges->items[to].begin < part.end; to++) {
        const struct laxity_range old = ranges->items[to];
        if (old.begin < part.begin) {
            left[n_left++] = (struct laxity_range){old.begin, smaller(old.end, part.begin)};
        }
        if (old.end > part.end) {
            left[n_left++] = (struct laxity_range){part.end, old.end};
        }
    }
    replace(ranges, from, to, left, n_left);
    return bytes;
}
