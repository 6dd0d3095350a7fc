/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "interface/engine.h"

#include "base/error.h"
#include "engine/hierarchy.hpp"
#include "engine/reader.hpp"
#include "engine/scheduler.hpp"
#include "model/memory.hpp"

#include <algorithm>
#include <cstdint>

namespace {

/* Milliseconds of work between two looks whether to go on. */
constexpr std::uint64_t ACTIONS_PER_LOOK = 1 << 12;

} // namespace

void laxity_simulate(
    const laxity_sim_platform *platform,
    const laxity_sim_task *tasks,
    std::uint32_t n_tasks,
    std::int64_t limit_ns,
    const laxity_sim_listener *listener,
    laxity_sim_totals *out_totals
)
{
    laxity::Hierarchy hierarchy{*platform, {tasks, n_tasks}};
    laxity::Scheduler scheduler{*platform, {tasks, n_tasks}, limit_ns, *listener, hierarchy};
    std::uint64_t n_actions = 0;
    std::uint64_t now = 0;
    /*
     * Actions are done in the order of their keys: at a tick samples, then decisions, then the
     * scheduler, then cores by (since when they have waited for room, number). What a core does
     * ahead of that order must be the same in it:
     * - it ends before its horizon, the next tick at which the scheduler or a sample may look;
     * - it depends on no read that could be done by then: a request is outstanding for certain
     *   before its pending_until, and as long as it merges, as only its own core sends it;
     * - it takes no line from another core. Lines of a running task leave its first level only by
     *   what its own core asks for in its turn, and what an inclusive level evicts (is_coupling).
     */
    while (scheduler.has_work()) {
        const bool must_look = ++n_actions % ACTIONS_PER_LOOK == 0;
        if (scheduler.is_interrupted() || (must_look && listener->must_stop(listener->context))) {
            scheduler.end_all(LAXITY_SIM_END_INTERRUPT, now);
            break;
        }
        const std::uint64_t decision = hierarchy.memory().next_decision();
        const laxity::Upcoming next = scheduler.next();
        const std::uint64_t sample = scheduler.next_sample();
        now = std::min({decision, next.turn, next.action});
        if (now == laxity::NEVER && !scheduler.has_observer()) {
            scheduler.end_all(LAXITY_SIM_END_STOPPED, now); /* nobody will ever do anything */
        } else if (sample <= now && sample < decision) {
            now = sample;
            scheduler.sample();
        } else if (decision == now) {
            laxity::Memory &memory = hierarchy.memory();
            laxity::Channel &channel =
                *std::ranges::find(memory.channels(), now, &laxity::Channel::next);
            const laxity::Decision served = channel.decide(memory.reads(), hierarchy.links());
            scheduler.look_again(channel, hierarchy.settle(served), now);
        } else if (next.action == now) {
            scheduler.act(now);
        } else {
            scheduler.go_on(next, decision);
        }
    }
    *out_totals = {};
    for (std::uint32_t core = 0; core < platform->cores; core++) {
        out_totals->cores[core] = hierarchy.counts(core);
    }
    out_totals->ticks = now;
}
