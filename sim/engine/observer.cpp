/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The observer: what it sees, and when its answers take effect (docs/simulation-model.md,
 * section 6). */
#include "engine/clock.hpp"
#include "engine/core.hpp"
#include "engine/scheduler.hpp"
#include "interface/engine.h"
#include "model/memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace laxity {

/* The job of a task has made a mark, or begins or ends. */
void Scheduler::note_seen(
    const Task &task, std::uint32_t mark, std::uint64_t now, std::uint64_t exec_ticks
)
{
    if (listener_.observer == nullptr || task.asked->is_corunner) {
        return;
    }
    const laxity_sim_seen seen{
        .task = task.job.task,
        .mark = mark,
        .time_ns = clock_.ceil_ns(now),
        .ordinal = task.job.ordinal,
        .exec_ticks = exec_ticks,
        .preemptions = task.job.preemptions,
    };
    /* Cores run ahead of each other. */
    const auto key = [](const laxity_sim_seen &one) { return std::pair{one.time_ns, one.task}; };
    unseen_.insert(std::ranges::upper_bound(unseen_, key(seen), {}, key), seen);
}

void Scheduler::observe()
{
    const laxity_sim_observer &observer = *listener_.observer;
    const Sampled taken = sampled(observer_tick_);
    const laxity_sim_sample sample = taken.at(observer_ns_);
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
