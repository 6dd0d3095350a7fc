/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The victim of probe "switch": the measuring process, and its rows. */
#ifndef LAXITY_PROBES_SWITCH_VICTIM_H
#define LAXITY_PROBES_SWITCH_VICTIM_H

#include "base/npy.h"
#include "probes/probe.h"
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
    int64_t evicting_ns; /* what evicting took last */
    uint64_t random;
    uint32_t period_ns;
    uint32_t cpu;
};

extern const struct laxity_field laxity_switch_fields[LAXITY_SWITCH_FIELD_COUNT];

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
