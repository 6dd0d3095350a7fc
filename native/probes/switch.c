/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "switch": what the kernel takes from tasks when it switches between them, wakes them and
 * handles interrupts, seen by the tasks themselves.
 *
 * A victim takes time stamps in a tight loop; a partner preempts it, is released below it,
 * exchanges turns with it or is woken by it from another CPU, and stamps what it does. Rows hold
 * the stamps only; what follows from them is computed elsewhere
 * (python/laxity/costs/switch/costs.py).
 *
 * Source: Sebek, "The real cost of task pre-emptions", section 3.4, whose four probes stand inside
 * the kernel; ours stand where a task notices.
 */
#include "base/cpus.h"
#include "base/error.h"
#include "probes/crpd_patterns.h"
#include "probes/probe.h"
#include "probes/switch_partner.h"
#include "probes/switch_quantities.h"
#include "probes/switch_settings.h"
#include "probes/switch_stamps.h"
#include "probes/switch_victim.h"
#include "probes/working_set.h"
#include "schema/probes.h"
#include "schema/run.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What is released by a timer, in random order, so that what changes slowly changes all of it. */
enum kind {
    PREEMPTED_BEST,
    PREEMPTED_WORST,
    IDLE,
    RELEASED_BEST,
    RELEASED_WORST,
    NOT_RELEASED_BEST,
    NOT_RELEASED_WORST,
    KINDS
};

static int map_memory(struct laxity_switch_victim *victim, uint64_t evict_bytes)
{
    victim->mapped_bytes = sizeof *victim->shared;
    victim->partner.buffer_bytes = (size_t)evict_bytes;
    victim->shared = laxity_map_inherited(victim->mapped_bytes);
    unsigned char *buffer = mmap(
        NULL,
        victim->partner.buffer_bytes,
        PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS,
        -1,
        0
    );
    victim->partner.buffer = buffer == MAP_FAILED ? NULL : buffer;
    if (!victim->shared || buffer == MAP_FAILED) {
        return laxity_refuse(
            &victim->run->shared->error,
            LAXITY_EXIT_LACKING,
            "switch: no memory for %zu bytes that evict; lower --evict-size",
            victim->partner.buffer_bytes
        );
    }
    memset(buffer, 1, victim->partner.buffer_bytes);
    return 0;
}

static void find_period(struct laxity_switch_victim *victim)
{
    const uint64_t period = laxity_stamp_period(&victim->clock, &victim->shared->gaps);
    victim->period_ns = (uint32_t)((double)period / victim->clock.stamps_per_ns + 1);
}

static int setup(struct laxity_probe_run *run)
{
    const struct laxity_switch_settings *settings = run->plan->settings;
    struct laxity_switch_victim *victim = calloc(1, sizeof *victim);
    run->state = victim;
    if (!victim) {
        return laxity_refuse(&run->shared->error, LAXITY_EXIT_LACKING, "switch: no memory");
    }
    victim->run = run;
    victim->random = run->plan->seed;
    if (run->plan->priority < 2) {
        return laxity_refuse(
            &run->shared->error,
            LAXITY_EXIT_USAGE,
            "switch: --priority 1 leaves no priority below the victim; use 2 or more"
        );
    }
    if (map_memory(victim, settings->evict_bytes)) {
        return -1;
    }
    laxity_stamp_clock_open(&victim->clock);
    victim->partner.shared = victim->shared;
    victim->partner.clock = &victim->clock;
    return laxity_switch_start_partner(run, &victim->partner);
}

static void teardown(struct laxity_probe_run *run)
{
    struct laxity_switch_victim *victim = run->state;
    if (!victim) {
        return;
    }
    laxity_switch_stop_partner(&victim->partner);
    if (victim->shared) {
        (void)munmap(victim->shared, victim->mapped_bytes);
    }
    if (victim->partner.buffer) {
        (void)munmap(victim->partner.buffer, victim->partner.buffer_bytes);
    }
    free(victim);
    run->state = NULL;
}

static bool is_asked(const struct laxity_probe_run *run, enum kind kind)
{
    static const enum laxity_switch_quantity quantities[KINDS] = {
        [PREEMPTED_BEST] = LAXITY_SWITCH_QUANTITY_PREEMPTION,
        [PREEMPTED_WORST] = LAXITY_SWITCH_QUANTITY_PREEMPTION,
        [IDLE] = LAXITY_SWITCH_QUANTITY_TIMER,
        [RELEASED_BEST] = LAXITY_SWITCH_QUANTITY_RELEASE,
        [RELEASED_WORST] = LAXITY_SWITCH_QUANTITY_RELEASE,
        [NOT_RELEASED_BEST] = LAXITY_SWITCH_QUANTITY_RELEASE,
        [NOT_RELEASED_WORST] = LAXITY_SWITCH_QUANTITY_RELEASE,
    };
    const struct laxity_switch_settings *settings = run->plan->settings;
    return settings->has_quantity[quantities[kind]];
}

static int measure_kind(struct laxity_switch_victim *victim, enum kind kind)
{
    const bool is_worst =
        kind == PREEMPTED_WORST || kind == RELEASED_WORST || kind == NOT_RELEASED_WORST;
    const enum laxity_switch_case preemption_case =
        is_worst ? LAXITY_SWITCH_CASE_WORST : LAXITY_SWITCH_CASE_BEST;
    struct laxity_switch_row row;
    switch (kind) {
    case PREEMPTED_BEST:
    case PREEMPTED_WORST:
        return laxity_switch_preempt(victim, preemption_case, &row)
                   ? -1
                   : laxity_switch_add_row(victim, &row);
    case IDLE:
        return laxity_switch_measure_idle(victim);
    case RELEASED_BEST:
    case RELEASED_WORST:
        return laxity_switch_measure_release(victim, LAXITY_SWITCH_ROLE_OBSERVED, preemption_case);
    case NOT_RELEASED_BEST:
    case NOT_RELEASED_WORST:
        return laxity_switch_measure_release(victim, LAXITY_SWITCH_ROLE_CONTROL, preemption_case);
    case KINDS:
        break;
    }
    return 0;
}

static void shuffle_kinds(struct laxity_switch_victim *victim, enum kind kinds[KINDS])
{
    for (unsigned i = 0; i < KINDS; i++) {
        const uint64_t at = laxity_crpd_random(&victim->random) % (i + 1);
        kinds[i] = kinds[at];
        kinds[at] = (enum kind)i;
    }
}

static int measure_timers(struct laxity_switch_victim *victim)
{
    if (is_asked(victim->run, PREEMPTED_WORST) || is_asked(victim->run, RELEASED_WORST)) {
        laxity_switch_learn_evicting(victim);
    }
    for (uint64_t i = 0; i < victim->run->plan->repetitions; i++) {
        enum kind kinds[KINDS] = {0};
        shuffle_kinds(victim, kinds);
        for (int at = 0; at < KINDS; at++) {
            const bool is_due = is_asked(victim->run, kinds[at]);
            const int rc = is_due ? measure_kind(victim, kinds[at]) : 0;
            if (rc) {
                return rc;
            }
            laxity_probe_pause(victim->run);
        }
    }
    return 0;
}

static int
exchange_all(struct laxity_switch_victim *victim, uint32_t cpu_to, enum laxity_switch_case one)
{
    const uint32_t rounds = one == LAXITY_SWITCH_CASE_WORST ? LAXITY_SWITCH_EVICTING_ROUNDS
                                                            : LAXITY_SWITCH_BATCH_ROUNDS;
    for (uint64_t i = 0; i < laxity_switch_count_batches(victim->run->plan->repetitions, rounds);
         i++) {
        const int rc = laxity_switch_exchange(victim, cpu_to, one, rounds);
        if (rc) {
            return rc;
        }
        laxity_probe_pause(victim->run);
    }
    return 0;
}

static int measure_sync(struct laxity_switch_victim *victim)
{
    const int rc = exchange_all(victim, victim->cpu, LAXITY_SWITCH_CASE_BEST);
    return rc ? rc : exchange_all(victim, victim->cpu, LAXITY_SWITCH_CASE_WORST);
}

static int measure_wakeups(struct laxity_switch_victim *victim)
{
    const struct laxity_switch_settings *settings = victim->run->plan->settings;
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        if (!laxity_cpus_has(&settings->to, cpu) || cpu == victim->cpu) {
            continue;
        }
        int rc = laxity_switch_compare_clocks(victim, cpu);
        rc = rc ? rc : exchange_all(victim, cpu, LAXITY_SWITCH_CASE_BEST);
        if (rc) {
            return rc;
        }
    }
    return 0;
}

static int measure_spins(struct laxity_switch_victim *victim)
{
    const struct laxity_switch_settings *settings = victim->run->plan->settings;
    for (uint64_t i = 0; i < laxity_switch_count_windows(settings); i++) {
        const int rc = laxity_switch_spin(victim, LAXITY_SWITCH_WINDOW_NS);
        if (rc) {
            return rc;
        }
        laxity_probe_pause(victim->run);
    }
    return 0;
}

/* Returns as the parts. */
static int measure_cpu(struct laxity_probe_run *run, unsigned cpu)
{
    static const struct {
        enum laxity_switch_quantity quantity;
        int (*measure)(struct laxity_switch_victim *);
    } parts[] = {
        {LAXITY_SWITCH_QUANTITY_KERNEL, laxity_switch_measure_kernel},
        {LAXITY_SWITCH_QUANTITY_SYNC, measure_sync},
        {LAXITY_SWITCH_QUANTITY_WAKEUP, measure_wakeups},
        {LAXITY_SWITCH_QUANTITY_SPIN, measure_spins},
        {LAXITY_SWITCH_QUANTITY_IRQ, laxity_switch_measure_irqs},
    };
    const struct laxity_switch_settings *settings = run->plan->settings;
    struct laxity_switch_victim *victim = run->state;
    victim->cpu = cpu;
    find_period(victim);
    int rc = measure_timers(victim);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && rc == 0; i++) {
        if (settings->has_quantity[parts[i].quantity]) {
            rc = parts[i].measure(victim);
        }
    }
    return rc;
}

static int measure(struct laxity_probe_run *run)
{
    return laxity_probe_measure_cpus(run, measure_cpu);
}

const struct laxity_probe laxity_probe_switch = {
    .name = "switch",
    .stream = "switch.npy",
    .fields = laxity_switch_fields,
    .n_fields = LAXITY_SWITCH_FIELD_COUNT,
    .row_bytes = sizeof(struct laxity_switch_row),
    .setup = setup,
    .measure = measure,
    .teardown = teardown,
    .count_rows = laxity_switch_count_rows,
    .check = laxity_switch_check,
};
