/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_heap.h"

#include "guests/wrapped.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    /* 512 KiB of addresses; more are made room for while the job runs. */
    FIRST_SLOTS = 1 << 16,
    BLOCK_ALIGN_BITS = 4, /* below them all addresses of blocks are alike */
    GROUP_BITS = 10,
    GROUPS = 1 << GROUP_BITS, /* of slots, whatever their number */
    WORD_BITS = 64,
};

/* Of the golden ratio: Knuth, The Art of Computer Programming 3, section 6.4. */
#define HASH_FACTOR UINT64_C(11400714819323198485)

/*
 * Open addressing, linear probing; a slot holds an address, or NULL. Most jobs leave few blocks or
 * none, and half a megabyte takes long to look through: the groups that a job has put something
 * into are known.
 */
struct table {
    void **slots;
    size_t n_slots;       /* a power of two */
    unsigned group_shift; /* from the number of a slot to that of its group */
    size_t used;
    uint64_t touched[GROUPS / WORD_BITS];
};

/* A wrapped function has no argument that could lead it there. */
static struct table blocks;
static struct table streams;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int make_table(struct table *table, size_t n_slots)
{
    void *slots = mmap(
        NULL,
        n_slots * sizeof(void *),
        PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
        -1,
        0
    );
    if (slots == MAP_FAILED) {
        return -ENOMEM;
    }
    const unsigned group_shift = (unsigned)__builtin_ctzll(n_slots) - GROUP_BITS;
    *table =
        (struct table){.slots = (void **)slots, .n_slots = n_slots, .group_shift = group_shift};
    return 0;
}

static size_t home_of(const struct table *table, const void *address)
{
    const uint64_t hash = ((uint64_t)(uintptr_t)address >> BLOCK_ALIGN_BITS) * HASH_FACTOR;
    return (size_t)(hash >> 32) & (table->n_slots - 1);
}

static void put(struct table *table, void *address)
{
    size_t at = home_of(table, address);
    while (table->slots[at] && table->slots[at] != address) {
        at = (at + 1) & (table->n_slots - 1);
    }
    const size_t group = at >> table->group_shift;
    table->touched[group / WORD_BITS] |= UINT64_C(1) << (group % WORD_BITS);
    table->used += table->slots[at] == NULL;
    table->slots[at] = address;
}

/* Without room a block is not remembered: it stays, and whoever measures the heap sees it. */
static void grow(struct table *table)
{
    struct table larger;
    if (make_table(&larger, table->n_slots * 2) != 0) {
        return;
    }
    for (size_t i = 0; i < table->n_slots; i++) {
        if (table->slots[i]) {
            put(&larger, table->slots[i]);
        }
    }
    (void)munmap((void *)table->slots, table->n_slots * sizeof(void *));
    *table = larger;
}

static void *remember(struct table *table, void *address)
{
    if (!address || !table->slots) {
        return address;
    }
    (void)pthread_mutex_lock(&lock);
    if (table->used * 2 >= table->n_slots) {
        grow(table);
    }
    if (table->used + 1 < table->n_slots) {
        put(table, address);
    }
    (void)pthread_mutex_unlock(&lock);
    return address;
}

/* Moves up those behind it that would not be found any more. */
static void close_gap(struct table *table, size_t gap)
{
    const size_t mask = table->n_slots - 1;
    for (size_t at = (gap + 1) & mask; table->slots[at]; at = (at + 1) & mask) {
        const size_t home = home_of(table, table->slots[at]);
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            table->slots[gap] = table->slots[at];
            gap = at;
        }
    }
    table->slots[gap] = NULL;
}

static void forget(struct table *table, const void *address)
{
    if (!address || !table->slots) {
        return;
    }
    (void)pthread_mutex_lock(&lock);
    const size_t mask = table->n_slots - 1;
    size_t at = home_of(table, address);
    while (table->slots[at] && table->slots[at] != address) {
        at = (at + 1) & mask;
    }
    if (table->slots[at]) {
        table->used--;
        close_gap(table, at);
    }
    (void)pthread_mutex_unlock(&lock);
}

int laxity_guest_heap_watch(void)
{
    const int rc = make_table(&streams, FIRST_SLOTS);
    return rc ? rc : make_table(&blocks, FIRST_SLOTS);
}

static void close_stream(void *stream)
{
    (void)fclose(stream);
}

static void empty_group(const struct table *table, size_t group, void (*take)(void *))
{
    const size_t group_slots = (size_t)1 << table->group_shift;
    void **slots = table->slots + (group << table->group_shift);
    for (size_t i = 0; i < group_slots; i++) {
        if (slots[i] && take) {
            take(slots[i]);
        }
        slots[i] = NULL;
    }
}

/* Calls `take` for each address, and forgets it. */
static void empty(struct table *table, void (*take)(void *))
{
    for (size_t word = 0; word < GROUPS / WORD_BITS; word++) {
        for (uint64_t left = table->touched[word]; left != 0; left &= left - 1) {
            empty_group(table, word * WORD_BITS + (size_t)__builtin_ctzll(left), take);
        }
        table->touched[word] = 0;
    }
    table->used = 0;
}

void laxity_guest_heap_mark(void)
{
    empty(&blocks, NULL);
    empty(&streams, NULL);
}

void laxity_guest_heap_take_back(void)
{
    empty(&streams, close_stream);
    empty(&blocks, free);
}

size_t laxity_guest_heap_left(void)
{
    return blocks.used + streams.used;
}

/* The names that the linker gives them. */
void *guest_malloc(size_t bytes) LAXITY_WRAP_SYMBOL(malloc);
void *guest_calloc(size_t n, size_t bytes) LAXITY_WRAP_SYMBOL(calloc);
void *guest_realloc(void *block, size_t bytes) LAXITY_WRAP_SYMBOL(realloc);
void *guest_reallocarray(void *block, size_t n, size_t bytes) LAXITY_WRAP_SYMBOL(reallocarray);
int guest_posix_memalign(void **out_block, size_t align, size_t bytes)
    LAXITY_WRAP_SYMBOL(posix_memalign);
void *guest_aligned_alloc(size_t align, size_t bytes) LAXITY_WRAP_SYMBOL(aligned_alloc);
char *guest_strdup(const char *text) LAXITY_WRAP_SYMBOL(strdup);
char *guest_strndup(const char *text, size_t bytes) LAXITY_WRAP_SYMBOL(strndup);
void guest_free(void *block) LAXITY_WRAP_SYMBOL(free);
FILE *guest_fopen(const char *path, const char *mode) LAXITY_WRAP_SYMBOL(fopen);
FILE *guest_fdopen(int fd, const char *mode) LAXITY_WRAP_SYMBOL(fdopen);
FILE *guest_tmpfile(void) LAXITY_WRAP_SYMBOL(tmpfile);
int guest_fclose(FILE *stream) LAXITY_WRAP_SYMBOL(fclose);

void *guest_malloc(size_t bytes)
{
    return remember(&blocks, malloc(bytes));
}

void *guest_calloc(size_t n, size_t bytes)
{
    return remember(&blocks, calloc(n, bytes));
}

void *guest_realloc(void *block, size_t bytes)
{
    forget(&blocks, block);
    void *moved = realloc(block, bytes);
    /* Refused, it stays where it is. */
    return moved ? remember(&blocks, moved) : (bytes > 0 ? (remember(&blocks, block), NULL) : NULL);
}

void *guest_reallocarray(void *block, size_t n, size_t bytes)
{
    size_t all_bytes = 0;
    if (__builtin_mul_overflow(n, bytes, &all_bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return guest_realloc(block, all_bytes);
}

int guest_posix_memalign(void **out_block, size_t align, size_t bytes)
{
    const int rc = posix_memalign(out_block, align, bytes);
    if (rc == 0) {
        (void)remember(&blocks, *out_block);
    }
    return rc;
}

void *guest_aligned_alloc(size_t align, size_t bytes)
{
    return remember(&blocks, aligned_alloc(align, bytes));
}

char *guest_strdup(const char *text)
{
    return remember(&blocks, strdup(text));
}

char *guest_strndup(const char *text, size_t bytes)
{
    return remember(&blocks, strndup(text, bytes));
}

void guest_free(void *block)
{
    forget(&blocks, block);
    free(block);
}

FILE *guest_fopen(const char *path, const char *mode)
{
    return remember(&streams, fopen(path, mode));
}

FILE *guest_fdopen(int fd, const char *mode)
{
    return remember(&streams, fdopen(fd, mode));
}

FILE *guest_tmpfile(void)
{
    return remember(&streams, tmpfile());
}

int guest_fclose(FILE *stream)
{
    forget(&streams, stream);
    return fclose(stream);
}
