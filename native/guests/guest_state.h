/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The whole writable state of a guest: kept, put back, hashed. */
#ifndef LAXITY_GUESTS_GUEST_STATE_H
#define LAXITY_GUESTS_GUEST_STATE_H

#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_STATE_REGIONS_MAX = 16
};

struct laxity_state_region {
    unsigned char *first;
    size_t bytes;
    unsigned char *kept;
};

struct laxity_guest_state {
    struct laxity_state_region regions[LAXITY_STATE_REGIONS_MAX];
    unsigned n_regions;
    size_t bytes; /* of all regions */
    /* Behind all frames of the guest; argv and the environment lie there. What points there counts
     * as one and the same value. */
    uintptr_t stack_end;
};

/*
 * laxity_guest_state_keep - copy the writable state of an image (guest_image.h)
 *
 * Returns 0, -ENOMEM, or -E2BIG: there
 * are more regions than anybody has seen. Freed by nobody: it lives as long as the guest.
 */
int laxity_guest_state_keep(void *image, struct laxity_guest_state *out_state);

/* laxity_guest_state_restore - put back what was kept */
void laxity_guest_state_restore(const struct laxity_guest_state *state);

/* What the writable state is now, to be compared within one process. */
struct laxity_state_look {
    uint64_t data_hash; /* of the regions */
    uint64_t heap_hash; /* of the guest's own blocks that are reached from them */
    uint64_t n_blocks;  /* reached */
    uint64_t block_bytes;
};

/*
 * laxity_guest_state_look - hash the state as it is now
 *
 * Blocks are numbered in the order in which they are reached, and where a word points into a block
 * its number and the offset count, not the address: where a block lies is no result. All other
 * addresses of heap count as one and the same value, those in other mappings, as stacks of threads
 * are, by their order and offset. Blocks that nothing reaches are not looked at. If there is no
 * memory for it, both hashes are 0.
 */
void laxity_guest_state_look(
    const struct laxity_guest_state *state, struct laxity_state_look *out_look
);

#endif
