/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Memory of a real-time phase: present, locked and touched before the first release. */
#ifndef LAXITY_BASE_PORT_MEMORY_H
#define LAXITY_BASE_PORT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * laxity_lock_memory - everything that is mapped now (mlockall), and what is mapped later where no
 * limit forbids it
 *
 * Under a finite RLIMIT_MEMLOCK later mappings are left alone: they would fail instead of being
 * slow. Returns 0 or -errno.
 */
int laxity_lock_memory(void);

/* laxity_keep_heap - the heap neither shrinks nor uses separate mappings, so that a touched page
 * stays */
void laxity_keep_heap(void);

/* laxity_share_heap - threads that will be made allocate from the same heap, the one that is
 * touched */
void laxity_share_heap(void);

/* laxity_touch_heap - make `bytes` of heap present and give them back to the allocator. Returns 0
 * or -ENOMEM. */
int laxity_touch_heap(size_t bytes);

/*
 * laxity_available_bytes - memory that this process may still take without pushing others out
 *
 * What the machine calls available, or what a control group leaves of its limit (both versions, all
 * levels), whichever is less. proc, groups: "/proc", "/sys/fs/cgroup". UINT64_MAX = neither is
 * known.
 */
uint64_t laxity_available_bytes(const char *proc, const char *groups);

/* laxity_touch_stack - make `bytes` below the caller's frame present; must fit into the stack limit
 */
void laxity_touch_stack(size_t bytes);

/* laxity_stack_limit - the largest `bytes` for laxity_touch_stack, SIZE_MAX if unlimited */
size_t laxity_stack_limit(void);

#endif
