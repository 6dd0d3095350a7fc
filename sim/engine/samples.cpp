/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What tasks have taken, and when that is told. */
#include "engine/clock.hpp"
#include "engine/core.hpp"
#include "engine/hierarchy.hpp"
#include "engine/scheduler.hpp"
#include "interface/engine.h"
#include "model/memory.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace laxity {

namespace {

/* Adds what has been counted between two instants. */
void add(laxity_sim_counts &sums, const laxity_sim_counts &before, const laxity_sim_counts &after)
{
    /* All members are numbers of one kind. */
    using Numbers = std::array<std::uint64_t, sizeof sums / sizeof(std::uint64_t)>;
    const auto from = std::bit_cast<Numbers>(before);
    const auto to = std::bit_cast<Numbers>(after);
    auto numbers = std::bit_cast<Numbers>(sums);
    for (std::size_t i = 0; i < numbers.size(); i++) {
        numbers[i] += to[i] - from[i];
    }
    sums = std::bit_cast<laxity_sim_counts>(numbers);
}

} // namespace

/* A task leaves its core, and takes along what was counted there. */
void Scheduler::count(Task &task, std::uint32_t core)
{
    add(task.job.counts, task.counted, hierarchy_.counts(core));
}

/* What a task has taken so far. */
laxity_sim_taken Scheduler::taken(const Task &task, std::uint64_t now) const
{
    laxity_sim_taken taken = task.past;
    if (!task.has_started) {
        return taken;
    }
    const Spent &spent = task.spent;
    taken.exec_ticks += std::accumulate(spent.stalls.begin(), spent.stalls.end(), spent.busy);
    add(taken.counts, {}, task.job.counts);
    if (is_running(task)) {
        taken.exec_ticks += seats_[task.last_core].core.waited(now);
        add(taken.counts, task.counted, hierarchy_.counts(task.last_core));
    }
    return taken;
}

void Scheduler::tell_marks(Seat &seat)
{
    const Task &task = tasks_[seat.task];
    for (const MadeMark &mark : seat.core.made_marks()) {
        note_seen(task, mark.which, mark.tick, mark.taken.exec_ticks);
        if (listener_.on_mark == nullptr || task.asked->is_corunner) {
            continue;
        }
        laxity_sim_taken taken = task.past;
        taken.exec_ticks += mark.taken.exec_ticks;
        add(taken.counts, {}, task.job.counts);
        add(taken.counts, task.counted, mark.taken.counts);
        taken.counts.row_hits = 0;
        listener_.on_mark(
            listener_.context, seat.task, mark.which, clock_.ceil_ns(mark.tick), &taken
        );
    }
    seat.core.forget_marks();
}

/* All with smaller keys has been done. */
Scheduler::Sampled Scheduler::sampled(std::uint64_t tick) const
{
    Sampled sampled;
    for (std::uint32_t core = 0; core < seats_.size(); core++) {
        sampled.cores.push_back(hierarchy_.counts(core));
    }
    for (const Task &task : tasks_) {
        sampled.tasks.push_back(taken(task, tick));
    }
    return sampled;
}

void Scheduler::sample()
{
    if (sample_tick_ <= observer_tick_) {
        tell_sample();
    } else {
        observe();
    }
}

void Scheduler::tell_sample()
{
    const Sampled taken = sampled(sample_tick_);
    const laxity_sim_sample sample = taken.at(sample_ns_);
    listener_.on_sample(listener_.context, &sample);
    for (Seat &seat : seats_) {
        if (listener_.interrupts && seat.task != NONE) {
            seat.core.probe(sample_tick_);
        }
    }
    const bool is_last = sample_ns_ > INT64_MAX - listener_.sample_ns;
    sample_ns_ += is_last ? 0 : listener_.sample_ns;
    sample_tick_ = is_last ? NEVER : clock_.ticks_of(sample_ns_);
}

} // namespace laxity
