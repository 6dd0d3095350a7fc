/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/block_sizes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SLOTS_AT_FIRST = 1 << 12,
    BLOCK_ALIGN_BITS = 3, /* below them all addresses of blocks are alike */
};

/* Of the golden ratio (Knuth, as above). */
#define HASH_FACTOR UINT64_C(11400714819323198485)

void laxity_block_sizes_make(struct laxity_block_sizes *sizes, void *memory, size_t bytes)
{
    const size_t room_slots = bytes / sizeof(struct laxity_block_size);
    *sizes = (struct laxity_block_sizes){
        .slots = memory,
        .n_slots = room_slots < SLOTS_AT_FIRST ? 0 : SLOTS_AT_FIRST,
        .room_slots = room_slots,
    };
}

static size_t home_of(const struct laxity_block_sizes *sizes, const void *block)
{
    const uint64_t hash = ((uint64_t)(uintptr_t)block >> BLOCK_ALIGN_BITS) * HASH_FACTOR;
    return (size_t)(hash >> 32) & (sizes->n_slots - 1);
}

static void insert(struct laxity_block_sizes *sizes, const void *block, size_t bytes)
{
    size_t at = home_of(sizes, block);
    while (sizes->slots[at].block) {
        at = (at + 1) & (sizes->n_slots - 1);
    }
    sizes->slots[at] = (struct laxity_block_size){block, bytes};
    sizes->n_used++;
}

static bool grow(struct laxity_block_sizes *sizes)
{
    if (sizes->n_slots == 0 || sizes->room_slots < 3 * sizes->n_slots) {
        return false;
    }
    struct laxity_block_sizes larger = {
        .slots = sizes->slots + sizes->n_slots,
        .n_slots = 2 * sizes->n_slots,
        .room_slots = sizes->room_slots - sizes->n_slots,
    };
    for (size_t i = 0; i < sizes->n_slots; i++) {
        if (sizes->slots[i].block) {
            insert(&larger, sizes->slots[i].block, sizes->slots[i].bytes);
        }
    }
    *sizes = larger;
    return true;
}

bool laxity_block_sizes_put(struct laxity_block_sizes *sizes, const void *block, size_t bytes)
{
    /* One slot is always empty, or a search would not end. */
    const bool is_crowded = sizes->n_used * 2 >= sizes->n_slots;
    if (is_crowded && !grow(sizes) && sizes->n_used + 1 >= sizes->n_slots) {
        return false;
    }
    insert(sizes, block, bytes);
    return true;
}

/* Moves up those behind it that would not be found any more. */
static void close_gap(struct laxity_block_sizes *sizes, size_t gap)
{
    const size_t mask = sizes->n_slots - 1;
    for (size_t at = (gap + 1) & mask; sizes->slots[at].block; at = (at + 1) & mask) {
        const size_t home = home_of(sizes, sizes->slots[at].block);
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            sizes->slots[gap] = sizes->slots[at];
            gap = at;
        }
    }
    sizes->slots[gap] = (struct laxity_block_size){NULL, 0};
}

size_t laxity_block_sizes_take(struct laxity_block_sizes *sizes, const void *block)
{
    if (sizes->n_slots == 0) {
        return 0;
    }
    size_t at = home_of(sizes, block);
    while (sizes->slots[at].block && sizes->slots[at].block != block) {
        at = (at + 1) & (sizes->n_slots - 1);
    }
    const size_t bytes = sizes->slots[at].bytes;
    if (sizes->slots[at].block) {
        sizes->n_used--;
        close_gap(sizes, at);
    }
    return bytes;
}
