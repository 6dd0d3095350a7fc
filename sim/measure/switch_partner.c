/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/switch_partner.h"

#include "base/error.h"
#include "interface/engine.h"
#include "measure/simulated.h"
#include "measure/stage.h"
#include "probes/probe.h"
#include "probes/switch_stamps.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order that the partner has, until the next one. */
static struct {
    struct laxity_switch_order order;
    enum laxity_sim_actor actor;
    struct laxity_evicting evicting;
} given;

void laxity_switch_evict(const struct laxity_switch_partner *partner, uint64_t evict_bytes)
{
    (void)partner;
    if (evict_bytes == 0) {
        return;
    }
    struct laxity_evicting evicting = laxity_evicting_all(evict_bytes);
    laxity_simulated_act(evicting.loops, evicting.n);
    laxity_evicting_free(&evicting);
}

static void on_run(void *context, const struct laxity_sim_job *job)
{
    struct laxity_switch_shared *shared = context;
    shared->run.first = (uint64_t)job->start_ns;
    shared->run.last = (uint64_t)job->finish_ns;
    atomic_fetch_add_explicit(&shared->done, 1, memory_order_release);
}

static void begin(
    int64_t release_ns,
    void (*on_done)(void *context, const struct laxity_sim_job *job),
    void *context
)
{
    laxity_evicting_free(&given.evicting);
    given.evicting = laxity_evicting_all(given.order.evict_bytes);
    const struct laxity_sim_act act = {
        .actor = given.actor,
        .core = given.order.cpu,
        .release_ns = release_ns,
        .loops = given.evicting.loops,
        .n_loops = given.evicting.n,
        .on_done = on_done,
        .context = context,
    };
    laxity_simulated_begin(&act);
}

int laxity_switch_start_partner(struct laxity_probe_run *run, struct laxity_switch_partner *partner)
{
    (void)run;
    (void)partner;
    return 0;
}

void laxity_switch_stop_partner(struct laxity_switch_partner *partner)
{
    (void)partner;
    laxity_evicting_free(&given.evicting);
}

int laxity_switch_give_order(
    struct laxity_probe_run *run,
    struct laxity_switch_partner *partner,
    const struct laxity_switch_order *order
)
{
    const bool is_below = order->priority < (int32_t)run->plan->priority;
    given.order = *order;
    given.actor = is_below ? LAXITY_SIM_BELOW : LAXITY_SIM_ABOVE;
    if (order->task == LAXITY_SWITCH_MIRROR) {
        return laxity_refuse(
            &run->shared->error,
            LAXITY_EXIT_LACKING,
            "--quantity wakeup: a simulated platform models no interrupt between cores; leave it "
            "out"
        );
    }
    if (order->task == LAXITY_SWITCH_RUN) {
        atomic_fetch_add_explicit(&partner->shared->armed, 1, memory_order_release);
        begin(order->wake_ns, on_run, partner->shared);
    }
    return 0;
}

int laxity_switch_await_answer(
    struct laxity_probe_run *run, const struct laxity_switch_partner *partner
)
{
    (void)run;
    (void)partner;
    if (given.order.task == LAXITY_SWITCH_RUN) {
        (void)laxity_simulated_await(given.actor);
    }
    return 0;
}

/* The partner's turn, whole: it has nothing else to do, and the victim waits for it. */
void laxity_switch_wait_turn(struct laxity_switch_shared *shared, unsigned turn)
{
    begin(0, NULL, NULL);
    const struct laxity_sim_job job = laxity_simulated_await(given.actor);
    shared->rounds[turn / 2] = (struct laxity_switch_marks){.first = (uint64_t)job.start_ns,
                                                            .last = (uint64_t)job.finish_ns};
    atomic_store_explicit(&shared->turn, turn + 1, memory_order_release);
}

bool laxity_switch_spin_turn(
    const struct laxity_stamp_clock *clock, struct laxity_switch_shared *shared, unsigned turn
)
{
    (void)clock;
    (void)shared;
    (void)turn;
    return false;
}
