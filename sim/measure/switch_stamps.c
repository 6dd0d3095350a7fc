/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/switch_stamps.h"

#include "interface/builtin.h"
#include "interface/engine.h"
#include "measure/simulated.h"
#include "probes/machine.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Nothing but who takes the core comes between two stamps, or a line of their code is loaded.
     */
    GAP_PERIODS = 4,
    PERIOD_LOOK_NS = 10000,
};

/* A stretch of stamping, which goes on while the engine does. */
struct stamping {
    struct laxity_gaps *gaps;
    const atomic_uint *done;
    unsigned value;
    uint64_t end;
    uint64_t before;
    bool is_done;
};

static const struct laxity_sim_loop between_stamps = {.body = LAXITY_SIM_STAMP, .n = 1};

static void on_stamp(void *context, const struct laxity_sim_job *job);

/* As native/probes/switch_stamps.c: the look at `done` comes before the stamp. */
static void go_on(struct stamping *stamping)
{
    if (stamping->is_done || stamping->before >= stamping->end ||
        stamping->gaps->n >= LAXITY_GAPS_MAX) {
        return;
    }
    stamping->is_done =
        stamping->done &&
        atomic_load_explicit(stamping->done, memory_order_acquire) != stamping->value;
    laxity_simulated_begin_victim(&between_stamps, 1, on_stamp, stamping);
}

static void on_stamp(void *context, const struct laxity_sim_job *job)
{
    struct stamping *stamping = context;
    struct laxity_gaps *gaps = stamping->gaps;
    const uint64_t now = (uint64_t)job->finish_ns;
    gaps->stamps++;
    if (now - stamping->before >= gaps->least) {
        gaps->gaps[gaps->n++] = (struct laxity_gap){stamping->before, now};
    }
    stamping->before = now;
    go_on(stamping);
}

void laxity_stamp_until(
    const struct laxity_stamp_clock *clock,
    struct laxity_gaps *gaps,
    const atomic_uint *done,
    unsigned value,
    uint64_t end
)
{
    (void)clock;
    struct stamping stamping = {
        .gaps = gaps,
        .done = done,
        .value = value,
        .end = end,
        .before = (uint64_t)laxity_machine_now_ns(),
    };
    gaps->n = 0;
    gaps->stamps = 0;
    go_on(&stamping);
    laxity_simulated_await_victim();
}

void laxity_anchor_stamps(struct laxity_stamp_clock *clock, unsigned which)
{
    const int64_t now_ns = laxity_machine_now_ns();
    clock->anchors[which] = (struct laxity_anchor){.stamp = (uint64_t)now_ns, .ns = now_ns};
}

/* A stamp is a nanosecond of the platform's clock. */
void laxity_stamp_clock_open(struct laxity_stamp_clock *out_clock)
{
    *out_clock = (struct laxity_stamp_clock){.stamps_per_ns = 1};
}

int64_t laxity_stamp_ns(const struct laxity_stamp_clock *clock, uint64_t stamp)
{
    (void)clock;
    return (int64_t)stamp;
}

uint64_t laxity_stamps_of_ns(const struct laxity_stamp_clock *clock, int64_t duration_ns)
{
    (void)clock;
    return (uint64_t)duration_ns;
}

uint64_t laxity_stamp_period(const struct laxity_stamp_clock *clock, struct laxity_gaps *gaps)
{
    gaps->least = UINT64_MAX;
    uint64_t period = 1;
    /* The first time its code is loaded. */
    for (int i = 0; i < 2; i++) {
        const uint64_t start = laxity_stamp(clock);
        laxity_stamp_until(clock, gaps, NULL, 0, start + PERIOD_LOOK_NS);
        const uint64_t stamps = gaps->stamps > 0 ? gaps->stamps : 1;
        period = (laxity_stamp(clock) - start + stamps - 1) / stamps;
    }
    gaps->least = GAP_PERIODS * period;
    return period;
}
