/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Probe "switch": what a timer releases, above the victim, below it, or on an idle CPU. */
#include "base/error.h"
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
#include <stddef.h>
#include <stdint.h>

enum {
    /* Until the partner has read its order and sleeps; before the timer at the earliest. */
    ASLEEP_NS = 150000,
    EARLIEST_NS = 2 * ASLEEP_NS,
    PHASE_NS = 200000,
    /* The CPU has been idle for so long, as it would be for a period of about a millisecond. */
    IDLE_NS = 800000,
    /* A release below the victim is over by then, also where a timer comes late. */
    RELEASE_WINDOW_NS = 100000,
    PATIENCE_MS = 1000, /* what a lost wake-up, or a stolen CPU, may take */
};

static int give_run(struct laxity_switch_victim *victim, int64_t wake_ns, int above, uint64_t bytes)
{
    const struct laxity_switch_order order = {
        .task = LAXITY_SWITCH_RUN,
        .wake_ns = wake_ns,
        .evict_bytes = bytes,
        .cpu = victim->cpu,
        .priority = (int32_t)victim->run->plan->priority + above,
    };
    if (laxity_switch_give_order(victim->run, &victim->partner, &order)) {
        return -1;
    }
    laxity_machine_pause_ns(ASLEEP_NS);
    return 0;
}

static int refuse_to_wait(struct laxity_switch_victim *victim)
{
    return laxity_refuse(
        &victim->run->shared->error,
        LAXITY_EXIT_NO_VERDICT,
        "switch: the preemptor did not wake up within %d ms; is the CPU overloaded?",
        PATIENCE_MS
    );
}

/* Stamps until the partner has run. */
static int stamp_until_done(struct laxity_switch_victim *victim, unsigned done)
{
    struct laxity_switch_shared *shared = victim->shared;
    const int64_t patience_ns = (int64_t)PATIENCE_MS * LAXITY_NS_PER_MS;
    const uint64_t end =
        laxity_stamp(&victim->clock) + laxity_stamps_of_ns(&victim->clock, patience_ns);
    do {
        laxity_stamp_until(&victim->clock, &shared->gaps, &shared->done, done, end);
        if (laxity_stamp(&victim->clock) > end) {
            return refuse_to_wait(victim);
        }
    } while (atomic_load_explicit(&shared->done, memory_order_acquire) == done);
    return 0;
}

static void
take_preemption(const struct laxity_switch_victim *victim, struct laxity_switch_row *row)
{
    const struct laxity_switch_shared *shared = victim->shared;
    const struct laxity_switch_marks *marks = &shared->run;
    row->preemptor_first_ns = laxity_stamp_ns(&victim->clock, marks->first);
    row->preemptor_last_ns = laxity_stamp_ns(&victim->clock, marks->last);
    const struct laxity_gap *gap = laxity_find_gap(&shared->gaps, marks->first, marks->last);
    if (gap) {
        row->victim_last_ns = laxity_stamp_ns(&victim->clock, gap->last);
        row->victim_first_ns = laxity_stamp_ns(&victim->clock, gap->first);
    }
}

/* How long before a timer the victim has to begin, its phase drawn. */
static int64_t lead_ns(struct laxity_switch_victim *victim, enum laxity_switch_case one)
{
    const int64_t evicting_ns = one == LAXITY_SWITCH_CASE_WORST ? 2 * victim->evicting_ns : 0;
    return EARLIEST_NS + evicting_ns + laxity_switch_draw_ns(victim, PHASE_NS);
}

static void evict(struct laxity_switch_victim *victim, uint64_t evict_bytes)
{
    const int64_t start_ns = laxity_machine_now_ns();
    laxity_switch_evict(&victim->partner, evict_bytes);
    victim->evicting_ns =
        evict_bytes > 0 ? laxity_machine_now_ns() - start_ns : victim->evicting_ns;
}

void laxity_switch_learn_evicting(struct laxity_switch_victim *victim)
{
    const struct laxity_switch_settings *settings = victim->run->plan->settings;
    evict(victim, settings->evict_bytes);
}

int laxity_switch_preempt(
    struct laxity_switch_victim *victim,
    enum laxity_switch_case preemption_case,
    struct laxity_switch_row *out_row
)
{
    const struct laxity_switch_settings *settings = victim->run->plan->settings;
    const bool is_evicting = preemption_case == LAXITY_SWITCH_CASE_WORST;
    const uint64_t evict_bytes = is_evicting ? settings->evict_bytes : 0;
    const unsigned done = atomic_load_explicit(&victim->shared->done, memory_order_acquire);
    const int64_t asked_ns = laxity_machine_now_ns();
    *out_row = laxity_switch_row_of(victim, LAXITY_SWITCH_QUANTITY_PREEMPTION);
    out_row->case_ = (uint8_t)preemption_case;
    out_row->time_ns = asked_ns + lead_ns(victim, preemption_case);
    if (give_run(victim, out_row->time_ns, 1, evict_bytes)) {
        return -1;
    }
    laxity_anchor_stamps(&victim->clock, 0);
    const int64_t start_ns = laxity_machine_now_ns();
    evict(victim, evict_bytes);
    const int rc = stamp_until_done(victim, done);
    laxity_anchor_stamps(&victim->clock, 1);
    if (rc) {
        return -1;
    }
    take_preemption(victim, out_row);
    laxity_switch_take_gaps(victim, start_ns, out_row);
    return laxity_switch_await_answer(victim->run, &victim->partner);
}

int laxity_switch_measure_idle(struct laxity_switch_victim *victim)
{
    struct laxity_switch_row row = laxity_switch_row_of(victim, LAXITY_SWITCH_QUANTITY_TIMER);
    row.time_ns = laxity_machine_now_ns() + IDLE_NS + laxity_switch_draw_ns(victim, PHASE_NS);
    laxity_anchor_stamps(&victim->clock, 0);
    if (give_run(victim, row.time_ns, 1, 0) ||
        laxity_switch_await_answer(victim->run, &victim->partner)) {
        return -1;
    }
    laxity_anchor_stamps(&victim->clock, 1);
    row.preemptor_first_ns = laxity_stamp_ns(&victim->clock, victim->shared->run.first);
    row.preemptor_last_ns = laxity_stamp_ns(&victim->clock, victim->shared->run.last);
    return laxity_switch_add_row(victim, &row);
}

/*
 * The partner cannot run before the victim sleeps: only the interrupt shows. In the worst case the
 * victim evicts once the timer is set, so that the kernel handles it with cold caches; what is
 * evicted of the victim itself it has loaded again before the expiry, and the control evicts, too.
 */
int laxity_switch_measure_release(
    struct laxity_switch_victim *victim,
    enum laxity_switch_role role,
    enum laxity_switch_case release_case
)
{
    const struct laxity_switch_settings *settings = victim->run->plan->settings;
    const bool is_evicting = release_case == LAXITY_SWITCH_CASE_WORST;
    struct laxity_switch_row row = laxity_switch_row_of(victim, LAXITY_SWITCH_QUANTITY_RELEASE);
    const bool is_released = role == LAXITY_SWITCH_ROLE_OBSERVED;
    const unsigned armed = atomic_load_explicit(&victim->shared->armed, memory_order_acquire);
    row.role = (uint8_t)role;
    row.case_ = (uint8_t)release_case;
    row.time_ns = laxity_machine_now_ns() + lead_ns(victim, release_case);
    if (is_released) {
        if (give_run(victim, row.time_ns, -1, 0)) {
            return -1;
        }
    } else {
        laxity_machine_pause_ns(ASLEEP_NS);
    }
    const bool is_armed =
        atomic_load_explicit(&victim->shared->armed, memory_order_acquire) != armed;
    laxity_anchor_stamps(&victim->clock, 0);
    evict(victim, is_evicting ? settings->evict_bytes : 0);
    const int64_t left_ns = row.time_ns + RELEASE_WINDOW_NS - laxity_machine_now_ns();
    const uint64_t end = laxity_stamp(&victim->clock) +
                         laxity_stamps_of_ns(&victim->clock, left_ns > 0 ? left_ns : 0);
    laxity_stamp_until(&victim->clock, &victim->shared->gaps, NULL, 0, end);
    laxity_anchor_stamps(&victim->clock, 1);
    /* Whoever began to look too late, or found the timer not set, has seen nothing. */
    if (left_ns > RELEASE_WINDOW_NS && is_armed == is_released) {
        laxity_switch_take_gaps(victim, row.time_ns, &row);
    }
    if (is_released && laxity_switch_await_answer(victim->run, &victim->partner)) {
        return -1;
    }
    return laxity_switch_add_row(victim, &row);
}
