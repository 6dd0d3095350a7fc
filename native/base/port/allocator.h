/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Every request for dynamic memory of this process, counted on its way to the C library.
 *
 * Whoever links this (workload executables) has the allocator's names defined here: malloc, calloc,
 * realloc, reallocarray, free, posix_memalign, aligned_alloc, memalign, valloc, pvalloc,
 * malloc_usable_size, mmap, mmap64, mremap, munmap, sbrk, brk. C++'s new and what the C library
 * and other libraries allocate come through them. Not seen: what the C library maps for itself
 * (stacks of threads, loaded libraries), and raw system calls.
 *
 * Counted is what was asked for, to the byte, wherever the heap puts it; a mapping counts in whole
 * pages, touched or not. Memory from before counting began does not count, nor does a child
 * process.
 *
 * It takes 14 ns per pair of malloc and free (x86-64, 2.6 GHz, glibc 2.36), which is not seen
 * beside a heap in real use (530 ns a pair).
 */
#ifndef LAXITY_BASE_PORT_ALLOCATOR_H
#define LAXITY_BASE_PORT_ALLOCATOR_H

#include "base/memory_account.h"

/*
 * laxity_allocator_count - from now on count into `account`, which must stay; NULL = no longer
 *
 * `on_exceeded` is called, once, in the middle of the allocator, by the thread whose request
 * exceeds the limit; it must end the process without allocating. Returns 0, or -ENOTSUP where
 * another allocator stands in front of this one (a sanitizer, valgrind); then nothing is counted.
 */
int laxity_allocator_count(
    struct laxity_memory_account *account, void (*on_exceeded)(const struct laxity_memory_excess *)
);

/*
 * laxity_allocator_measure - count what is requested of the heap, and disturb neither it nor anyone
 *
 * Mappings and the program break do not count; a request above the limit is made all the same, and
 * noted; blocks are as large as they were asked for: their sizes stand in `memory`, of zero bytes,
 * which must stay. With more blocks than it has room for, `is_counted` is 0 in the end. Returns as
 * laxity_allocator_count, which ends it.
 */
int laxity_allocator_measure(struct laxity_memory_account *account, void *memory, size_t bytes);

#endif
