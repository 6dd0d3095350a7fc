/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_state.h"

#include "guests/fnv.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
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

struct search {
    uintptr_t base;
    struct laxity_guest_state *state;
    int rc;
};

/* What the loader has made read-only, rounded as it does. */
struct read_only {
    uintptr_t first;
    uintptr_t end;
};

static struct read_only read_only_of(const struct dl_phdr_info *object)
{
    const uintptr_t page_mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type == PT_GNU_RELRO) {
            const uintptr_t first = object->dlpi_addr + header->p_vaddr;
            return (struct read_only){first & page_mask, (first + header->p_memsz) & page_mask};
        }
    }
    return (struct read_only){0, 0};
}

static int add_region(struct laxity_guest_state *state, uintptr_t first, uintptr_t end_address)
{
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
    /* The loader knows addresses as numbers only. */
    unsigned char *data = (unsigned char *)first; /* NOLINT(performance-no-int-to-ptr) */
    memcpy(kept, data, bytes);
    state->regions[state->n_regions++] = (struct laxity_state_region){data, bytes, kept};
    state->bytes += bytes;
    return 0;
}

/* A writable segment without its part that is read-only now. */
static int
add_segment(struct search *search, const ElfW(Phdr) * header, const struct read_only *fixed)
{
    const uintptr_t first = search->base + header->p_vaddr;
    const uintptr_t end_address = first + header->p_memsz;
    if (fixed->end <= first || fixed->first >= end_address) {
        return add_region(search->state, first, end_address);
    }
    int rc = add_region(search->state, first, fixed->first);
    rc = rc ? rc : add_region(search->state, fixed->end, end_address);
    return rc;
}

static int look_at(struct dl_phdr_info *object, size_t bytes, void *context)
{
    struct search *search = context;
    (void)bytes;
    if (object->dlpi_addr != search->base) {
        return 0;
    }
    const struct read_only fixed = read_only_of(object);
    for (unsigned i = 0; i < object->dlpi_phnum && search->rc == 0; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_W) != 0) {
            search->rc = add_segment(search, header, &fixed);
        } else if (header->p_type == PT_TLS && object->dlpi_tls_data) {
            const uintptr_t first = (uintptr_t)object->dlpi_tls_data;
            search->rc = add_region(search->state, first, first + header->p_memsz);
        }
    }
    return 1;
}

int laxity_guest_state_keep(void *handle, struct laxity_guest_state *out_state)
{
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
        return -EINVAL;
    }
    *out_state = (struct laxity_guest_state){.n_regions = 0};
    struct search search = {.base = map->l_addr, .state = out_state};
    (void)dl_iterate_phdr(look_at, &search);
    return search.rc;
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

uint64_t laxity_guest_state_hash(const struct laxity_guest_state *state)
{
    const uintptr_t heap_end = (uintptr_t)sbrk(0);
    const uintptr_t frame = (uintptr_t)&heap_end;
    uint64_t hash = LAXITY_FNV_BASIS;
    for (unsigned i = 0; i < state->n_regions; i++) {
        const unsigned char *data = state->regions[i].first;
        size_t at = 0;
        for (; at + sizeof(uintptr_t) <= state->regions[i].bytes; at += sizeof(uintptr_t)) {
            uintptr_t word = 0;
            memcpy(&word, data + at, sizeof word);
            const bool is_address = is_heap_or_stack(word, heap_end, frame);
            hash = laxity_fnv_add(hash, is_address ? SOME_ADDRESS : word);
        }
        for (; at < state->regions[i].bytes; at++) {
            hash = laxity_fnv_add(hash, data[at]);
        }
    }
    return hash;
}
