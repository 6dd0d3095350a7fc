/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/counting.h"

#include "base/memory_account.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* An allocator has no argument that could lead it to its account. Written before and after
 * counting only. */
static struct laxity_memory_account *_Atomic counting_account;
static void (*on_limit_exceeded)(const struct laxity_memory_excess *);

struct laxity_memory_account *laxity_counting(void)
{
    return atomic_load_explicit(&counting_account, memory_order_acquire);
}

void laxity_set_counting(
    struct laxity_memory_account *account, void (*on_exceeded)(const struct laxity_memory_excess *)
)
{
    if (account) {
        on_limit_exceeded = on_exceeded;
    }
    atomic_store_explicit(&counting_account, account, memory_order_release);
}

struct laxity_memory_account *laxity_counting_mappings(void)
{
    struct laxity_memory_account *account = laxity_counting();
    return account && account->is_noting ? NULL : account;
}

static _Noreturn void exceed(const struct laxity_request *request)
{
    struct laxity_memory_account *account = request->account;
    const struct laxity_memory_excess excess = {
        .call = request->call,
        .request_bytes = request->bytes,
        .in_use_bytes = atomic_load_explicit(&account->in_use_bytes, memory_order_relaxed),
        .limit_bytes = account->limit_bytes,
    };
    if (atomic_exchange(&account->is_exceeded, 1) == 0) {
        on_limit_exceeded(&excess);
    }
    for (;;) {
        (void)pause(); /* another thread is ending the process */
    }
}

static bool charge(struct laxity_request *request)
{
    if (request->account->is_noting) {
        request->in_use_bytes = laxity_memory_note(request->account, request->charge_bytes);
        return true;
    }
    return laxity_memory_charge(request->account, request->charge_bytes, &request->in_use_bytes);
}

bool laxity_request_begin(struct laxity_request *request)
{
    request->account = laxity_counting();
    /* No object is larger than PTRDIFF_MAX: the C library refuses it, and sums stay in range. */
    const bool is_possible = request->bytes <= PTRDIFF_MAX;
    const bool fits = is_possible && (!request->account || charge(request));
    if (fits) {
        return true;
    }
    if (request->account && !request->account->is_noting &&
        request->account->limit_bytes != LAXITY_MEMORY_UNLIMITED) {
        exceed(request);
    }
    errno = ENOMEM;
    return false;
}

void laxity_request_end(const struct laxity_request *request, bool has_succeeded)
{
    if (!request->account) {
        return;
    }
    if (has_succeeded) {
        laxity_memory_note_peak(request->account, request->in_use_bytes);
        if (request->in_use_bytes > request->account->limit_bytes) {
            atomic_store_explicit(&request->account->is_crossed, 1, memory_order_relaxed);
        }
    } else {
        laxity_memory_discharge(request->account, request->charge_bytes);
    }
}
