/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/switch_partner.h"

#include "base/error.h"
#include "base/port/flush.h"
#include "base/port/futex.h"
#include "base/port/sched.h"
#include "base/port/threads.h"
#include "base/port/time.h"
#include "probes/companion.h"
#include "probes/evict.h"
#include "probes/probe.h"
#include "probes/switch_stamps.h"
#include "schema/run.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    NO_CPU = UINT32_MAX >> 1,
    /* A preemptor ends its job by sleeping until its next release, as periodic tasks do. */
    NEXT_RELEASE_NS = 150000,
    /* A turn by spinning takes well under a microsecond; whoever waits so long was descheduled. */
    SPIN_PATIENCE_NS = 5 * LAXITY_NS_PER_MS,
    /* More than the loop of stamps, or what the partner runs through, is long. */
    CODE_BYTES = 1024,
};

/* What the partner is now. */
struct state {
    const struct laxity_switch_partner *partner;
    uint32_t cpu;
};

static void run_once(const struct state *state, const struct laxity_switch_order *order);

void laxity_switch_evict(const struct laxity_switch_partner *partner, uint64_t evict_bytes)
{
    if (evict_bytes == 0) {
        return;
    }
    laxity_evict_by_writing(partner->buffer, (size_t)evict_bytes);
    laxity_flush((volatile unsigned char *)partner->shared, sizeof *partner->shared);
    laxity_flush(laxity_stamp_code(), CODE_BYTES);
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): a function's address is data here */
    laxity_flush((volatile unsigned char *)(uintptr_t)run_once, CODE_BYTES);
}

void laxity_switch_wait_turn(struct laxity_switch_shared *shared, unsigned turn)
{
    while (atomic_load_explicit(&shared->turn, memory_order_acquire) == turn) {
        laxity_futex_wait(&shared->turn, turn);
    }
}

bool laxity_switch_spin_turn(
    const struct laxity_stamp_clock *clock, struct laxity_switch_shared *shared, unsigned turn
)
{
    const uint64_t end = laxity_stamp(clock) + laxity_stamps_of_ns(clock, SPIN_PATIENCE_NS);
    while (atomic_load_explicit(&shared->turn, memory_order_acquire) == turn) {
        if (laxity_stamp(clock) > end) {
            return false;
        }
    }
    return true;
}

/* Between the two stamps stands only what the order asks for; after the second only what must be.
 */
static void run_once(const struct state *state, const struct laxity_switch_order *order)
{
    const struct laxity_switch_partner *partner = state->partner;
    struct laxity_switch_shared *shared = partner->shared;
    atomic_fetch_add_explicit(&shared->armed, 1, memory_order_release);
    (void)laxity_sleep_until(order->wake_ns);
    const uint64_t first = laxity_stamp(partner->clock);
    laxity_switch_evict(partner, order->evict_bytes);
    const int64_t next_ns = laxity_now_ns() + NEXT_RELEASE_NS;
    shared->run.first = first;
    shared->run.last = laxity_stamp(partner->clock);
    atomic_fetch_add_explicit(&shared->done, 1, memory_order_release);
    (void)laxity_sleep_until(next_ns);
}

static void echo(const struct state *state, const struct laxity_switch_order *order)
{
    const struct laxity_switch_partner *partner = state->partner;
    struct laxity_switch_shared *shared = partner->shared;
    for (uint32_t i = 0; i < order->rounds && i < LAXITY_SWITCH_ROUNDS_MAX; i++) {
        laxity_switch_wait_turn(shared, 2 * i);
        shared->rounds[i].first = laxity_stamp(partner->clock);
        if (order->rest_ns > 0) {
            laxity_pause_ns(order->rest_ns);
        }
        laxity_switch_evict(partner, order->evict_bytes);
        shared->rounds[i].last = laxity_stamp(partner->clock);
        atomic_store_explicit(&shared->turn, 2 * i + 2, memory_order_release);
        laxity_futex_wake(&shared->turn);
    }
}

static void mirror(const struct state *state, const struct laxity_switch_order *order)
{
    const struct laxity_switch_partner *partner = state->partner;
    struct laxity_switch_shared *shared = partner->shared;
    for (uint32_t i = 0; i < order->rounds && i < LAXITY_SWITCH_ROUNDS_MAX; i++) {
        if (!laxity_switch_spin_turn(partner->clock, shared, 2 * i)) {
            return;
        }
        const uint64_t now = laxity_stamp(partner->clock);
        shared->rounds[i] = (struct laxity_switch_marks){now, now};
        atomic_store_explicit(&shared->turn, 2 * i + 2, memory_order_release);
    }
}

static void obey(const struct state *state, const struct laxity_switch_order *order)
{
    switch ((enum laxity_switch_task)order->task) {
    case LAXITY_SWITCH_RUN:
        run_once(state, order);
        return;
    case LAXITY_SWITCH_ECHO:
        echo(state, order);
        return;
    case LAXITY_SWITCH_MIRROR:
        mirror(state, order);
        return;
    }
}

static void take_place(
    struct laxity_probe_run *run, struct state *state, const struct laxity_switch_order *order
)
{
    if (order->cpu != state->cpu) {
        (void)laxity_probe_go_to(run, order->cpu); /* the victim has tried it */
        state->cpu = order->cpu;
    }
    run->placed.priority = (int32_t)order->priority; /* the victim has given it */
}

/* Until the victim closes its end. */
static void
serve(struct laxity_probe_run *run, struct state *state, const struct laxity_companion_ends *ends)
{
    struct laxity_switch_order order;
    while (laxity_companion_take(ends, &order, sizeof order)) {
        take_place(run, state, &order);
        obey(state, &order);
        if (!laxity_probe_is_in_place(run) || !laxity_companion_answer(ends)) {
            return;
        }
    }
}

static int run_partner(
    struct laxity_probe_run *run, const void *what, const struct laxity_companion_ends *ends
)
{
    const struct laxity_switch_partner *partner = what;
    struct state state = {.partner = partner, .cpu = NO_CPU};
    memset(partner->buffer, 1, partner->buffer_bytes);
    if (laxity_companion_become_ready(run, ends)) {
        serve(run, &state, ends);
    }
    return LAXITY_EXIT_DONE;
}

int laxity_switch_start_partner(struct laxity_probe_run *run, struct laxity_switch_partner *partner)
{
    partner->priority = (int)run->plan->priority + 1;
    if (laxity_companion_start(
            run, "the second process", run_partner, partner, &partner->companion
        )) {
        return -1;
    }
    return laxity_switch_await_answer(run, partner);
}

void laxity_switch_stop_partner(struct laxity_switch_partner *partner)
{
    laxity_companion_stop(&partner->companion);
}

int laxity_switch_give_order(
    struct laxity_probe_run *run,
    struct laxity_switch_partner *partner,
    const struct laxity_switch_order *order
)
{
    const struct laxity_companion *companion = &partner->companion;
    if (order->priority != partner->priority && run->shared->policy == LAXITY_POLICY_FIFO) {
        const int rc =
            laxity_set_thread_policy(companion->pid, LAXITY_POLICY_FIFO, (int)order->priority);
        if (rc) {
            return laxity_companion_tell_end(run, companion);
        }
        partner->priority = order->priority;
    }
    const bool is_given = laxity_companion_order(companion, order, sizeof *order);
    return is_given ? 0 : laxity_companion_tell_end(run, companion);
}

int laxity_switch_await_answer(
    struct laxity_probe_run *run, const struct laxity_switch_partner *partner
)
{
    const bool has_answered = laxity_companion_await(&partner->companion);
    return has_answered ? 0 : laxity_companion_tell_end(run, &partner->companion);
}
