/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* The allocator, of C and of C++. What is freed is undefined afterwards, so nothing of it can be
 * live. */
#include "trace.h"
#include "wrappers.h"

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
