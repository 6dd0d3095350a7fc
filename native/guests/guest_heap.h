/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What a guest itself allocates and opens as a stream, remembered so that it can be taken back.
 *
 * A guest is linked with --wrap=NAME for each of these names, so that its calls come here as
 * __wrap_NAME, and calls of the C library do not: what that allocates for itself must not be freed.
 */
#ifndef LAXITY_GUESTS_GUEST_HEAP_H
#define LAXITY_GUESTS_GUEST_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block that the guest holds. */
struct laxity_heap_block {
    unsigned char *first;
    size_t bytes;    /* that it has asked for */
    uint64_t number; /* for whoever walks over them */
};

/* laxity_guest_heap_watch - remember from now on; makes room for it, once. Returns 0 or -ENOMEM. */
int laxity_guest_heap_watch(void);

/* laxity_guest_heap_mark - what is held from here on is of the next job */
void laxity_guest_heap_mark(void);

/* laxity_guest_heap_take_back - close and free what is left since the mark */
void laxity_guest_heap_take_back(void);

/* laxity_guest_heap_left - blocks and streams held since the mark; 0 unless watching */
size_t laxity_guest_heap_left(void);

/*
 * laxity_guest_heap_fill - what a block holds that the guest has not written yet
 *
 * The same in each job, so that no remains of other blocks are compared. 0: as it was.
 */
void laxity_guest_heap_fill(int byte);

/*
 * laxity_guest_heap_has_reached - whether a word lies among the blocks that there were so far
 *
 * From the first one to the last one, freed or not: a guest that has allocated nothing has no
 * address there.
 */
bool laxity_guest_heap_has_reached(uintptr_t word);

/* laxity_guest_heap_stream_offset - of the stream that is held and reads or writes a descriptor.
 * Returns false: there is none. */
bool laxity_guest_heap_stream_offset(int fd, int64_t *out_offset);

/* laxity_guest_heap_n_blocks - held now (since the mark, if there is one) */
size_t laxity_guest_heap_n_blocks(void);

/* laxity_guest_heap_blocks - copy them, in no order. Returns how many, `room` at most. */
size_t laxity_guest_heap_blocks(struct laxity_heap_block *out_blocks, size_t room);

#endif
