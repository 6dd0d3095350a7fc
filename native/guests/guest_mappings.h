/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Memory that is neither the guest's image nor heap nor stack: stacks of threads, and what it maps.
 *
 * The C library gives the stack of a thread that was joined to a later one: where a thread of a job
 * lies is chance, and so is its pthread_t, which is an address in there. What points into such
 * memory is told by which mapping of all that are pointed into it is, and by its place in there.
 */
#ifndef LAXITY_GUESTS_GUEST_MAPPINGS_H
#define LAXITY_GUESTS_GUEST_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LAXITY_GUEST_MAPPINGS_MAX = 512
};

struct laxity_guest_mapping {
    uintptr_t first;
    uintptr_t end;
    unsigned number; /* the how many-th that was found; 0 = not yet */
};

struct laxity_guest_mappings {
    struct laxity_guest_mapping stack; /* where a frame lies; empty = nobody knows */
    struct laxity_guest_mapping of[LAXITY_GUEST_MAPPINGS_MAX];
    /* Hash of bounds and rights of mappings of files and of those with rights that memory of the C
     * library never has, of rights of heap and stacks. */
    uint64_t shape;
    unsigned n; /* what is beyond the last one counts as no address */
    unsigned n_found;
};

/*
 * laxity_guest_mappings_read - those of now without a name, and the one in which a frame lies
 *
 * None if the kernel does not say.
 */
void laxity_guest_mappings_read(struct laxity_guest_mappings *out_mappings, uintptr_t frame);

/* laxity_guest_mappings_find - which one a word points into, and where; false = none */
bool laxity_guest_mappings_find(
    struct laxity_guest_mappings *mappings,
    uintptr_t word,
    uint64_t *out_number,
    uint64_t *out_offset
);

#endif
