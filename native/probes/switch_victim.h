/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The victim of probe "switch": the measuring process. One file per group of quantities. */
#ifndef LAXITY_PROBES_SWITCH_VICTIM_H
#define LAXITY_PROBES_SWITCH_VICTIM_H

#include "base/npy.h"
#include "base/port/time.h"
#include "probes/probe.h"
#include "probes/switch.h"
#include "probes/switch_partner.h"
#include "probes/switch_stamps.h"
#include "schema/streams.h"

#include <stddef.h>
#include <stdint.h>

struct laxity_switch_victim {
    struct laxity_probe_run *run;
    struct laxity_switch_partner partner;
    struct laxity_switch_shared *shared;
    struct laxity_stamp_clock clock;
    size_t mapped_bytes;
    size_t buffer_bytes;
    int64_t evicting_ns; /* what evicting took last */
    uint64_t random;
    uint32_t period_ns;
    uint32_t cpu;
};

/* All of these return 0, 1 if the user wants an end, or -1 with error set. */

/* laxity_switch_preempt - one preemption at a random phase; of quantity preemption or kernel */
int laxity_switch_preempt(
    struct laxity_switch_victim *victim,
    enum laxity_switch_case preemption_case,
    struct laxity_switch_row *out_row
);

/* laxity_switch_measure_idle - one expiry on an idle CPU */
int laxity_switch_measure_idle(struct laxity_switch_victim *victim);

/* laxity_switch_measure_release - one expiry for a task below the victim, or none as a control */
int laxity_switch_measure_release(
    struct laxity_switch_victim *victim,
    enum laxity_switch_role role,
    enum laxity_switch_case release_case
);

/* laxity_switch_exchange - rounds of handing over by a futex: on one CPU (sync) or on two (wakeup)
 */
int laxity_switch_exchange(
    struct laxity_switch_victim *victim,
    uint32_t cpu_to,
    enum laxity_switch_case preemption_case,
    uint32_t rounds
);

/* laxity_switch_compare_clocks - what a turn between two CPUs takes at least, by spinning */
int laxity_switch_compare_clocks(struct laxity_switch_victim *victim, uint32_t cpu_to);

/* laxity_switch_measure_kernel - preemptions recorded by the kernel; none, told, where it does not
 */
int laxity_switch_measure_kernel(struct laxity_switch_victim *victim);

/* laxity_switch_spin - one window of stamps while nothing is released */
int laxity_switch_spin(struct laxity_switch_victim *victim, int64_t window_ns);

enum {
    /* In most such windows of an idle machine there is one interrupt at most. */
    LAXITY_SWITCH_IRQ_NS = LAXITY_NS_PER_MS
};

/* laxity_switch_measure_irqs - gaps that must be of one interrupt, or of none; told if uncounted */
int laxity_switch_measure_irqs(struct laxity_switch_victim *victim);

/* What the above have in common. */

enum {
    /* Many ticks of any kernel in one window of spinning, and the CPU is free again soon. */
    LAXITY_SWITCH_WINDOW_NS = 40 * LAXITY_NS_PER_MS,
    /* Rounds of exchange between two pauses; an evicting one takes about a millisecond. */
    LAXITY_SWITCH_BATCH_ROUNDS = 60,
    LAXITY_SWITCH_EVICTING_ROUNDS = 14,
};

extern const struct laxity_field laxity_switch_fields[LAXITY_SWITCH_FIELD_COUNT];

/* laxity_switch_count_rows - of all CPUs, at most */
uint64_t laxity_switch_count_rows(const struct laxity_probe_plan *plan);

/* laxity_switch_count_windows - of spinning, per CPU */
uint64_t laxity_switch_count_windows(const struct laxity_switch_settings *settings);

/* laxity_switch_count_batches - of so many rounds that make up the repetitions */
uint64_t laxity_switch_count_batches(uint64_t repetitions, uint64_t rounds);

/* laxity_switch_row_of - a row without stamps */
struct laxity_switch_row laxity_switch_row_of(
    const struct laxity_switch_victim *victim, enum laxity_switch_quantity quantity
);

/* laxity_switch_add_row - returns 0, or 1 if the user wants an end */
int laxity_switch_add_row(struct laxity_switch_victim *victim, const struct laxity_switch_row *row);

/* laxity_switch_draw_ns - a random time, or number, in [0, limit_ns) */
int64_t laxity_switch_draw_ns(struct laxity_switch_victim *victim, int64_t limit_ns);

/* laxity_switch_take_gaps - count the victim's gaps and add up those that end after `from` */
void laxity_switch_take_gaps(
    const struct laxity_switch_victim *victim, int64_t from_ns, struct laxity_switch_row *row
);

#endif
