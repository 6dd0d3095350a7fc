/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The smallest page of every platform we build for; touching too often only costs time before the
 * run. */
enum {
    PAGE_BYTES = 4096,
    STACK_CHUNK_BYTES = 16 * PAGE_BYTES,
    STACK_RESERVE_BYTES = 128 * 1024
};

int laxity_lock_memory(void)
{
    struct rlimit limit;
    const bool is_unlimited = geteuid() == 0 || (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
                                                 limit.rlim_cur == RLIM_INFINITY);
    return mlockall(is_unlimited ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT) == 0 ? 0 : -errno;
}

void laxity_keep_heap(void)
{
    /* NOLINTBEGIN(concurrency-mt-unsafe): called before the workload could start a thread */
    (void)mallopt(M_TRIM_THRESHOLD, -1);
    (void)mallopt(M_MMAP_MAX, 0);
    /* NOLINTEND(concurrency-mt-unsafe) */
}

void laxity_share_heap(void)
{
    (void)mallopt(M_ARENA_MAX, 1); /* NOLINT(concurrency-mt-unsafe): as above */
}

int laxity_touch_heap(size_t bytes)
{
    char *touched = malloc(bytes > 0 ? bytes : 1);
    if (!touched) {
        return -ENOMEM;
    }
    volatile char *heap = touched; /* or the compiler drops the stores */
    for (size_t i = 0; i < bytes; i += PAGE_BYTES) {
        heap[i] = 0;
    }
    free(touched);
    return 0;
}

/* Recursion instead of alloca: the depth is bounded by `bytes`, and no frame is larger than a
 * chunk. */
__attribute__((noinline)) void laxity_touch_stack(size_t bytes) /* NOLINT(misc-no-recursion) */
{
    volatile char chunk[STACK_CHUNK_BYTES];
    for (size_t i = 0; i < sizeof chunk; i += PAGE_BYTES) {
        chunk[i] = 0;
    }
    if (bytes > sizeof chunk) {
        laxity_touch_stack(bytes - sizeof chunk);
    }
    /* Read after the call, or the compiler makes a loop that reuses one frame. */
    chunk[0] = chunk[sizeof chunk - 1];
}

size_t laxity_stack_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return SIZE_MAX;
    }
    return limit.rlim_cur > STACK_RESERVE_BYTES ? (size_t)limit.rlim_cur - STACK_RESERVE_BYTES : 0;
}
