/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Requests for memory, charged to the account in force: for allocator.c (heap) and mappings.c
 * (mmap, sbrk) only. */
#ifndef LAXITY_BASE_PORT_COUNTING_H
#define LAXITY_BASE_PORT_COUNTING_H

#include "base/memory_account.h"

#include <stdbool.h>
#include <stddef.h>

/* A sanitizer brings an allocator of its own, which needs these names for itself. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define LAXITY_ALLOCATOR_IS_FOREIGN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LAXITY_ALLOCATOR_IS_FOREIGN 1
#endif
#ifndef LAXITY_ALLOCATOR_IS_FOREIGN
#define LAXITY_ALLOCATOR_IS_FOREIGN 0
#endif

/* One request, from before it is made until it has succeeded or failed. */
struct laxity_request {
    const char *call;
    size_t bytes;                          /* as asked for; stands in the message */
    size_t charge_bytes;                   /* what it adds, if it succeeds */
    struct laxity_memory_account *account; /* NULL = not counted */
    size_t in_use_bytes;
};

/* laxity_set_counting - from now on this account is in force, NULL = none; `on_exceeded` as in
 * allocator.h */
void laxity_set_counting(
    struct laxity_memory_account *account, void (*on_exceeded)(const struct laxity_memory_excess *)
);

/* laxity_counting - the account in force, NULL = none */
struct laxity_memory_account *laxity_counting(void);

/* laxity_counting_mappings - the same for what is mapped: where the heap alone counts, NULL */
struct laxity_memory_account *laxity_counting_mappings(void);

/*
 * laxity_request_begin - charge a request; call, bytes and charge_bytes are set
 *
 * Does not return if it exceeds the limit. False, with errno ENOMEM: it cannot be had at all.
 */
bool laxity_request_begin(struct laxity_request *request);

/* laxity_request_end - it was made; a refused one is discharged */
void laxity_request_end(const struct laxity_request *request, bool has_succeeded);

#endif
