/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/crpd_preemptor.h"

#include "base/error.h"
#include "interface/builtin.h"
#include "interface/engine.h"
#include "measure/simulated.h"
#include "measure/stage.h"
#include "probes/probe.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* One order while it is being done. */
static struct {
    struct laxity_crpd_shared *shared;
    struct laxity_crpd_order order;
    struct laxity_evicting evicting;
    struct laxity_sim_loop spin;
    int64_t start_ns;
} given;

static void end_order(int64_t end_ns)
{
    given.shared->ended_ns = end_ns;
    given.shared->preemptor_ns = end_ns - given.start_ns;
    laxity_evicting_free(&given.evicting);
    atomic_fetch_add_explicit(&given.shared->done, 1, memory_order_release);
}

static void on_spun(void *context, const struct laxity_sim_job *job)
{
    (void)context;
    given.start_ns = given.order.is_evicting ? given.start_ns : job->start_ns;
    end_order(job->finish_ns);
}

static void spin(int64_t release_ns, int64_t duration_ns)
{
    given.spin = laxity_simulated_spin(duration_ns);
    const struct laxity_sim_act act = {
        .actor = LAXITY_SIM_ABOVE,
        .core = given.order.cpu,
        .release_ns = release_ns,
        .loops = &given.spin,
        .n_loops = 1,
        .on_done = on_spun,
    };
    laxity_simulated_begin(&act);
}

/* It lasts at least so long. */
static void on_evicted(void *context, const struct laxity_sim_job *job)
{
    (void)context;
    given.start_ns = job->start_ns;
    const int64_t left_ns = job->start_ns + given.order.spin_ns - job->finish_ns;
    if (left_ns > 0) {
        spin(0, left_ns);
    } else {
        end_order(job->finish_ns);
    }
}

static enum laxity_sim_body body_of(enum laxity_crpd_evict evict)
{
    return evict == LAXITY_CRPD_EVICT_EXECUTE ? LAXITY_SIM_EXECUTE
           : evict == LAXITY_CRPD_EVICT_READ  ? LAXITY_SIM_TOUCH
                                              : LAXITY_SIM_UPDATE;
}

int laxity_crpd_start_preemptor(
    struct laxity_probe_run *run, struct laxity_crpd_preemptor *preemptor
)
{
    const struct laxity_crpd_settings *settings = run->plan->settings;
    (void)preemptor;
    if (settings->has_evict[LAXITY_CRPD_EVICT_FLUSH]) {
        return laxity_refuse(
            &run->shared->error,
            LAXITY_EXIT_LACKING,
            "--evict flush: a simulated platform has no instruction that flushes a line; use write"
        );
    }
    return 0;
}

void laxity_crpd_stop_preemptor(struct laxity_crpd_preemptor *preemptor)
{
    memset(&preemptor->companion, 0, sizeof preemptor->companion);
    laxity_evicting_free(&given.evicting);
}

int laxity_crpd_give_order(
    struct laxity_probe_run *run,
    const struct laxity_crpd_preemptor *preemptor,
    const struct laxity_crpd_order *order
)
{
    (void)run;
    given.shared = preemptor->shared;
    given.order = *order;
    if (order->is_evicting) {
        const enum laxity_sim_body body = body_of((enum laxity_crpd_evict)order->evict);
        given.evicting = laxity_evicting_of(body, order->evict_bytes);
        const struct laxity_sim_act act = {
            .actor = LAXITY_SIM_ABOVE,
            .core = order->cpu,
            .release_ns = order->wake_ns,
            .loops = given.evicting.loops,
            .n_loops = given.evicting.n,
            .on_done = on_evicted,
        };
        laxity_simulated_begin(&act);
    } else {
        spin(order->wake_ns, order->spin_ns);
    }
    if (order->wake_ns == 0) {
        (void)laxity_simulated_await(LAXITY_SIM_ABOVE);
    }
    return 0;
}
