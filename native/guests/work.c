/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/work.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>

#if LAXITY_HAS_CALLGRIND

#include <valgrind/callgrind.h>

int laxity_work_can_count(void)
{
    return 1;
}

/* To collect always and to dump what came since: to toggle collecting is of one thread alone. */
void laxity_work_begin(void)
{
    CALLGRIND_ZERO_STATS;
}

void laxity_work_end(void)
{
    CALLGRIND_DUMP_STATS;
}

#else

int laxity_work_can_count(void)
{
    return 0;
}

void laxity_work_begin(void) {}

void laxity_work_end(void) {}

#endif

/* A hook of the compiler has no argument that could lead it there. In two words, for a machine of
 * 32 bits adds no more at once. */
static atomic_uint blocks;
static atomic_uint carried;

void laxity_blocks_begin(void)
{
    atomic_store(&blocks, 0);
    atomic_store(&carried, 0);
}

uint64_t laxity_blocks_counted(void)
{
    return ((uint64_t)atomic_load(&carried) << (sizeof(unsigned) * CHAR_BIT)) +
           atomic_load(&blocks);
}

/* The name that gcc and clang call. */
void guest_enters_block(void) __asm__("__sanitizer_cov_trace_pc");

void guest_enters_block(void)
{
    if (atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed) == UINT_MAX) {
        atomic_fetch_add_explicit(&carried, 1, memory_order_relaxed);
    }
}
