/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/switch_victim.h"

#include "base/npy.h"
#include "base/port/time.h"
#include "probes/crpd_patterns.h"
#include "probes/probe.h"
#include "probes/switch_partner.h"
#include "probes/switch_stamps.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    GAPS_SHOWN_MAX = 254
};

const struct laxity_field laxity_switch_fields[LAXITY_SWITCH_FIELD_COUNT] = {LAXITY_SWITCH_FIELDS};

int64_t laxity_switch_draw_ns(struct laxity_switch_victim *victim, int64_t limit_ns)
{
    return (int64_t)(laxity_crpd_random(&victim->random) % (uint64_t)limit_ns);
}

struct laxity_switch_row laxity_switch_row_of(
    const struct laxity_switch_victim *victim, enum laxity_switch_quantity quantity
)
{
    return (struct laxity_switch_row){
        .victim_last_ns = LAXITY_ABSENT_NS,
        .preemptor_first_ns = LAXITY_ABSENT_NS,
        .preemptor_last_ns = LAXITY_ABSENT_NS,
        .victim_first_ns = LAXITY_ABSENT_NS,
        .lost_ns = LAXITY_ABSENT_NS,
        .period_ns = victim->period_ns,
        .cpu = (int32_t)victim->cpu,
        .cpu_to = (int32_t)victim->cpu,
        .quantity = (uint8_t)quantity,
    };
}

int laxity_switch_add_row(struct laxity_switch_victim *victim, const struct laxity_switch_row *row)
{
    return laxity_probe_add_row(victim->run, row) ? 0 : 1;
}

void laxity_switch_take_gaps(
    const struct laxity_switch_victim *victim, int64_t from_ns, struct laxity_switch_row *row
)
{
    const struct laxity_gaps *gaps = &victim->shared->gaps;
    row->lost_ns = 0;
    row->gaps = 0;
    for (unsigned i = 0; i < gaps->n; i++) {
        const int64_t last_ns = laxity_stamp_ns(&victim->clock, gaps->gaps[i].last);
        const int64_t first_ns = laxity_stamp_ns(&victim->clock, gaps->gaps[i].first);
        if (first_ns > from_ns) {
            row->lost_ns += first_ns - last_ns;
            row->gaps = row->gaps < GAPS_SHOWN_MAX ? (uint8_t)(row->gaps + 1) : GAPS_SHOWN_MAX;
        }
    }
}

const struct laxity_gap *
laxity_find_gap(const struct laxity_gaps *gaps, uint64_t from, uint64_t until)
{
    for (unsigned i = 0; i < gaps->n; i++) {
        const struct laxity_gap *gap = &gaps->gaps[i];
        if (gap->last <= from && until <= gap->first) {
            return gap;
        }
    }
    return NULL;
}
