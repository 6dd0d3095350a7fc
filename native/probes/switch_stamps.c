/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/switch_stamps.h"

#include "base/port/ticks.h"
#include "base/port/time.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ANCHOR_TRIES = 8,
    /* 20 ns of an anchor's error over it are a rate that is wrong by 2 in a million. */
    RATE_NS = 10 * LAXITY_NS_PER_MS,
    /* Hundreds of stamps, and short enough that some of the tries are not interrupted. */
    PERIOD_LOOK_NS = 100000,
    PERIOD_TRIES = 32,
    /* Shorter than any interrupt that we know of, longer than what neighbours of a virtual machine
     * do to single stamps; four stamps where stamps are slow. */
    GAP_NS = 400,
    GAP_PERIODS = 4,
};

void laxity_anchor_stamps(struct laxity_stamp_clock *clock, unsigned which)
{
    struct laxity_anchor *anchor = &clock->anchors[which];
    uint64_t shortest = UINT64_MAX;
    /* The reading that was disturbed least. */
    for (int i = 0; i < ANCHOR_TRIES; i++) {
        const uint64_t before = laxity_stamp(clock);
        const int64_t now_ns = laxity_now_ns();
        const uint64_t took = laxity_stamp(clock) - before;
        if (took < shortest) {
            shortest = took;
            *anchor = (struct laxity_anchor){.stamp = before + took / 2, .ns = now_ns};
        }
    }
}

void laxity_stamp_clock_open(struct laxity_stamp_clock *out_clock)
{
    *out_clock = (struct laxity_stamp_clock){
        .has_ticks = laxity_ticks_name() != NULL,
        .stamps_per_ns = 1,
    };
    laxity_anchor_stamps(out_clock, 0);
    laxity_pause_ns(RATE_NS);
    laxity_anchor_stamps(out_clock, 1);
    if (out_clock->has_ticks) {
        const struct laxity_anchor *anchors = out_clock->anchors;
        out_clock->stamps_per_ns =
            (double)(anchors[1].stamp - anchors[0].stamp) / (double)(anchors[1].ns - anchors[0].ns);
    }
}

int64_t laxity_stamp_ns(const struct laxity_stamp_clock *clock, uint64_t stamp)
{
    const struct laxity_anchor *first = &clock->anchors[0];
    const struct laxity_anchor *second = &clock->anchors[1];
    const int64_t since_first = (int64_t)(stamp - first->stamp);
    const int64_t stamps = (int64_t)(second->stamp - first->stamp);
    if (!clock->has_ticks || stamps <= 0) {
        return first->ns + since_first;
    }
    /* Some seconds in nanoseconds are exact in a double. */
    const double ns_per_stamp = (double)(second->ns - first->ns) / (double)stamps;
    return first->ns + (int64_t)((double)since_first * ns_per_stamp);
}

uint64_t laxity_stamps_of_ns(const struct laxity_stamp_clock *clock, int64_t duration_ns)
{
    return (uint64_t)((double)duration_ns * clock->stamps_per_ns);
}

/*
 * The measured loop. Between two stamps stand one comparison, the look at `done` and the count;
 * whatever is added makes the period longer, and with it every figure less sharp.
 */
__attribute__((always_inline)) static inline void stamp_until(
    const bool has_ticks,
    struct laxity_gaps *gaps,
    const atomic_uint *done,
    unsigned value,
    uint64_t end
)
{
    const uint64_t least = gaps->least;
    uint64_t stamps = 0;
    unsigned n = 0;
    bool is_done = false;
    uint64_t before = has_ticks ? laxity_ticks() : (uint64_t)laxity_now_ns();
    while (!is_done && before < end && n < LAXITY_GAPS_MAX) {
        /* Looked at before the stamp, so that a gap that ends with `done` is still recorded. */
        is_done = atomic_load_explicit(done, memory_order_acquire) != value;
        const uint64_t now = has_ticks ? laxity_ticks() : (uint64_t)laxity_now_ns();
        stamps++;
        if (now - before >= least) {
            gaps->gaps[n++] = (struct laxity_gap){before, now};
        }
        before = now;
    }
    gaps->stamps = stamps;
    gaps->n = n;
}

__attribute__((noinline)) static void
stamp_ticks(struct laxity_gaps *gaps, const atomic_uint *done, unsigned value, uint64_t end)
{
    stamp_until(true, gaps, done, value, end);
}

__attribute__((noinline)) static void
stamp_clock(struct laxity_gaps *gaps, const atomic_uint *done, unsigned value, uint64_t end)
{
    stamp_until(false, gaps, done, value, end);
}

void laxity_stamp_until(
    const struct laxity_stamp_clock *clock,
    struct laxity_gaps *gaps,
    const atomic_uint *done,
    unsigned value,
    uint64_t end
)
{
    const atomic_uint never = value;
    (clock->has_ticks ? stamp_ticks : stamp_clock)(gaps, done ? done : &never, value, end);
}

/* The smallest step that two stamps in a row are apart, if they are: some counters step coarsely.
 */
static uint64_t find_step(const struct laxity_stamp_clock *clock, struct laxity_gaps *gaps)
{
    uint64_t step = UINT64_MAX;
    gaps->least = 1;
    laxity_stamp_until(clock, gaps, NULL, 0, UINT64_MAX); /* until there is no room for more */
    for (unsigned i = 0; i < gaps->n; i++) {
        const uint64_t one = gaps->gaps[i].first - gaps->gaps[i].last;
        step = one < step ? one : step;
    }
    return step;
}

uint64_t laxity_stamp_period(const struct laxity_stamp_clock *clock, struct laxity_gaps *gaps)
{
    const uint64_t step = find_step(clock, gaps);
    uint64_t period = UINT64_MAX;
    gaps->least = UINT64_MAX;
    for (int i = 0; i < PERIOD_TRIES; i++) {
        const uint64_t start = laxity_stamp(clock);
        const uint64_t end = start + laxity_stamps_of_ns(clock, PERIOD_LOOK_NS);
        laxity_stamp_until(clock, gaps, NULL, 0, end);
        const uint64_t took = laxity_stamp(clock) - start;
        const uint64_t one = (took + gaps->stamps - 1) / (gaps->stamps ? gaps->stamps : 1);
        period = one < period ? one : period;
    }
    period = period > step ? period : step;
    const uint64_t shortest = laxity_stamps_of_ns(clock, GAP_NS);
    const uint64_t several = GAP_PERIODS * period;
    gaps->least = several > shortest ? several : shortest;
    return period;
}

volatile unsigned char *laxity_stamp_code(void)
{
    /* A function's address is data on every system that this runs on. */
    return (volatile unsigned char *)(uintptr_t)stamp_ticks; // NOLINT(performance-no-int-to-ptr)
}
