/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Probe "switch": turns by a futex on one CPU and between two, and how far apart their clocks are.
 */
#include "base/port/futex.h"
#include "base/port/time.h"
#include "probes/machine.h"
#include "probes/probe.h"
#include "probes/switch_partner.h"
#include "probes/switch_quantities.h"
#include "probes/switch_stamps.h"
#include "probes/switch_victim.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    /* The first rounds find the partner still reading its order. */
    UNCOUNTED_ROUNDS = 2,
    /* Both CPUs are idle for so long before they are woken. */
    IDLE_NS = 100000,
    MIRROR_ROUNDS = LAXITY_SWITCH_ROUNDS_MAX,
    /* The partner may still be on this CPU and needs it to leave. */
    SETTLE_NS = LAXITY_NS_PER_MS,
};

static struct laxity_switch_row row_of_round(
    const struct laxity_switch_victim *victim,
    const struct laxity_switch_marks *mine,
    const struct laxity_switch_marks *theirs
)
{
    struct laxity_switch_row row = laxity_switch_row_of(victim, LAXITY_SWITCH_QUANTITY_SYNC);
    row.victim_last_ns = laxity_stamp_ns(&victim->clock, mine->last);
    row.victim_first_ns = laxity_stamp_ns(&victim->clock, mine->first);
    row.preemptor_first_ns = laxity_stamp_ns(&victim->clock, theirs->first);
    row.preemptor_last_ns = laxity_stamp_ns(&victim->clock, theirs->last);
    row.time_ns = row.victim_last_ns;
    return row;
}

/* One turn there and back. */
static void take_turn(
    struct laxity_switch_victim *victim,
    const struct laxity_switch_order *order,
    uint32_t round,
    struct laxity_switch_marks *out_marks
)
{
    struct laxity_switch_shared *shared = victim->shared;
    if (order->rest_ns > 0) {
        laxity_machine_pause_ns(order->rest_ns);
    }
    laxity_switch_evict(&victim->partner, order->evict_bytes);
    const uint64_t last = laxity_stamp(&victim->clock);
    atomic_store_explicit(&shared->turn, 2 * round + 1, memory_order_release);
    laxity_futex_wake(&shared->turn);
    laxity_switch_wait_turn(shared, 2 * round + 1);
    out_marks->first = laxity_stamp(&victim->clock);
    out_marks->last = last;
}

int laxity_switch_exchange(
    struct laxity_switch_victim *victim,
    uint32_t cpu_to,
    enum laxity_switch_case preemption_case,
    uint32_t rounds
)
{
    const struct laxity_switch_settings *settings = victim->run->plan->settings;
    struct laxity_switch_marks marks[LAXITY_SWITCH_ROUNDS_MAX];
    const bool is_far = cpu_to != victim->cpu;
    const uint32_t all = rounds + UNCOUNTED_ROUNDS;
    const struct laxity_switch_order order = {
        .task = LAXITY_SWITCH_ECHO,
        .rest_ns = is_far ? IDLE_NS : 0,
        .evict_bytes = preemption_case == LAXITY_SWITCH_CASE_WORST ? settings->evict_bytes : 0,
        .cpu = cpu_to,
        .rounds = all < LAXITY_SWITCH_ROUNDS_MAX ? all : LAXITY_SWITCH_ROUNDS_MAX,
        .priority = (int32_t)victim->run->plan->priority,
    };
    atomic_store_explicit(&victim->shared->turn, 0, memory_order_release);
    if (laxity_switch_give_order(victim->run, &victim->partner, &order)) {
        return -1;
    }
    laxity_anchor_stamps(&victim->clock, 0);
    for (uint32_t i = 0; i < order.rounds; i++) {
        take_turn(victim, &order, i, &marks[i]);
    }
    laxity_anchor_stamps(&victim->clock, 1);
    for (uint32_t i = UNCOUNTED_ROUNDS; i < order.rounds; i++) {
        struct laxity_switch_row row = row_of_round(victim, &marks[i], &victim->shared->rounds[i]);
        row.cpu_to = (int32_t)cpu_to;
        row.case_ = (uint8_t)preemption_case;
        row.quantity = is_far ? LAXITY_SWITCH_QUANTITY_WAKEUP : LAXITY_SWITCH_QUANTITY_SYNC;
        if (laxity_switch_add_row(victim, &row)) {
            return 1;
        }
    }
    return laxity_switch_await_answer(victim->run, &victim->partner);
}

/* Both spin; a pause between two turns would only let something else in. */
static bool mirror_turns(struct laxity_switch_victim *victim, struct laxity_switch_marks *marks)
{
    struct laxity_switch_shared *shared = victim->shared;
    for (uint32_t i = 0; i < MIRROR_ROUNDS; i++) {
        marks[i].last = laxity_stamp(&victim->clock);
        atomic_store_explicit(&shared->turn, 2 * i + 1, memory_order_release);
        if (!laxity_switch_spin_turn(&victim->clock, shared, 2 * i + 1)) {
            return false;
        }
        marks[i].first = laxity_stamp(&victim->clock);
    }
    return true;
}

int laxity_switch_compare_clocks(struct laxity_switch_victim *victim, uint32_t cpu_to)
{
    struct laxity_switch_marks marks[LAXITY_SWITCH_ROUNDS_MAX];
    const struct laxity_switch_order order = {
        .task = LAXITY_SWITCH_MIRROR,
        .cpu = cpu_to,
        .rounds = MIRROR_ROUNDS,
        .priority = (int32_t)victim->run->plan->priority,
    };
    atomic_store_explicit(&victim->shared->turn, 0, memory_order_release);
    if (laxity_switch_give_order(victim->run, &victim->partner, &order)) {
        return -1;
    }
    laxity_machine_pause_ns(SETTLE_NS);
    laxity_anchor_stamps(&victim->clock, 0);
    const bool is_whole = mirror_turns(victim, marks);
    laxity_anchor_stamps(&victim->clock, 1);
    for (uint32_t i = 0; is_whole && i < MIRROR_ROUNDS; i++) {
        struct laxity_switch_row row = row_of_round(victim, &marks[i], &victim->shared->rounds[i]);
        row.cpu_to = (int32_t)cpu_to;
        row.quantity = LAXITY_SWITCH_QUANTITY_WAKEUP;
        row.role = LAXITY_SWITCH_ROLE_CONTROL;
        if (laxity_switch_add_row(victim, &row)) {
            return 1;
        }
    }
    return laxity_switch_await_answer(victim->run, &victim->partner);
}
