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

/*
 * laxity_guest_state_hash - of the state as it is now
 *
 * Comparable within one process only. Addresses of heap and stack count as one and the same value,
 * those in other mappings, as stacks of threads are, by their order: where a block lies is no
 * result.
 */
uint64_t laxity_guest_state_hash(const struct laxity_guest_state *state);

#endif
