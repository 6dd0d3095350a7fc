/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_state.h"

#include "guests/fnv.h"
#include "guests/guest_heap.h"
#include "guests/guest_image.h"
#include "guests/guest_mappings.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    /* What stands for an address, in front of what is known of it. */
    SOME_ADDRESS = 1,
    INTO_BLOCK,
    INTO_STACK,
    INTO_MAPPING,
    LEAST_ADDRESS = 4096, /* nothing is mapped below */
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
    *out_state = (struct laxity_guest_state){.stack_end = (uintptr_t)__builtin_frame_address(0)};
    return laxity_image_each_region(image, add_region, out_state);
}

void laxity_guest_state_restore(const struct laxity_guest_state *state)
{
    for (unsigned i = 0; i < state->n_regions; i++) {
        memcpy(state->regions[i].first, state->regions[i].kept, state->regions[i].bytes);
    }
}

/* One look at everything that is reached from the regions. */
struct walk {
    struct laxity_heap_block *blocks; /* by address */
    size_t n_blocks;
    size_t *reached; /* places in `blocks`, in order */
    size_t n_reached;
    struct laxity_guest_mappings *mappings;
    uintptr_t heap_end;
    uintptr_t frame;
    uintptr_t stack_end;
    uint64_t hash;
};

static int by_address(const void *one, const void *other)
{
    const struct laxity_heap_block *left = one;
    const struct laxity_heap_block *right = other;
    return (left->first > right->first) - (left->first < right->first);
}

/* The last block that begins there or before; its end belongs to it: a pointer behind an array. */
static struct laxity_heap_block *find_block(const struct walk *walk, uintptr_t word)
{
    size_t low = 0;
    size_t high = walk->n_blocks;
    if (high == 0 || word < (uintptr_t)walk->blocks[0].first) {
        return NULL; /* nearly every word */
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)walk->blocks[middle].first <= word) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    struct laxity_heap_block *block = &walk->blocks[low - 1];
    return word - (uintptr_t)block->first <= block->bytes ? block : NULL;
}

static void add(struct walk *walk, uint64_t value)
{
    walk->hash = laxity_fnv_add(walk->hash, value);
}

/* All of 64 bits hardly ever, but of 32 bits: 2.01 is an address in the heap of an emulator. */
static bool may_be_number(void)
{
    return UINTPTR_MAX == UINT32_MAX;
}

/* Somewhere in the heap, but in no block that the guest holds: one it has freed, or another's. */
static bool is_in_heap(const struct walk *walk, uintptr_t word)
{
    return word >= (uintptr_t)end && word < walk->heap_end &&
           (!may_be_number() || laxity_guest_heap_has_reached(word));
}

/* Tag bits in front of or within an address are a part of its offset. */
static void add_word(struct walk *walk, uintptr_t word)
{
    uint64_t number = 0;
    uint64_t offset = 0;
    struct laxity_heap_block *block = word < LEAST_ADDRESS ? NULL : find_block(walk, word);
    if (block) {
        if (block->number == 0) {
            walk->reached[walk->n_reached++] = (size_t)(block - walk->blocks);
            block->number = walk->n_reached;
        }
        add(walk, INTO_BLOCK);
        add(walk, block->number);
        add(walk, word - (uintptr_t)block->first);
    } else if (word >= walk->mappings->stack.first && word < walk->mappings->stack.end) {
        add(walk, INTO_STACK);
        add(walk, word < walk->stack_end ? word - walk->frame : 0);
    } else if (is_in_heap(walk, word)) {
        add(walk, SOME_ADDRESS);
    } else if (word >= LEAST_ADDRESS &&
               laxity_guest_mappings_find(walk->mappings, word, &number, &offset)) {
        add(walk, INTO_MAPPING);
        add(walk, number);
        add(walk, offset);
    } else {
        add(walk, word);
    }
}

static void add_bytes(struct walk *walk, const unsigned char *data, size_t bytes)
{
    size_t at = 0;
    for (; at + sizeof(uintptr_t) <= bytes; at += sizeof(uintptr_t)) {
        uintptr_t word = 0;
        memcpy(&word, data + at, sizeof word);
        add_word(walk, word);
    }
    for (; at < bytes; at++) {
        add(walk, data[at]);
    }
}

static void *map(size_t bytes)
{
    void *memory = mmap(
        NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0
    );
    return memory == MAP_FAILED ? NULL : memory;
}

static void
look(struct walk *walk, const struct laxity_guest_state *state, struct laxity_state_look *out_look)
{
    walk->hash = LAXITY_FNV_BASIS;
    for (unsigned i = 0; i < state->n_regions; i++) {
        add_bytes(walk, state->regions[i].first, state->regions[i].bytes);
    }
    out_look->data_hash = walk->hash;
    walk->hash = LAXITY_FNV_BASIS;
    /* A block may reach further ones, which then stand behind it. */
    for (size_t i = 0; i < walk->n_reached; i++) {
        const struct laxity_heap_block *block = &walk->blocks[walk->reached[i]];
        add(walk, block->bytes);
        add_bytes(walk, block->first, block->bytes);
        out_look->block_bytes += block->bytes;
    }
    out_look->heap_hash = walk->hash;
    out_look->n_blocks = walk->n_reached;
}

/* What it needs itself it takes from nobody's heap. */
void laxity_guest_state_look(
    const struct laxity_guest_state *state, struct laxity_state_look *out_look
)
{
    static struct laxity_guest_mappings mappings;
    const size_t room = laxity_guest_heap_n_blocks() + 1;
    struct walk walk = {
        .heap_end = (uintptr_t)sbrk(0),
        .frame = (uintptr_t)__builtin_frame_address(0),
        .stack_end = state->stack_end,
        .mappings = &mappings,
    };
    *out_look = (struct laxity_state_look){.data_hash = 0};
    laxity_guest_mappings_read(&mappings, walk.frame);
    walk.blocks = map(room * sizeof *walk.blocks);
    walk.reached = map(room * sizeof *walk.reached);
    if (walk.blocks && walk.reached) {
        walk.n_blocks = laxity_guest_heap_blocks(walk.blocks, room);
        qsort(walk.blocks, walk.n_blocks, sizeof *walk.blocks, by_address);
        look(&walk, state, out_look);
    }
    if (walk.blocks) {
        (void)munmap(walk.blocks, room * sizeof *walk.blocks);
    }
    if (walk.reached) {
        (void)munmap(walk.reached, room * sizeof *walk.reached);
    }
}
