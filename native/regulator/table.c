/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "regulator/table.h"

#include "base/port/time.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

void laxity_contention_pack(uint32_t *curve, uint32_t n_steps)
{
    uint32_t corners[LAXITY_TRAFFIC_STEPS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_steps; i++) {
        /* A corner is dropped that lies on or below the line from the corner before to this point.
         */
        while (n >= 2) {
            const uint32_t a = corners[n - 2];
            const uint32_t b = corners[n - 1];
            const int64_t to_corner = (int64_t)curve[b] - curve[a];
            const int64_t to_point = (int64_t)curve[i] - curve[a];
            if (to_corner * (i - a) > to_point * (b - a)) {
                break;
            }
            n--;
        }
        corners[n++] = i;
    }
    for (uint32_t k = 1; k < n; k++) {
        const uint32_t a = corners[k - 1];
        const uint32_t b = corners[k];
        const int64_t low = curve[a];
        const int64_t rise = (int64_t)curve[b] - low;
        const int64_t width = b - a;
        for (uint32_t i = a + 1; i < b; i++) {
            const int64_t part = rise * (i - a);
            curve[i] = (uint32_t)(low + (part >= 0 ? (part + width - 1) / width : part / width));
        }
    }
}

static bool is_curve(const uint32_t *loss, uint32_t n_steps)
{
    for (uint32_t i = 1; i < n_steps; i++) {
        if (loss[i] < loss[i - 1]) {
            return false;
        }
    }
    uint32_t packed[LAXITY_TRAFFIC_STEPS_MAX];
    memcpy(packed, loss, n_steps * sizeof *loss);
    laxity_contention_pack(packed, n_steps);
    for (uint32_t i = 0; i < n_steps; i++) {
        /* A packed curve is rounded up, so that its own hull may lie a unit above it. */
        if (packed[i] > loss[i] + 1) {
            return false;
        }
    }
    return loss[n_steps - 1] <= LAXITY_RATE_ONE;
}

static bool are_times(const int64_t *times_ns, uint32_t n)
{
    bool are = true;
    for (uint32_t i = 0; i < n; i++) {
        are &= times_ns[i] >= 0;
    }
    return are;
}

int laxity_contention_check(const struct laxity_contention_table *table)
{
    const uint32_t n = table->n_phases;
    if (n < 1 || n > LAXITY_PHASES_MAX || table->n_steps < 2 ||
        table->n_steps > LAXITY_TRAFFIC_STEPS_MAX || table->step_bytes_per_s == 0 ||
        table->step_bytes_per_s > LAXITY_TRAFFIC_MAX || !are_times(table->solo_from_ns, n + 1) ||
        !are_times(table->solo_until_ns, n + 1) || !are_times(table->soonest_ns, n + 1)) {
        return -EINVAL;
    }
    for (uint32_t p = 0; p < n; p++) {
        if (!is_curve(table->loss[p], table->n_steps) ||
            !are_times(table->reserve_ns[p], table->n_steps) ||
            table->soonest_ns[p + 1] < table->soonest_ns[p]) {
            return -EINVAL;
        }
    }
    return 0;
}

uint32_t laxity_contention_worst_within(
    const struct laxity_contention_table *table, uint32_t phase, int64_t wall_ns
)
{
    uint32_t worst = 0;
    for (uint32_t q = phase; q < table->n_phases; q++) {
        if (q > phase && table->soonest_ns[q] - table->soonest_ns[phase] > wall_ns) {
            break;
        }
        const uint32_t largest = table->loss[q][table->n_steps - 1];
        worst = largest > worst ? largest : worst;
    }
    return worst;
}

/* Step of a traffic, rounded up, without a limit; UINT64_MAX where the products could overflow. */
static uint64_t
unlimited_step(const struct laxity_contention_table *table, uint64_t bytes, int64_t dt_ns)
{
    if (bytes > LAXITY_TRAFFIC_MAX || dt_ns > LAXITY_NS_PER_S) {
        return UINT64_MAX;
    }
    const uint64_t step = table->step_bytes_per_s * (uint64_t)dt_ns;
    const uint64_t traffic = bytes * LAXITY_NS_PER_S;
    return (traffic / step) + (traffic % step != 0);
}

uint32_t
laxity_contention_step(const struct laxity_contention_table *table, uint64_t bytes, int64_t dt_ns)
{
    return laxity_contention_is_beyond(table, bytes, dt_ns)
               ? table->n_steps - 1
               : (uint32_t)unlimited_step(table, bytes, dt_ns);
}

bool laxity_contention_is_beyond(
    const struct laxity_contention_table *table, uint64_t bytes, int64_t dt_ns
)
{
    return unlimited_step(table, bytes, dt_ns) >= table->n_steps;
}

void laxity_contention_join(
    const struct laxity_contention_table *table, uint32_t from, uint32_t to, uint32_t *out_curve
)
{
    memset(out_curve, 0, table->n_steps * sizeof *out_curve);
    for (uint32_t p = from; p <= to && p < table->n_phases; p++) {
        for (uint32_t i = 0; i < table->n_steps; i++) {
            out_curve[i] = table->loss[p][i] > out_curve[i] ? table->loss[p][i] : out_curve[i];
        }
    }
    laxity_contention_pack(out_curve, table->n_steps);
}
