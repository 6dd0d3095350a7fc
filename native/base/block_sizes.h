/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * How many bytes each block of a heap was asked for, remembered beside the heap: the blocks
 * themselves stay as large, and lie where they lie, as without anybody who counts.
 *
 * Open addressing, linear probing, deletion without marks: Knuth, The Art of Computer Programming
 * 3, section 6.4, algorithms L and R. The caller gives the memory, of zero bytes, and locks.
 */
#ifndef LAXITY_BASE_BLOCK_SIZES_H
#define LAXITY_BASE_BLOCK_SIZES_H

#include <stdbool.h>
#include <stddef.h>

struct laxity_block_size {
    const void *block; /* NULL = none */
    size_t bytes;
};

/* A table that is full is copied to one twice as large, behind it in the same memory. */
struct laxity_block_sizes {
    struct laxity_block_size *slots;
    size_t n_slots; /* a power of two */
    size_t n_used;
    size_t room_slots; /* from the first slot of this table to the end of the memory */
};

/* laxity_block_sizes_make - an empty table in `bytes` of memory */
void laxity_block_sizes_make(struct laxity_block_sizes *sizes, void *memory, size_t bytes);

/* laxity_block_sizes_put - remember a block that is not in the table. False: there is no room. */
bool laxity_block_sizes_put(struct laxity_block_sizes *sizes, const void *block, size_t bytes);

/* laxity_block_sizes_take - forget a block. Returns its bytes; 0 also of one that is not known. */
size_t laxity_block_sizes_take(struct laxity_block_sizes *sizes, const void *block);

#endif
