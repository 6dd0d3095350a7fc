/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * How much dynamic memory a process holds, and how much it may hold.
 *
 * Arithmetic only; who counts is base/port/allocator.c. It may lie in memory that another process
 * reads, and several threads may count at once. Inline, because it stands in every malloc of a job.
 */
#ifndef LAXITY_BASE_MEMORY_ACCOUNT_H
#define LAXITY_BASE_MEMORY_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAXITY_MEMORY_UNLIMITED SIZE_MAX

/* Words of the processor: no process holds more than it can address. */
struct laxity_memory_account {
    size_t limit_bytes; /* set before counting begins */
    _Atomic size_t in_use_bytes;
    _Atomic size_t peak_bytes;
    _Atomic uint32_t is_counted;  /* in_use and peak mean something */
    _Atomic uint32_t is_exceeded; /* the process has ended itself because of its limit */
    uint32_t is_noting;           /* set before: a request above the limit is made all the same */
    _Atomic uint32_t is_crossed;  /* one was */
    uint64_t total_bytes;         /* where noting: all that was ever added */
};

/* A request that did not fit below the limit. */
struct laxity_memory_excess {
    const char *call; /* as "calloc" */
    size_t request_bytes;
    size_t in_use_bytes; /* without the request */
    size_t limit_bytes;
};

/* laxity_memory_note - reserve `bytes` whatever the limit is. Returns what is in use now. */
static inline size_t laxity_memory_note(struct laxity_memory_account *account, size_t bytes)
{
    return atomic_fetch_add_explicit(&account->in_use_bytes, bytes, memory_order_relaxed) + bytes;
}

/*
 * laxity_memory_charge - reserve `bytes`, all or nothing
 *
 * The limit itself may be reached. Returns whether they fit below it; if so `out_in_use_bytes` is
 * what is in use now.
 */
static inline bool
laxity_memory_charge(struct laxity_memory_account *account, size_t bytes, size_t *out_in_use_bytes)
{
    size_t before = atomic_load_explicit(&account->in_use_bytes, memory_order_relaxed);
    do {
        if (before > account->limit_bytes || bytes > account->limit_bytes - before) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &account->in_use_bytes, &before, before + bytes, memory_order_relaxed, memory_order_relaxed
    ));
    *out_in_use_bytes = before + bytes;
    return true;
}

/* laxity_memory_discharge - give `bytes` back; never below 0, so that a wrong one cannot become a
 * huge figure */
static inline void laxity_memory_discharge(struct laxity_memory_account *account, size_t bytes)
{
    size_t before = atomic_load_explicit(&account->in_use_bytes, memory_order_relaxed);
    size_t after = 0;
    do {
        after = before > bytes ? before - bytes : 0;
    } while (!atomic_compare_exchange_weak_explicit(
        &account->in_use_bytes, &before, after, memory_order_relaxed, memory_order_relaxed
    ));
}

/* laxity_memory_note_peak - to be called once a charge has become memory: a refused request is no
 * peak */
static inline void
laxity_memory_note_peak(struct laxity_memory_account *account, size_t in_use_bytes)
{
    size_t peak = atomic_load_explicit(&account->peak_bytes, memory_order_relaxed);
    while (in_use_bytes > peak &&
           !atomic_compare_exchange_weak_explicit(
               &account->peak_bytes, &peak, in_use_bytes, memory_order_relaxed, memory_order_relaxed
           )) {
    }
}

#endif
