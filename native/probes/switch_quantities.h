/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What probe "switch" measures; one file per group of quantities. */
#ifndef LAXITY_PROBES_SWITCH_QUANTITIES_H
#define LAXITY_PROBES_SWITCH_QUANTITIES_H

#include "probes/switch_victim.h"
#include "schema/streams.h"

#include <stdint.h>

/* All of these return 0, 1 if the user wants an end, or -1 with error set. */

/* laxity_switch_learn_evicting - how long the worst case takes to prepare, before a timer that must
 * not come earlier */
void laxity_switch_learn_evicting(struct laxity_switch_victim *victim);

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

/* laxity_switch_measure_irqs - gaps that must be of one interrupt, or of none; told if uncounted */
int laxity_switch_measure_irqs(struct laxity_switch_victim *victim);

#endif
