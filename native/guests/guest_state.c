/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_state.h"

#include "guests/fnv.h"
#include "guests/guest_image.h"
#include "guests/guest_mappings.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    /* What stands for the address of something on heap or stack. */
    SOME_ADDRESS = 1,
    /* Frames of a job lie below that of its caller; no stack here is larger. */
    STACK_REACH_BYTES = 64 << 20,
};

/* The linker's: where the executable's own data end, and the heap begins. */
extern char end[];

static int add_region(void *context, uintptr_t first, uintptr_t end_address)
{
    struct laxity_guest_state *state = context;
    if (end_address <= first) {
        return 0;
    }
    if (state->n_regions == LAXITY_STATE_REGIONS_MAX) {
        return -E2BIG;
    }
    const size_t bytes = end_address - first;
    unsigned char *kept = malloc(bytes);
    if (!kept) {
        return -ENOMEM;
    }
    /* Loader and linker know addresses as numbers only. */
    unsigned char *data = (unsigned char *)first; /* NOLINT(performance-no-int-to-ptr) */
    memcpy(kept, data, bytes);
    state->regions[state->n_regions++] = (struct laxity_state_region){data, bytes, kept};
    state->bytes += bytes;
    return 0;
}

int laxity_guest_state_keep(void *image, struct laxity_guest_state *out_state)
{
    *out_state = (struct laxity_guest_state){.n_regions = 0};
    return laxity_image_each_region(image, add_region, out_state);
}

void laxity_guest_state_restore(const struct laxity_guest_state *state)
{
    for (unsigned i = 0; i < state->n_regions; i++) {
        memcpy(state->regions[i].first, state->regions[i].kept, state->regions[i].bytes);
    }
}

static bool is_heap_or_stack(uintptr_t word, uintptr_t heap_end, uintptr_t frame)
{
    const uintptr_t heap_first = (uintptr_t)end;
    return (word >= heap_first && word < heap_end) ||
           (word >= frame - STACK_REACH_BYTES && word < frame + STACK_REACH_BYTES);
}

/* Where something lies on heap, stack or in a mapping is no result; which mapping it is, is one. */
static uint64_t add_word(
    uint64_t hash,
    uintptr_t word,
    uintptr_t heap_end,
    uintptr_t frame,
    struct laxity_guest_mappings *mappings
)
{
    uint64_t number = 0;
    uint64_t offset = 0;
    if (is_heap_or_stack(word, heap_end, frame)) {
        return laxity_fnv_add(hash, SOME_ADDRESS);
    }
    if (laxity_guest_mappings_find(mappings, word, &number, &offset)) {
        return laxity_fnv_add(laxity_fnv_add(hash, number), offset);
    }
    return laxity_fnv_add(hash, word);
}

uint64_t laxity_guest_state_hash(const struct laxity_guest_state *state)
{
    static struct laxity_guest_mappings mappings;
    const uintptr_t heap_end = (uintptr_t)sbrk(0);
    const uintptr_t frame = (uintptr_t)&heap_end;
    uint64_t hash = LAXITY_FNV_BASIS;
    laxity_guest_mappings_read(&mappings);
    for (unsigned i = 0; i < state->n_regions; i++) {
        const unsigned char *data = state->regions[i].first;
        size_t at = 0;
        for (; at + sizeof(uintptr_t) <= state->regions[i].bytes; at += sizeof(uintptr_t)) {
            uintptr_t word = 0;
            memcpy(&word, data + at, sizeof word);
            hash = add_word(hash, word, heap_end, frame, &mappings);
        }
        for (; at < state->regions[i].bytes; at++) {
            hash = laxity_fnv_add(hash, data[at]);
        }
    }
    return hash;
}
