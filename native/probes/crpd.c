/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "crpd": what a preemption costs the caches of the task that it preempts.
 *
 * A victim passes over its working set; a preemptor on the same CPU, one priority above it, either
 * evicts lines or spins equally long. Per observation the stream holds one warm pass before the
 * preemption and the passes after it. What follows from them is computed elsewhere
 * (python/laxity/costs/crpd/rows.py).
 *
 * Source: Sebek, "The real cost of task pre-emptions", section 3.5; the two kinds of preemptor and
 * their random order are ours.
 */
#include "base/cpus.h"
#include "base/error.h"
#include "base/npy.h"
#include "base/port/time.h"
#include "codegen/code.h"
#include "probes/crpd_patterns.h"
#include "probes/crpd_preemptor.h"
#include "probes/machine.h"
#include "probes/probe.h"
#include "probes/working_set.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    /* Before an observation; caches without LRU replacement need more than one. */
    WARM_PASSES = 4,
    /* Time for the preemptor to fall asleep before its timer; and what a lost wake-up may take. */
    ASLEEP_NS = 200000,
    PATIENCE_NS = LAXITY_NS_PER_S,
    WAKE_AFTER_PASSES = 4,
    /* Of an observation whose victim is held up until the preemptor wakes. */
    MAX_TRIES = 100,
};

static const struct laxity_field fields[] = {LAXITY_CRPD_FIELDS};

/* One way of being preempted. */
struct way {
    enum laxity_crpd_case preemption_case;
    enum laxity_crpd_evict evict;
    uint64_t evict_bytes; /* flushing: 0, the working set instead */
    int64_t evicting_ns;  /* what evicting took last: so long is spun */
};

/* The victim: the measuring process itself. */
struct victim {
    struct laxity_crpd_preemptor preemptor;
    unsigned char *working_set;
    size_t mapped_bytes;
    size_t bytes; /* of the working set now measured */
    /* By pattern, if it is code: as large as the largest working set, of which each smaller one is
     * the end. So nothing is written after the preemptor was forked, and both have the same lines.
     */
    struct laxity_code codes[LAXITY_CRPD_PATTERN_COUNT];
    size_t code_offset; /* where the one now measured begins */
    enum laxity_crpd_pattern pattern;
    uint32_t *order; /* of the lines of a chain, while it is linked */
    uint64_t random;
    uint32_t cpu;
    struct way *ways;
    size_t n_ways;
};

static void pass_over(const struct victim *victim)
{
    switch (victim->pattern) {
    case LAXITY_CRPD_PATTERN_CHASE:
        laxity_crpd_chase(victim->working_set);
        return;
    case LAXITY_CRPD_PATTERN_CODE:
    case LAXITY_CRPD_PATTERN_JUMPS:
        (void)laxity_code_run(&victim->codes[victim->pattern], victim->code_offset, 0);
        return;
    case LAXITY_CRPD_PATTERN_SEQUENTIAL:
        laxity_crpd_walk(victim->working_set, victim->bytes);
        return;
    }
}

/* Where the working set now measured begins. */
static volatile unsigned char *lines_of(const struct victim *victim)
{
    return laxity_crpd_is_code(victim->pattern)
               ? victim->codes[victim->pattern].start + victim->code_offset
               : victim->working_set;
}

/* How many sizes of its buffer the preemptor tries; flushing knows no buffer. */
static size_t n_buffers(const struct laxity_crpd_settings *settings, enum laxity_crpd_evict evict)
{
    return evict == LAXITY_CRPD_EVICT_FLUSH ? 1 : settings->evict_sizes_bytes.n;
}

/* Lists the ways that settings ask for; with `ways` NULL only counts them. */
static size_t list_ways(const struct laxity_crpd_settings *settings, struct way *ways)
{
    size_t n = 0;
    for (int kind = 0; kind < (int)LAXITY_CRPD_CASE_COUNT * (int)LAXITY_CRPD_EVICT_COUNT; kind++) {
        const enum laxity_crpd_case one = (enum laxity_crpd_case)(kind / LAXITY_CRPD_EVICT_COUNT);
        const enum laxity_crpd_evict evict =
            (enum laxity_crpd_evict)(kind % LAXITY_CRPD_EVICT_COUNT);
        if (!settings->has_case[one] || !settings->has_evict[evict]) {
            continue;
        }
        for (size_t i = 0; i < n_buffers(settings, evict); i++, n++) {
            if (ways) {
                ways[n] = (struct way){
                    .preemption_case = one,
                    .evict = evict,
                    .evict_bytes =
                        evict == LAXITY_CRPD_EVICT_FLUSH ? 0 : settings->evict_sizes_bytes.items[i],
                };
            }
        }
    }
    return n;
}

/* Ways of all patterns: what is observed per role, working set, repetition and CPU. */
static uint64_t count_ways(const struct laxity_crpd_settings *settings)
{
    uint64_t n_cases = 0;
    uint64_t n = 0;
    for (int i = 0; i < LAXITY_CRPD_CASE_COUNT; i++) {
        n_cases += settings->has_case[i];
    }
    for (int i = 0; i < (int)LAXITY_CRPD_PATTERN_COUNT * (int)LAXITY_CRPD_EVICT_COUNT; i++) {
        const enum laxity_crpd_pattern pattern =
            (enum laxity_crpd_pattern)(i / LAXITY_CRPD_EVICT_COUNT);
        const enum laxity_crpd_evict evict = (enum laxity_crpd_evict)(i % LAXITY_CRPD_EVICT_COUNT);
        if (settings->has_pattern[pattern] && settings->has_evict[evict] &&
            laxity_crpd_serves(evict, pattern)) {
            n += n_cases * n_buffers(settings, evict);
        }
    }
    return n;
}

static uint64_t count_rows(const struct laxity_probe_plan *plan)
{
    const struct laxity_crpd_settings *settings = plan->settings;
    uint64_t rows = (uint64_t)LAXITY_CRPD_ROLE_COUNT * laxity_cpus_count(&plan->cpus);
    if (__builtin_mul_overflow(rows, count_ways(settings), &rows) ||
        __builtin_mul_overflow(rows, settings->sizes_bytes.n, &rows) ||
        __builtin_mul_overflow(rows, plan->repetitions, &rows)) {
        return UINT64_MAX / sizeof(struct laxity_crpd_row);
    }
    return rows;
}

/* What patterns of code execute. Returns 0, or -1 with error set. */
static int make_codes(struct laxity_probe_run *run, size_t bytes)
{
    const struct laxity_crpd_settings *settings = run->plan->settings;
    struct victim *victim = run->state;
    for (int i = 0; i < LAXITY_CRPD_PATTERN_COUNT; i++) {
        const enum laxity_crpd_pattern pattern = (enum laxity_crpd_pattern)i;
        if (settings->has_pattern[i] && laxity_crpd_is_code(pattern) &&
            laxity_crpd_make_code(pattern, bytes, 1, &victim->codes[i], &run->shared->error)) {
            return -1;
        }
    }
    return 0;
}

static int setup(struct laxity_probe_run *run)
{
    const struct laxity_crpd_settings *settings = run->plan->settings;
    struct victim *victim = calloc(1, sizeof *victim);
    run->state = victim;
    if (!victim) {
        return laxity_refuse(&run->shared->error, LAXITY_EXIT_LACKING, "crpd: no memory");
    }
    victim->random = run->plan->seed;
    victim->n_ways = list_ways(settings, NULL);
    victim->ways = calloc(victim->n_ways, sizeof *victim->ways);
    const size_t largest = laxity_largest_size(&settings->sizes_bytes, 0);
    /* Shared: the preemptor flushes these very lines. What both exchange lies on a page of its own.
     */
    enum {
        EXCHANGE_BYTES = 4096
    };
    victim->mapped_bytes = EXCHANGE_BYTES + largest;
    victim->order = calloc(largest / laxity_crpd_line_bytes() + 1, sizeof *victim->order);
    unsigned char *base = laxity_map_inherited(victim->mapped_bytes);
    if (!base || !victim->order || !victim->ways) {
        return laxity_refuse_working_set(run, largest);
    }
    (void)list_ways(settings, victim->ways);
    victim->working_set = base + EXCHANGE_BYTES;
    victim->preemptor.shared = (struct laxity_crpd_shared *)base;
    /* Something, also where lines are only flushed. */
    victim->preemptor.evict_bytes =
        laxity_largest_size(&settings->evict_sizes_bytes, laxity_crpd_line_bytes());
    victim->preemptor.executes = settings->has_evict[LAXITY_CRPD_EVICT_EXECUTE];
    if (make_codes(run, largest)) {
        return -1;
    }
    return laxity_crpd_start_preemptor(run, &victim->preemptor);
}

static void teardown(struct laxity_probe_run *run)
{
    struct victim *victim = run->state;
    if (!victim) {
        return;
    }
    laxity_crpd_stop_preemptor(&victim->preemptor);
    if (victim->preemptor.shared) {
        (void)munmap(victim->preemptor.shared, victim->mapped_bytes);
    }
    for (int i = 0; i < LAXITY_CRPD_PATTERN_COUNT; i++) {
        laxity_code_free(&victim->codes[i]);
    }
    free(victim->ways);
    free(victim->order);
    free(victim);
    run->state = NULL;
}

/* Gives the last of them. */
static int64_t warm_up(struct victim *victim)
{
    int64_t before_ns = laxity_machine_now_ns();
    int64_t pass_ns = 0;
    for (int i = 0; i < WARM_PASSES; i++) {
        pass_over(victim);
        const int64_t now_ns = laxity_machine_now_ns();
        pass_ns = now_ns - before_ns;
        before_ns = now_ns;
    }
    return pass_ns;
}

/* Passes `first`... of a row, one after the other from `before_ns` on. */
static void
pass_until_warm(struct victim *victim, struct laxity_crpd_row *row, int first, int64_t before_ns)
{
    for (int i = first; i < LAXITY_CRPD_PASS_COUNT; i++) {
        pass_over(victim);
        const int64_t now_ns = laxity_machine_now_ns();
        row->pass_ns[i] = now_ns - before_ns;
        before_ns = now_ns;
    }
}

static int observe_synchronous(
    struct laxity_probe_run *run, struct laxity_crpd_order *order, struct laxity_crpd_row *row
)
{
    struct victim *victim = run->state;
    row->warm_ns = warm_up(victim);
    row->time_ns = laxity_machine_now_ns();
    order->wake_ns = 0;
    if (laxity_crpd_give_order(run, &victim->preemptor, order)) {
        return -1;
    }
    pass_until_warm(victim, row, 0, laxity_machine_now_ns());
    return 0;
}

/*
 * Endless passes from one time stamp to the next, so that nothing falls between two of them: the
 * preemption is in the pass during which the preemptor said that it is done, or in the one after.
 * Where that was the first pass, this process or its virtual CPU was held up until the preemptor
 * had slept: it may have preempted nothing, and `warm_ns` is absent.
 */
static int observe_timed_preemption(
    struct laxity_probe_run *run, struct laxity_crpd_order *order, struct laxity_crpd_row *row
)
{
    struct victim *victim = run->state;
    struct laxity_crpd_shared *shared = victim->preemptor.shared;
    const int64_t warm_ns = warm_up(victim);
    const uint64_t phase_ns = laxity_crpd_random(&victim->random) % (uint64_t)(warm_ns + 1);
    const unsigned done = atomic_load_explicit(&shared->done, memory_order_acquire);
    row->time_ns = laxity_machine_now_ns();
    order->wake_ns = row->time_ns + ASLEEP_NS + WAKE_AFTER_PASSES * warm_ns + (int64_t)phase_ns;
    if (laxity_crpd_give_order(run, &victim->preemptor, order)) {
        return -1;
    }
    const int64_t end_ns = order->wake_ns + PATIENCE_NS;
    int64_t before_ns = laxity_machine_now_ns();
    int64_t pass_ns = LAXITY_ABSENT_NS;
    do {
        row->warm_ns = pass_ns;
        pass_over(victim);
        const int64_t now_ns = laxity_machine_now_ns();
        pass_ns = now_ns - before_ns;
        before_ns = now_ns;
        if (now_ns > end_ns) {
            return laxity_refuse(
                &run->shared->error, LAXITY_EXIT_NO_VERDICT, "crpd: the preemptor did not wake up"
            );
        }
    } while (atomic_load_explicit(&shared->done, memory_order_acquire) == done);
    row->pass_ns[0] = pass_ns;
    pass_until_warm(victim, row, 1, before_ns);
    return 0;
}

static int observe_asynchronous(
    struct laxity_probe_run *run, struct laxity_crpd_order *order, struct laxity_crpd_row *row
)
{
    for (int i = 0; i < MAX_TRIES; i++) {
        if (observe_timed_preemption(run, order, row)) {
            return -1;
        }
        if (row->warm_ns != LAXITY_ABSENT_NS) {
            return 0;
        }
    }
    return laxity_refuse(
        &run->shared->error,
        LAXITY_EXIT_NO_VERDICT,
        "crpd: %d times in a row the victim was held up until the preemptor had slept; leave the"
        " CPU to it",
        MAX_TRIES
    );
}

static int observe(
    struct laxity_probe_run *run,
    struct way *way,
    enum laxity_crpd_role role,
    struct laxity_crpd_row *out_row
)
{
    struct victim *victim = run->state;
    const struct laxity_crpd_settings *settings = run->plan->settings;
    const bool is_evicting = role == LAXITY_CRPD_ROLE_EVICT;
    struct laxity_crpd_order order = {
        .spin_ns = is_evicting ? settings->preemption_ns : way->evicting_ns,
        .working_set_bytes = victim->bytes,
        .evict_bytes = way->evict_bytes,
        .working_set = lines_of(victim),
        .cpu = victim->cpu,
        .evict = (uint8_t)way->evict,
        .is_evicting = is_evicting,
    };
    *out_row = (struct laxity_crpd_row){
        .working_set_bytes = victim->bytes,
        .evict_bytes = way->evict == LAXITY_CRPD_EVICT_FLUSH ? victim->bytes : way->evict_bytes,
        .cpu = (int32_t)victim->cpu,
        .case_ = (uint8_t)way->preemption_case,
        .evict = (uint8_t)way->evict,
        .role = (uint8_t)role,
        .pattern = (uint8_t)victim->pattern,
    };
    const int rc = way->preemption_case == LAXITY_CRPD_CASE_SYNCHRONOUS
                       ? observe_synchronous(run, &order, out_row)
                       : observe_asynchronous(run, &order, out_row);
    if (rc == 0) {
        out_row->preemptor_ns = victim->preemptor.shared->preemptor_ns;
        if (is_evicting) {
            way->evicting_ns = out_row->preemptor_ns;
        }
    }
    return rc;
}

/* One of each role in random order. Returns 0, 1 if the user wants an end, or -1. */
static int measure_block(struct laxity_probe_run *run, struct way *way)
{
    struct victim *victim = run->state;
    uint8_t roles[LAXITY_CRPD_ROLE_COUNT];
    laxity_crpd_shuffle_roles(&victim->random, roles);
    for (int i = 0; i < LAXITY_CRPD_ROLE_COUNT; i++) {
        struct laxity_crpd_row row;
        if (observe(run, way, (enum laxity_crpd_role)roles[i], &row)) {
            return -1;
        }
        if (!laxity_probe_add_row(run, &row)) {
            return 1;
        }
        laxity_probe_pause(run);
    }
    return 0;
}

/* Every way in turn, so that what changes slowly changes all of them. */
static int measure_size(struct laxity_probe_run *run)
{
    const struct victim *victim = run->state;
    struct laxity_crpd_row unused;
    for (uint64_t i = 0; i <= run->plan->repetitions; i++) {
        for (size_t at = 0; at < victim->n_ways; at++) {
            struct way *way = &victim->ways[at];
            if (!laxity_crpd_serves(way->evict, victim->pattern)) {
                continue;
            }
            /* The first one only tells how long evicting takes. */
            const int rc = i == 0 ? observe(run, way, LAXITY_CRPD_ROLE_EVICT, &unused)
                                  : measure_block(run, way);
            if (rc) {
                return rc;
            }
        }
    }
    return 0;
}

/* All working sets on one CPU. Returns as measure_block. */
static int measure_cpu(struct laxity_probe_run *run, unsigned cpu)
{
    const struct laxity_crpd_settings *settings = run->plan->settings;
    struct victim *victim = run->state;
    victim->cpu = cpu;
    for (size_t i = 0; i < settings->sizes_bytes.n * LAXITY_CRPD_PATTERN_COUNT; i++) {
        victim->bytes = (size_t)settings->sizes_bytes.items[i / LAXITY_CRPD_PATTERN_COUNT];
        victim->pattern = (enum laxity_crpd_pattern)(i % LAXITY_CRPD_PATTERN_COUNT);
        if (!settings->has_pattern[victim->pattern]) {
            continue;
        }
        if (laxity_crpd_is_code(victim->pattern)) {
            const size_t rest = victim->bytes % laxity_crpd_line_bytes();
            victim->code_offset = victim->codes[victim->pattern].bytes - (victim->bytes - rest);
        }
        if (victim->pattern == LAXITY_CRPD_PATTERN_CHASE) {
            (void)laxity_crpd_link_chain(
                victim->working_set, victim->bytes, victim->order, &victim->random
            );
        }
        const int rc = measure_size(run);
        if (rc) {
            return rc;
        }
    }
    return 0;
}

static int measure(struct laxity_probe_run *run)
{
    return laxity_probe_measure_cpus(run, measure_cpu);
}

const struct laxity_probe laxity_probe_crpd = {
    .name = "crpd",
    .stream = "crpd.npy",
    .fields = fields,
    .n_fields = sizeof fields / sizeof fields[0],
    .row_bytes = sizeof(struct laxity_crpd_row),
    .setup = setup,
    .measure = measure,
    .teardown = teardown,
    .count_rows = count_rows,
    .check = laxity_crpd_check,
};
