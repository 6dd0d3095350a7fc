/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Draws jobs, machines and adversaries. */
#include "adversary.h"
#include "regulator/policy.h"
#include "regulator/table.h"

#include <stdbool.h>
#include <stdint.h>

/* Truth of a phase: concave, linear, convex, or a jump at little traffic. */
static void draw_loss(struct setting *setting, uint32_t p, uint64_t *random, bool is_crossing)
{
    const int64_t top = happens(random, 35) ? draw(random, 0, 6000) : draw(random, 3000, 48000);
    const int64_t knee = is_crossing ? 1 : 1 + (draw(random, 0, 11) % 6);
    const int shape = is_crossing ? (int)(p & 1) : (int)draw(random, 0, 3);
    for (int64_t x = 0; x < LOADS; x++) {
        const int64_t last = LOADS - 1;
        int64_t loss = top * x / last;
        if (shape == 1) {
            loss = x >= knee ? top : top * x / (knee + 1);
        } else if (shape == 2) {
            loss = top * x * x / (last * last);
        } else if (shape == 3) {
            loss = x ? top * (x + LOADS) / (2 * LOADS - 1) : 0;
        }
        /* In sixteenths of the rate's unit, so that products stay exact; some progress remains. */
        loss = (loss > 63000 ? 63000 : loss) * (LAXITY_RATE_ONE / 65536);
        setting->loss[p][x] = (uint32_t)loss;
    }
}

static uint32_t draw_n_phases(uint64_t *random)
{
    if (happens(random, 40)) {
        return (uint32_t)draw(random, 1, 5);
    }
    return (uint32_t)draw(random, happens(random, 50) ? 20 : 4, JOB_PHASES_MAX);
}

/* Solo times of a phase: where one input is long, the next one is short. */
static void draw_times(struct setting *setting, uint32_t p, uint64_t *random)
{
    int64_t length_ns = draw(random, 1000, 300000);
    if (happens(random, 50)) {
        length_ns = happens(random, 20) ? 0 : draw(random, 8000, 100000);
    }
    for (uint32_t i = 0; i < INPUTS_MAX; i++) {
        const int64_t part = draw(random, 10, 190);
        const int64_t percent = ((p + i) & 1) != 0 ? part : 200 - part;
        setting->solo_ns[i][p] = happens(random, 12) ? 0 : length_ns * percent / 100;
    }
}

/* The second input has all of its time in its last phase: only the losses so far count. */
static void delay_input(struct setting *setting)
{
    const uint32_t last = setting->n_phases - 1;
    int64_t sum_ns = 0;
    for (uint32_t p = 0; p <= last; p++) {
        sum_ns += setting->solo_ns[0][p];
        setting->solo_ns[1][p] = p == last ? sum_ns : 0;
    }
}

static void draw_job(struct setting *setting, uint64_t *random)
{
    setting->n_phases = draw_n_phases(random);
    setting->n_inputs = (uint32_t)draw(random, 1, INPUTS_MAX);
    const bool is_crossing = happens(random, 45);
    for (uint32_t p = 0; p < setting->n_phases; p++) {
        draw_times(setting, p, random);
        setting->own_traffic[p] = happens(random, 50) ? draw(random, 0, 12) : 0;
        draw_loss(setting, p, random, is_crossing);
    }
    if (setting->n_inputs > 1 && happens(random, 30)) {
        delay_input(setting);
    }
    setting->scale_percent = happens(random, 80) ? 100 : draw(random, 40, 100);
    setting->adversary = is_crossing && happens(random, 40)
                             ? ALTERNATING
                             : (enum adversary)draw(random, 0, N_ADVERSARIES - 1);
}

/* Above the truth by as little as steps of traffic and the hull allow. A point between two steps
 * stands at the lower one, or a mixture of this traffic and less would lie above the hull. */
static void make_loss(struct setting *setting)
{
    for (uint32_t p = 0; p < setting->n_phases; p++) {
        uint32_t *curve = setting->table.loss[p];
        for (int64_t x = 0; x < LOADS; x++) {
            const int64_t progress = LAXITY_RATE_ONE - setting->loss[p][x];
            int64_t step = x + setting->own_traffic[p] * progress / LAXITY_RATE_ONE;
            step = step < STEPS ? step : STEPS - 1;
            curve[step] = setting->loss[p][x] > curve[step] ? setting->loss[p][x] : curve[step];
        }
        for (uint32_t i = 1; i < STEPS; i++) {
            curve[i] = curve[i] > curve[i - 1] ? curve[i] : curve[i - 1];
        }
        laxity_contention_pack(curve, STEPS);
    }
}

static int64_t largest(const struct setting *setting, uint32_t from, uint32_t to)
{
    int64_t largest_ns = 0;
    for (uint32_t i = 0; i < setting->n_inputs; i++) {
        int64_t sum_ns = 0;
        for (uint32_t p = from; p < to; p++) {
            sum_ns += setting->solo_ns[i][p];
        }
        largest_ns = sum_ns > largest_ns ? sum_ns : largest_ns;
    }
    return largest_ns;
}

/* Least solo time of a phase over all inputs, as the job is played. */
static int64_t shortest(const struct setting *setting, uint32_t phase)
{
    int64_t shortest_ns = INT64_MAX;
    for (uint32_t i = 0; i < setting->n_inputs; i++) {
        const int64_t ns = setting->solo_ns[i][phase] * setting->scale_percent / 100;
        shortest_ns = ns < shortest_ns ? ns : shortest_ns;
    }
    return shortest_ns;
}

/* Loss of later phases that lose less at a traffic. */
static int64_t reserve_ns(const struct setting *setting, uint32_t phase, uint32_t step)
{
    int64_t sum_ns = 0;
    for (uint32_t q = phase + 1; q < setting->n_phases; q++) {
        const int64_t rate = setting->table.loss[q][step];
        if (rate < setting->table.loss[phase][step]) {
            sum_ns += largest(setting, q, q + 1) * rate / (LAXITY_RATE_ONE - rate);
        }
    }
    return sum_ns;
}

static void make_table(struct setting *setting)
{
    struct laxity_contention_table *table = &setting->table;
    const uint32_t n = setting->n_phases;
    table->n_phases = n;
    table->n_steps = STEPS;
    table->step_bytes_per_s = 1000000000; /* a load of 1 moves a byte each ns */
    make_loss(setting);
    for (uint32_t p = 0; p <= n; p++) {
        table->solo_from_ns[p] = largest(setting, p, n);
        table->solo_until_ns[p] = largest(setting, 0, p);
        table->soonest_ns[p] = p == 0 ? 0 : table->soonest_ns[p - 1] + shortest(setting, p - 1);
        for (uint32_t i = 0; p < n && i < STEPS; i++) {
            table->reserve_ns[p][i] = reserve_ns(setting, p, i);
        }
    }
}

static void draw_machine(struct setting *setting, uint64_t *random)
{
    struct laxity_regulation_terms *terms = &setting->terms;
    setting->period_ns = draw(random, 10, 90) * STEP_NS;
    setting->jitter_ns = draw_us(random, 20, 50);
    setting->gap_ns = draw_us(random, 10, 50);
    setting->preempted_every_ns = happens(random, 40) ? 0 : draw(random, 60, 2000) * STEP_NS;
    setting->are_marks_latest = happens(random, 60);
    setting->are_stops_latest = happens(random, 70);
    setting->is_read_early = happens(random, 50);
    setting->stall_chance = happens(random, 40) ? (uint32_t)draw(random, 1, 20) : 0;
    setting->is_lazy = happens(random, 50);
    for (uint32_t p = 0; p < JOB_PHASES_MAX; p++) {
        setting->price[p] = draw(random, 0, 20000);
    }
    terms->policy = LAXITY_REGULATION_SOUND;
    terms->has_sensor = !happens(random, 10);
    terms->budget_ns = setting->table.solo_from_ns[0] * draw(random, 10, 260) / 1000;
    terms->reload_ns = draw_us(random, 80, 50);
    terms->preemption_ns = draw_us(random, 80, 50);
    terms->stop_ns = draw_us(random, 60, 40);
    terms->mark_ns = draw_us(random, 80, 50);
    if (setting->is_read_early && terms->mark_ns < 2 * setting->gap_ns) {
        terms->mark_ns = 2 * setting->gap_ns;
    }
    terms->lease_ns =
        setting->period_ns + setting->jitter_ns + (3 * setting->gap_ns) + draw_us(random, 200, 50);
    setting->are_releases_known = happens(random, 50);
    for (uint32_t j = 0; j < JOBS; j++) {
        /* The next one while the job runs, soon after it, or long after it. */
        setting->releases_ns[j] = draw(random, 1, 5) * setting->period_ns +
                                  j * draw(random, 1, 2 * setting->table.solo_from_ns[0] + 1);
    }
    terms->wrap_ns = happens(random, 30) ? draw(random, 2, 20) * setting->period_ns : INT64_MAX;
}

/* Losses up to the last nanosecond of a permission, with no mark that gives anything back. */
static void make_tight(struct setting *setting, uint64_t *random)
{
    setting->adversary = ALWAYS_MOST;
    setting->scale_percent = 100;
    setting->is_read_early = false;
    setting->is_lazy = false;
    setting->gap_ns = draw(random, 1, 10) * STEP_NS;
    setting->stall_chance = 20;
    setting->preempted_every_ns = 0;
    setting->terms.mark_ns = 0;
    setting->terms.lease_ns = setting->period_ns + setting->jitter_ns + (3 * setting->gap_ns);
}

/* Dear phases follow cheap ones about when a permission ends, and a job may lose about as much as
 * in one permission: what a permission does not foresee breaks the promise. */
static void make_cliffs(struct setting *setting, uint64_t *random)
{
    struct laxity_regulation_terms *terms = &setting->terms;
    const int64_t permitted_ns = terms->lease_ns + terms->stop_ns;
    setting->adversary = ALWAYS_MOST;
    setting->is_lazy = false;
    setting->are_stops_latest = true;
    setting->table = (struct laxity_contention_table){0};
    setting->n_inputs = (uint32_t)draw(random, 1, 2);
    setting->n_phases = (uint32_t)draw(random, 2, 6);
    const uint32_t dear = (uint32_t)draw(random, 0, 1);
    for (uint32_t p = 0; p < setting->n_phases; p++) {
        const bool is_dear = (p & 1) == dear;
        for (int64_t x = 0; x < LOADS; x++) {
            const int64_t top = is_dear ? draw(random, 600000, 1000000) : draw(random, 0, 20000);
            setting->loss[p][x] = x == 0 ? 0 : (uint32_t)(top / 16 * 16);
        }
        setting->own_traffic[p] = 0;
        for (uint32_t i = 0; i < INPUTS_MAX; i++) {
            setting->solo_ns[i][p] = draw(random, 0, 3 * permitted_ns);
        }
    }
    make_table(setting);
    terms->budget_ns = terms->reload_ns + permitted_ns * draw(random, 10, 220) / 100;
}

void setting_of(struct setting *setting, uint64_t seed)
{
    *setting = (struct setting){.seed = seed};
    uint64_t random = seed;
    draw_job(setting, &random);
    make_table(setting);
    draw_machine(setting, &random);
    if (happens(&random, 20)) {
        make_tight(setting, &random);
    }
    if (happens(&random, 15)) {
        make_cliffs(setting, &random);
    }
}
