/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* The allocator, of C and of C++. What is freed is undefined afterwards, so nothing of it can be
 * live. */
#include "trace.h"
#include "wrappers.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void *laxity_traced_malloc(size_t size_bytes)
{
    void *block = malloc(size_bytes);

    laxity_trace_allocate(block, size_bytes);
    return block;
}

void *laxity_traced_calloc(size_t count, size_t element_bytes)
{
    void *block = calloc(count, element_bytes);

    laxity_trace_allocate(block, count * element_bytes);
    if (block) {
        laxity_trace_write(block, count * element_bytes);
    }
    return block;
}

void laxity_traced_free(void *block)
{
    if (block) {
        laxity_trace_forget(block, malloc_usable_size(block));
    }
    free(block);
}

/* Always a new block, so that the old one and the new one are told apart. */
void *laxity_traced_realloc(void *block, size_t size_bytes)
{
    size_t old_bytes, kept_bytes;
    void *larger;

    if (!block) {
        return laxity_traced_malloc(size_bytes);
    }
    if (size_bytes == 0) { /* as glibc's does */
        laxity_traced_free(block);
        return NULL;
    }
    larger = malloc(size_bytes);
    if (!larger) {
        return NULL;
    }
    old_bytes = malloc_usable_size(block);
    kept_bytes = old_bytes < size_bytes ? old_bytes : size_bytes;
    laxity_trace_read(block, kept_bytes);
    laxity_trace_allocate(larger, size_bytes);
    laxity_trace_write(larger, kept_bytes);
    memcpy(larger, block, kept_bytes);
    laxity_traced_free(block);
    return larger;
}

void *laxity_traced_reallocarray(void *block, size_t count, size_t element_bytes)
{
    size_t size_bytes;

    if (__builtin_mul_overflow(count, element_bytes, &size_bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return laxity_traced_realloc(block, size_bytes);
}

void *laxity_traced_aligned_alloc(size_t alignment_bytes, size_t size_bytes)
{
    void *block = aligned_alloc(alignment_bytes, size_bytes);

    laxity_trace_allocate(block, size_bytes);
    return block;
}

/* The block is no object of the analysis: its origin is unknown there. */
int laxity_traced_posix_memalign(void **out_block, size_t alignment_bytes, size_t size_bytes)
{
    const int error = posix_memalign(out_block, alignment_bytes, size_bytes);

    if (error == 0) {
        laxity_trace_write(out_block, sizeof(*out_block));
    }
    return error;
}

void *laxity_traced_memalign(size_t alignment_bytes, size_t size_bytes)
{
    void *block = memalign(alignment_bytes, size_bytes);

    laxity_trace_allocate(block, size_bytes);
    return block;
}

void *laxity_traced_valloc(size_t size_bytes)
{
    void *block = valloc(size_bytes); /* NOLINT(concurrency-mt-unsafe): one thread */

    laxity_trace_allocate(block, size_bytes);
    return block;
}

/* operator new and new[]; without memory they throw, which no traced program comes to. */
void *laxity_traced__Znwm(size_t size_bytes)
{
    void *block = laxity_traced_malloc(size_bytes > 0 ? size_bytes : 1);

    if (!block) {
        abort();
    }
    return block;
}

void *laxity_traced__Znam(size_t size_bytes)
{
    return laxity_traced__Znwm(size_bytes);
}

void laxity_traced__ZdlPv(void *block)
{
    laxity_traced_free(block);
}

void laxity_traced__ZdaPv(void *block)
{
    laxity_traced_free(block);
}

void laxity_traced__ZdlPvm(void *block, size_t size_bytes)
{
    (void)size_bytes;
    laxity_traced_free(block);
}

void laxity_traced__ZdaPvm(void *block, size_t size_bytes)
{
    (void)size_bytes;
    laxity_traced_free(block);
}

/* The same names where size_t is an unsigned int. */
void *laxity_traced__Znwj(size_t size_bytes)
{
    return laxity_traced__Znwm(size_bytes);
}

void *laxity_traced__Znaj(size_t size_bytes)
{
    return laxity_traced__Znwm(size_bytes);
}

void laxity_traced__ZdlPvj(void *block, size_t size_bytes)
{
    (void)size_bytes;
    laxity_traced_free(block);
}

void laxity_traced__ZdaPvj(void *block, size_t size_bytes)
{
    (void)size_bytes;
    laxity_traced_free(block);
}
