/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The kernel's counts of interrupts (/proc/interrupts), of one CPU. Pure. */
#ifndef LAXITY_PROBES_SWITCH_INTERRUPTS_H
#define LAXITY_PROBES_SWITCH_INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LAXITY_INTERRUPTS_MAX = 1024, /* lines; large machines have some hundreds */
    LAXITY_INTERRUPT_BYTES = 8,   /* of a label, the end included where there is room */
};

struct laxity_interrupts {
    unsigned n;
    char labels[LAXITY_INTERRUPTS_MAX][LAXITY_INTERRUPT_BYTES];
    uint64_t counts[LAXITY_INTERRUPTS_MAX];
};

/*
 * laxity_interrupts_parse - the counts of one CPU; lines without a count of it are left out
 *
 * Returns false if the CPU has no column, or there are too many lines.
 */
bool laxity_interrupts_parse(const char *text, unsigned cpu, struct laxity_interrupts *out);

/*
 * laxity_interrupts_since - how many interrupts there were from `before` to `after`
 *
 * `*out_label` is that of the last line that grew; NULL: none did. Returns UINT64_MAX where the
 * lines are not the same, because a driver has come or gone.
 */
uint64_t laxity_interrupts_since(
    const struct laxity_interrupts *before,
    const struct laxity_interrupts *after,
    const char **out_label
);

#endif
