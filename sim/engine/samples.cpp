/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What tasks have taken, and when that is told. */
#include "engine/clock.hpp"
#include "engine/core.hpp"
#include "engine/hierarchy.hpp"
#include "engine/scheduler.hpp"
#include "interface/engine.h"
#include "model/memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
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
        note_seen(task, mark.which, mark.tick);
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

/* What has been counted and taken until a tick. */
struct Scheduler::Sampled {
    Sampled(const Scheduler &scheduler, std::uint64_t tick)
    {
        for (std::uint32_t core = 0; core < scheduler.seats_.size(); core++) {
            cores.push_back(scheduler.hierarchy_.counts(core));
        }
        for (const Task &task : scheduler.tasks_) {
            tasks.push_back(scheduler.taken(task, tick));
        }
    }

    [[nodiscard]] laxity_sim_sample at(std::int64_t time_ns) const
    {
        return {.time_ns = time_ns, .cores = cores.data(), .tasks = tasks.data()};
    }

    std::vector<laxity_sim_counts> cores;
    std::vector<laxity_sim_taken> tasks;
};

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
    const Sampled sampled{*this, sample_tick_};
    const laxity_sim_sample sample = sampled.at(sample_ns_);
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

/* The job of a task has made a mark, or begins or ends. */
void Scheduler::note_seen(const Task &task, std::uint32_t mark, std::uint64_t now)
{
    if (listener_.observer == nullptr || task.asked->is_corunner) {
        return;
    }
    const laxity_sim_seen seen{.task = task.job.task, .mark = mark, .time_ns = clock_.ceil_ns(now)};
    /* Cores run ahead of each other. */
    const auto key = [](const laxity_sim_seen &one) { return std::pair{one.time_ns, one.task}; };
    unseen_.insert(std::ranges::upper_bound(unseen_, key(seen), {}, key), seen);
}

void Scheduler::observe()
{
    const laxity_sim_observer &observer = *listener_.observer;
    const Sampled sampled{*this, observer_tick_};
    const laxity_sim_sample sample = sampled.at(observer_ns_);
    const auto end = std::ranges::partition_point(unseen_, [&](const laxity_sim_seen &seen) {
        return seen.time_ns < observer_ns_ - observer.mark_ns;
    });
    std::int64_t next_ns = INT64_MAX;
    const auto n_seen = static_cast<std::size_t>(end - unseen_.begin());
    const std::uint64_t allowed =
        observer.on_tick(observer.context, &sample, unseen_.data(), n_seen, &next_ns);
    unseen_.erase(unseen_.begin(), end);
    if (seats_[observer.core].task != NONE) {
        seats_[observer.core].core.probe(observer_tick_);
    }
    const bool is_last = next_ns == INT64_MAX;
    for (Seat &seat : seats_) {
        decide(seat, !is_last && (allowed >> core_of(seat) & 1U) == 0);
        horizon_ = std::min(horizon_, seat.changes_at);
    }
    observer_ns_ = is_last ? observer_ns_ : std::max(next_ns, observer_ns_ + 1);
    observer_tick_ = is_last ? NEVER : clock_.ticks_of(observer_ns_);
}

/* What the observer answers of a core at its tick. */
void Scheduler::decide(Seat &seat, bool is_forbidden)
{
    const laxity_sim_observer &observer = *listener_.observer;
    if (is_forbidden == seat.is_forbidden) {
        seat.changes_at = NEVER;
    } else if (seat.changes_at == NEVER) {
        const std::int64_t latency_ns = is_forbidden ? observer.stop_ns : observer.resume_ns;
        seat.changes_at = clock_.ticks_of(observer_ns_ + latency_ns);
    }
}

/* Answers of the observer that take effect now. */
bool Scheduler::keep_forbidden(std::uint64_t now)
{
    bool is_changed = false;
    for (Seat &seat : seats_) {
        if (seat.changes_at > now) {
            continue;
        }
        seat.changes_at = NEVER;
        seat.is_forbidden = !seat.is_forbidden;
        is_changed = true;
        if (seat.is_forbidden && seat.task != NONE && !seat.is_switching) {
            seat.core.ask_to_stop();
        }
    }
    return is_changed;
}

} // namespace laxity
