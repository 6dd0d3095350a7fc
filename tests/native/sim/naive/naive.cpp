/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* One action after the other, in the order of their keys (docs/simulation-model.md, section 1). */
#include "naive.hpp"

#include "core.hpp"
#include "interface/engine.h"
#include "machine.hpp"
#include "program.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace naive {

Simulation::Simulation(
    const laxity_sim_platform &platform,
    std::int64_t limit_ns,
    const laxity_sim_listener &listener,
    laxity_sim_totals &totals,
    Features &features
)
    : platform_(platform), clock_{platform.ticks_per_s[0], platform.ticks_per_s[1]},
      limit_ns_(limit_ns), listener_(listener), totals_(totals), features_(features),
      machine_(platform, totals, features), stepper_(platform, machine_, totals, features)
{
    for (std::uint32_t i = 0; i < platform.cores; i++) {
        cores_.push_back(Core{.number = i});
        cores_.back().counters.assign(platform.predictor_entries, 1);
    }
    if (listener.observer != nullptr) {
        observer_ns_ = listener.observer->first_ns;
    }
}

void Simulation::add(const laxity_sim_task &asked)
{
    tasks_.push_back(std::make_unique<Task>(
        Task{.asked = &asked, .program = Program{asked, platform_.instruction_ticks}}
    ));
    machine_.add(asked);
    Task &task = *tasks_.back();
    task.cores = asked.cores;
    task.job.task = static_cast<std::uint32_t>(tasks_.size() - 1);
    if (asked.is_corunner) {
        return;
    }
    prepare(task.job.task, 0);
    const laxity_sim_reservation &reservation = asked.reservation;
    task.budget.runtime = clock_.tick_of(static_cast<Wide>(reservation.runtime_ns));
    task.budget.deadline = clock_.tick_of(static_cast<Wide>(reservation.deadline_ns));
    task.budget.period = clock_.tick_of(static_cast<Wide>(reservation.period_ns));
}

bool Simulation::is_told_task_left() const
{
    return std::ranges::any_of(tasks_, [](const auto &task) {
        return !task->has_ended && !task->asked->is_corunner;
    });
}

void Simulation::run()
{
    ask_releases();
    while (is_told_task_left()) {
        if (listener_.must_stop(listener_.context)) {
            end_all(LAXITY_SIM_END_INTERRUPT);
            break;
        }
        const std::optional<Key> key = next_key();
        if (!key || key->tick < now_) {
            abort(); /* the model is contradictory */
        }
        now_ = key->tick;
        perform(*key);
    }
    totals_.ticks = now_;
}

std::optional<Key> Simulation::next_key() const
{
    std::vector<Key> keys;
    for (std::size_t i = 0; i < machine_.channels.size(); i++) {
        if (const std::optional<std::uint64_t> tick = machine_.channels[i].next_decision()) {
            keys.push_back({*tick, CHANNELS, i});
        }
    }
    if (const std::uint64_t tick = next_schedule(); tick != NEVER) {
        keys.push_back({tick, SCHEDULER, 0});
    }
    if (listener_.on_sample != nullptr && listener_.sample_ns > 0) {
        keys.push_back({clock_.tick_of(static_cast<Wide>(next_sample_ns())), SAMPLES, 0});
    }
    if (observer_ns_) {
        keys.push_back({clock_.tick_of(static_cast<Wide>(*observer_ns_)), SAMPLES, 1});
    }
    for (const Core &core : cores_) {
        const std::optional<std::uint64_t> tick = core.next_action();
        const bool is_schedulers =
            core.is_between() && (core.state != State::Running || has_border_next(core));
        if (tick && !is_schedulers) {
            keys.push_back({*tick, CORES, core.number, core.room_since.value_or(*tick)});
        }
    }
    const auto first =
        std::ranges::min_element(keys, [](const Key &a, const Key &b) { return a < b; });
    return first == keys.end() ? std::nullopt : std::optional{*first};
}

/* The first tick at which the scheduler may find something to do. */
std::uint64_t Simulation::next_schedule() const
{
    if (!has_scheduled_) {
        return 0;
    }
    std::uint64_t first = NEVER;
    for (const Core &core : cores_) {
        first = std::min({first, next_schedule_of(core), core.is_changed_at.value_or(NEVER)});
    }
    for (const auto &task : tasks_) {
        first = std::min(first, next_schedule_of(*task));
    }
    return first;
}

/* Whether the job of a core that stands between instructions has none left. */
bool Simulation::has_border_next(const Core &core) const
{
    return task_of(core).program.next() != Next::Instruction;
}

std::uint64_t Simulation::next_schedule_of(const Core &core) const
{
    if (core.state == State::Idle || !core.is_between()) {
        return NEVER;
    }
    if (core.has_stopped) {
        const std::optional<std::uint64_t> done = machine_.loads_done(core.number);
        return done ? std::max(core.now, *done) : NEVER;
    }
    if (core.state == State::Running && !has_border_next(core)) {
        return NEVER;
    }
    return core.now;
}

std::uint64_t Simulation::next_schedule_of(const Task &task) const
{
    if (task.has_ended || task.asked->is_corunner) {
        return NEVER;
    }
    std::uint64_t first = NEVER;
    const auto consider = [&](std::uint64_t tick) {
        first = tick > scheduled_ ? std::min(first, tick) : first;
    };
    if (task.budget.refill) {
        consider(*task.budget.refill);
    } else if (task.budget.runtime > 0 && executing(task) != nullptr) {
        consider(task.budget.counts_from + task.budget.left);
    }
    if (task.has_job) {
        consider(task.timeout);
        return first;
    }
    consider(task.release);
    consider(clock_.told_tick_of(limit_ns_));
    return first;
}

void Simulation::perform(const Key &key)
{
    switch (key.phase) {
    case CHANNELS:
        decide(key.number);
        return;
    case SAMPLES:
        if (key.number == 0) {
            tell_sample();
        } else {
            observe();
        }
        return;
    case SCHEDULER:
        schedule();
        return;
    case CORES:
        break;
    }
    Core &core = cores_[key.number];
    const bool is_kernels = core.state == State::Switching || core.is_interrupted;
    if (!is_kernels && !core.wait && !core.steps.empty() &&
        core.steps.front().what == Step::What::Ticks) {
        tell_marks(core);
    }
    stepper_.go_on(core, is_kernels ? nullptr : &task_of(core));
}

/* Section 2: of an instruction of which only the ticks are left. */
void Simulation::tell_marks(const Core &core)
{
    const Task &task = task_of(core);
    for (const std::uint32_t mark : core.instruction.others) {
        laxity_sim_taken taken = taken_by(task);
        see(task.job, mark, taken.exec_ticks - task.taken.exec_ticks);
        taken.counts.row_hits = 0;
        if (listener_.on_mark != nullptr && !task.asked->is_corunner) {
            listener_.on_mark(listener_.context, core.task, mark, clock_.ns_of(now_), &taken);
        }
    }
}

std::int64_t Simulation::next_sample_ns() const
{
    return listener_.first_sample_ns + n_samples_ * listener_.sample_ns;
}

/* Section 6, samples. */
void Simulation::tell_sample()
{
    std::vector<laxity_sim_taken> taken;
    taken.reserve(tasks_.size());
    for (const auto &task : tasks_) {
        taken.push_back(taken_by(*task));
    }
    const laxity_sim_sample sample{
        .time_ns = next_sample_ns(), .cores = totals_.cores, .tasks = taken.data()
    };
    n_samples_++;
    listener_.on_sample(listener_.context, &sample);
    for (Core &core : cores_) {
        if (listener_.interrupts) {
            leave_read(core);
        }
    }
}

/* An interrupt to read counters. */
void Simulation::leave_read(Core &core) const
{
    core.is_read |= core.state != State::Idle && now_ > core.read_until;
}

/* The observer sees what a job does later. */
void Simulation::see(const laxity_sim_job &job, std::uint32_t mark, std::uint64_t exec_ticks)
{
    if (!tasks_[job.task]->asked->is_corunner) {
        unseen_.push_back(
            {job.task, mark, clock_.ns_of(now_), job.ordinal, exec_ticks, job.preemptions}
        );
    }
}

/* Section 6, observer. */
void Simulation::observe()
{
    const laxity_sim_observer &observer = *listener_.observer;
    const std::int64_t now_ns = observer_ns_.value_or(0); /* it is called at that instant */
    std::vector<laxity_sim_taken> taken;
    taken.reserve(tasks_.size());
    for (const auto &task : tasks_) {
        taken.push_back(taken_by(*task));
    }
    const laxity_sim_sample sample{
        .time_ns = now_ns, .cores = totals_.cores, .tasks = taken.data()
    };
    std::multimap<std::pair<std::int64_t, std::uint32_t>, laxity_sim_seen> in_order;
    for (const laxity_sim_seen &one : unseen_) {
        in_order.insert({{one.time_ns, one.task}, one});
    }
    unseen_.clear();
    std::vector<laxity_sim_seen> seen;
    for (const auto &[key, one] : in_order) {
        (now_ns - one.time_ns > observer.mark_ns ? seen : unseen_).push_back(one);
    }
    std::int64_t next_ns = INT64_MAX;
    const std::uint64_t allowed =
        observer.on_tick(observer.context, &sample, seen.data(), seen.size(), &next_ns);
    features_.ticks++;
    leave_read(cores_[observer.core]);
    for (Core &core : cores_) {
        const bool is_forbidden = next_ns != INT64_MAX && (allowed >> core.number & 1) == 0;
        if (is_forbidden == core.is_forbidden) {
            features_.called_off += core.is_changed_at ? 1 : 0;
            core.is_changed_at.reset();
        } else if (!core.is_changed_at) {
            const std::int64_t in_ns = is_forbidden ? observer.stop_ns : observer.resume_ns;
            core.is_changed_at = clock_.tick_of(static_cast<Wide>(now_ns) + in_ns);
        }
    }
    observer_ns_.reset();
    if (next_ns != INT64_MAX) {
        observer_ns_ = std::max(next_ns, now_ns + 1);
    }
}

laxity_sim_taken Simulation::taken_by(const Task &task) const
{
    laxity_sim_taken taken = task.taken;
    taken.exec_ticks += task.has_job ? task.spent.all() : 0;
    if (const Core *const core = executing(task)) {
        add_counts(*core, taken.counts);
        const bool is_waiting = core->wait && !core->is_interrupted;
        taken.exec_ticks += is_waiting ? now_ - core->wait->from : 0;
    }
    return taken;
}

void Simulation::decide(std::size_t channel)
{
    machine_.channels[channel].decide(totals_);
    for (Core &core : cores_) {
        if (core.wait && core.wait->request == nullptr && core.wait->channel == channel &&
            !core.wait->decided) {
            core.wait->decided = now_;
        }
    }
}

} // namespace naive

naive::Features naive_simulate(
    const laxity_sim_platform *platform,
    const laxity_sim_task *tasks,
    std::uint32_t n_tasks,
    std::int64_t limit_ns,
    const laxity_sim_listener *listener,
    laxity_sim_totals *out_totals
)
{
    naive::Features features{};
    laxity_sim_totals totals{};
    naive::Simulation simulation{*platform, limit_ns, *listener, totals, features};
    for (std::uint32_t i = 0; i < n_tasks; i++) {
        simulation.add(tasks[i]);
    }
    simulation.run();
    *out_totals = totals;
    return features;
}
