/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_heap.h"

#include "guests/guest_paths.h"
#include "guests/wrapped.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    /* 1 MiB on 64 bits; more are made room for while the job runs. */
    FIRST_SLOTS = 1 << 16,
    BLOCK_ALIGN_BITS = 4, /* below them all addresses of blocks are alike */
    GROUP_BITS = 10,
    GROUPS = 1 << GROUP_BITS, /* of slots, whatever their number */
    WORD_BITS = 64,
};

/* Of the golden ratio: Knuth, The Art of Computer Programming 3, section 6.4. */
#define HASH_FACTOR UINT64_C(11400714819323198485)

/* Something that is held; `bytes` as they were asked for, 0 of a stream. */
struct slot {
    void *address;
    size_t bytes;
};

/*
 * Open addressing, linear probing; the address of a slot may be NULL. Most jobs leave few blocks or
 * none, and a megabyte takes long to look through: the groups that a job has put something into are
 * known.
 */
struct table {
    struct slot *slots;
    size_t n_slots;       /* a power of two */
    unsigned group_shift; /* from the number of a slot to that of its group */
    size_t used;
    uint64_t touched[GROUPS / WORD_BITS];
};

/* A wrapped function has no argument that could lead it there. */
static struct table blocks;
static struct table streams;
static uintptr_t reached_first = UINTPTR_MAX;
static uintptr_t reached_end; /* of the last block: a pointer behind an array counts */
static int fill_byte;         /* 0 = what is handed out stays as it was */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int make_table(struct table *table, size_t n_slots)
{
    void *slots = mmap(
        NULL,
        n_slots * sizeof(struct slot),
        PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
        -1,
        0
    );
    if (slots == MAP_FAILED) {
        return -ENOMEM;
    }
    const unsigned group_shift = (unsigned)__builtin_ctzll(n_slots) - GROUP_BITS;
    *table = (struct table){.slots = slots, .n_slots = n_slots, .group_shift = group_shift};
    return 0;
}

static size_t home_of(const struct table *table, const void *address)
{
    const uint64_t hash = ((uint64_t)(uintptr_t)address >> BLOCK_ALIGN_BITS) * HASH_FACTOR;
    return (size_t)(hash >> 32) & (table->n_slots - 1);
}

static void put(struct table *table, void *address, size_t bytes)
{
    size_t at = home_of(table, address);
    while (table->slots[at].address && table->slots[at].address != address) {
        at = (at + 1) & (table->n_slots - 1);
    }
    const size_t group = at >> table->group_shift;
    table->touched[group / WORD_BITS] |= UINT64_C(1) << (group % WORD_BITS);
    table->used += table->slots[at].address == NULL;
    table->slots[at] = (struct slot){address, bytes};
}

/* Without room a block is not remembered: it stays, and whoever measures the heap sees it. */
static void grow(struct table *table)
{
    struct table larger;
    if (make_table(&larger, table->n_slots * 2) != 0) {
        return;
    }
    for (size_t i = 0; i < table->n_slots; i++) {
        if (table->slots[i].address) {
            put(&larger, table->slots[i].address, table->slots[i].bytes);
        }
    }
    (void)munmap(table->slots, table->n_slots * sizeof(struct slot));
    *table = larger;
}

static void *remember(struct table *table, void *address, size_t bytes)
{
    if (!address || !table->slots) {
        return address;
    }
    (void)pthread_mutex_lock(&lock);
    const uintptr_t first = (uintptr_t)address;
    reached_first = first < reached_first ? first : reached_first;
    reached_end = first + bytes > reached_end ? first + bytes : reached_end;
    if (table->used * 2 >= table->n_slots) {
        grow(table);
    }
    if (table->used + 1 < table->n_slots) {
        put(table, address, bytes);
    }
    (void)pthread_mutex_unlock(&lock);
    return address;
}

/* Moves up those behind it that would not be found any more. */
static void close_gap(struct table *table, size_t gap)
{
    const size_t mask = table->n_slots - 1;
    for (size_t at = (gap + 1) & mask; table->slots[at].address; at = (at + 1) & mask) {
        const size_t home = home_of(table, table->slots[at].address);
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            table->slots[gap] = table->slots[at];
            gap = at;
        }
    }
    table->slots[gap] = (struct slot){NULL, 0};
}

/* Returns how many bytes it had; SIZE_MAX = nobody knows. */
static size_t forget(struct table *table, const void *address)
{
    size_t bytes = SIZE_MAX;
    if (!address || !table->slots) {
        return bytes;
    }
    (void)pthread_mutex_lock(&lock);
    const size_t mask = table->n_slots - 1;
    size_t at = home_of(table, address);
    while (table->slots[at].address && table->slots[at].address != address) {
        at = (at + 1) & mask;
    }
    if (table->slots[at].address) {
        bytes = table->slots[at].bytes;
        table->used--;
        close_gap(table, at);
    }
    (void)pthread_mutex_unlock(&lock);
    return bytes;
}

int laxity_guest_heap_watch(void)
{
    if (blocks.slots) {
        return 0;
    }
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
    struct slot *slots = table->slots + (group << table->group_shift);
    for (size_t i = 0; i < group_slots; i++) {
        if (slots[i].address && take) {
            take(slots[i].address);
        }
        slots[i] = (struct slot){NULL, 0};
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

bool laxity_guest_heap_has_reached(uintptr_t word)
{
    return word >= reached_first && word <= reached_end;
}

void laxity_guest_heap_fill(int byte)
{
    fill_byte = byte;
}

size_t laxity_guest_heap_blocks(struct laxity_heap_block *out_blocks, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; blocks.slots && i < blocks.n_slots && n < room; i++) {
        const size_t group = i >> blocks.group_shift;
        if ((blocks.touched[group / WORD_BITS] >> (group % WORD_BITS) & 1) == 0) {
            i |= ((size_t)1 << blocks.group_shift) - 1; /* the last one of an empty group */
        } else if (blocks.slots[i].address) {
            out_blocks[n++] = (struct laxity_heap_block){.first = blocks.slots[i].address,
                                                         .bytes = blocks.slots[i].bytes};
        }
    }
    return n;
}

bool laxity_guest_heap_stream_offset(int fd, int64_t *out_offset)
{
    for (size_t i = 0; streams.used > 0 && i < streams.n_slots; i++) {
        FILE *stream = streams.slots[i].address;
        if (stream && fileno(stream) == fd) {
            *out_offset = ftello(stream);
            return true;
        }
    }
    return false;
}

size_t laxity_guest_heap_n_blocks(void)
{
    return blocks.used;
}

/* What is handed out: remembered, and filled from `from` on if anybody wants that. */
static void *hand_out(void *block, size_t from, size_t bytes)
{
    if (block && fill_byte != 0 && from < bytes) {
        memset((unsigned char *)block + from, fill_byte, bytes - from);
    }
    return remember(&blocks, block, bytes);
}

/* The names that the linker gives them. */
void *guest_malloc(size_t bytes) LAXITY_WRAP_SYMBOL(malloc);
void *guest_calloc(size_t n, size_t bytes) LAXITY_WRAP_SYMBOL(calloc);
void *guest_realloc(void *block, size_t bytes) LAXITY_WRAP_SYMBOL(realloc);
void *guest_reallocarray(void *block, size_t n, size_t bytes) LAXITY_WRAP_SYMBOL(reallocarray);
int guest_posix_memalign(void **out_block, size_t align, size_t bytes)
    LAXITY_WRAP_SYMBOL(posix_memalign);
void *guest_aligned_alloc(size_t align, size_t bytes) LAXITY_WRAP_SYMBOL(aligned_alloc);
void *guest_memalign(size_t align, size_t bytes) LAXITY_WRAP_SYMBOL(memalign);
char *guest_strdup(const char *text) LAXITY_WRAP_SYMBOL(strdup);
char *guest_strndup(const char *text, size_t bytes) LAXITY_WRAP_SYMBOL(strndup);
void guest_free(void *block) LAXITY_WRAP_SYMBOL(free);
FILE *guest_fopen(const char *path, const char *mode) LAXITY_WRAP_SYMBOL(fopen);
FILE *guest_fopen64(const char *path, const char *mode) LAXITY_WRAP_SYMBOL(fopen64);
FILE *guest_tmpfile64(void) LAXITY_WRAP_SYMBOL(tmpfile64);
FILE *guest_fdopen(int fd, const char *mode) LAXITY_WRAP_SYMBOL(fdopen);
FILE *guest_tmpfile(void) LAXITY_WRAP_SYMBOL(tmpfile);
int guest_fclose(FILE *stream) LAXITY_WRAP_SYMBOL(fclose);

void *guest_malloc(size_t bytes)
{
    return hand_out(malloc(bytes), 0, bytes);
}

void *guest_calloc(size_t n, size_t bytes)
{
    return remember(&blocks, calloc(n, bytes), n * bytes); /* it has refused what overflows */
}

void *guest_realloc(void *block, size_t bytes)
{
    const size_t before = block ? forget(&blocks, block) : 0;
    void *moved = realloc(block, bytes);
    if (moved) {
        return hand_out(moved, before, bytes);
    }
    if (bytes > 0 && before != SIZE_MAX) {
        (void)remember(&blocks, block, before); /* refused, it stays where it is */
    }
    return NULL;
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
        (void)hand_out(*out_block, 0, bytes);
    }
    return rc;
}

void *guest_aligned_alloc(size_t align, size_t bytes)
{
    return hand_out(aligned_alloc(align, bytes), 0, bytes);
}

void *guest_memalign(size_t align, size_t bytes)
{
    return hand_out(memalign(align, bytes), 0, bytes);
}

char *guest_strdup(const char *text)
{
    char *copy = strdup(text);
    return remember(&blocks, copy, copy ? strlen(copy) + 1 : 0);
}

char *guest_strndup(const char *text, size_t bytes)
{
    char *copy = strndup(text, bytes);
    return remember(&blocks, copy, copy ? strlen(copy) + 1 : 0);
}

void guest_free(void *block)
{
    (void)forget(&blocks, block);
    free(block);
}

static FILE *keep_stream(FILE *stream, const char *path, const char *mode)
{
    if (stream) {
        laxity_guest_path_note(path, strpbrk(mode, "wa+") != NULL);
    }
    return remember(&streams, stream, 0);
}

FILE *guest_fopen(const char *path, const char *mode)
{
    return keep_stream(fopen(path, mode), path, mode);
}

/* Of programs with files of 64 bits, as is the next. */
FILE *guest_fopen64(const char *path, const char *mode)
{
    return keep_stream(fopen64(path, mode), path, mode);
}

FILE *guest_tmpfile64(void)
{
    return remember(&streams, tmpfile64(), 0);
}

FILE *guest_fdopen(int fd, const char *mode)
{
    return remember(&streams, fdopen(fd, mode), 0);
}

FILE *guest_tmpfile(void)
{
    return remember(&streams, tmpfile(), 0);
}

int guest_fclose(FILE *stream)
{
    (void)forget(&streams, stream);
    return fclose(stream);
}
