/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Time stamps as often as the processor can take them, and the gaps between them.
 *
 * A stamp is a tick of the constant-rate counter where a user may read it, else a nanosecond of
 * CLOCK_MONOTONIC; two anchors turn stamps that were taken between them into that clock.
 */
#ifndef LAXITY_PROBES_SWITCH_STAMPS_H
#define LAXITY_PROBES_SWITCH_STAMPS_H

#include "base/port/ticks.h"
#include "probes/machine.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    LAXITY_GAPS_MAX = 256,
    LAXITY_ANCHORS = 2
};

struct laxity_anchor {
    uint64_t stamp;
    int64_t ns;
};

struct laxity_stamp_clock {
    bool has_ticks;
    double stamps_per_ns;
    struct laxity_anchor anchors[LAXITY_ANCHORS];
};

/* Between two stamps in a row. */
struct laxity_gap {
    uint64_t last;  /* stamp before it */
    uint64_t first; /* stamp after it */
};

/* What a stretch of stamping found. */
struct laxity_gaps {
    uint64_t least;  /* shorter ones are none */
    uint64_t stamps; /* taken */
    unsigned n;
    struct laxity_gap gaps[LAXITY_GAPS_MAX];
};

static inline uint64_t laxity_stamp(const struct laxity_stamp_clock *clock)
{
    return clock->has_ticks ? laxity_ticks() : (uint64_t)laxity_machine_now_ns();
}

/* laxity_stamp_clock_open - choose what is read, and find its rate; takes some milliseconds */
void laxity_stamp_clock_open(struct laxity_stamp_clock *out_clock);

/* laxity_anchor_stamps - tie stamps to CLOCK_MONOTONIC: 0 before what is stamped, 1 after it */
void laxity_anchor_stamps(struct laxity_stamp_clock *clock, unsigned which);

/* laxity_stamp_ns - CLOCK_MONOTONIC of a stamp, on the line through both anchors */
int64_t laxity_stamp_ns(const struct laxity_stamp_clock *clock, uint64_t stamp);

/* laxity_stamps_of_ns - how many stamps a duration is */
uint64_t laxity_stamps_of_ns(const struct laxity_stamp_clock *clock, int64_t duration_ns);

/*
 * laxity_stamp_until - take stamps until `done` is no longer `value`, or `end` is passed, or as
 * many gaps are found as there is room for
 *
 * A stamp is taken after `done` has changed. `done` NULL: until one of the others.
 */
void laxity_stamp_until(
    const struct laxity_stamp_clock *clock,
    struct laxity_gaps *gaps,
    const atomic_uint *done,
    unsigned value,
    uint64_t end
);

/*
 * laxity_find_gap - the gap that holds both stamps
 *
 * Returns NULL if none does.
 */
const struct laxity_gap *
laxity_find_gap(const struct laxity_gaps *gaps, uint64_t from, uint64_t until);

/*
 * laxity_stamp_period - how far apart stamps lie while nothing happens, and from what length on a
 * distance is a gap
 *
 * Sets gaps->least. Returns the period in stamps, at least 1.
 */
uint64_t laxity_stamp_period(const struct laxity_stamp_clock *clock, struct laxity_gaps *gaps);

/* laxity_stamp_code - where the measured loop lies, to be flushed */
volatile unsigned char *laxity_stamp_code(void);

#endif
