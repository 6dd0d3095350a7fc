/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The scheduler (docs/simulation-model.md, section 6). */
#include "base/error.h"
#include "core.hpp"
#include "harness/mark_table.h"
#include "harness/release.h"
#include "interface/engine.h"
#include "machine.hpp"
#include "program.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace naive {

/* Until nothing is left to be done at this tick. */
void Simulation::schedule()
{
    has_scheduled_ = true;
    scheduled_ = now_;
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (Core &core : cores_) {
            is_changed |= look_at_core(core);
        }
        if (has_finished_) {
            ask_releases();
        }
        is_changed |= end_what_is_due();
        for (const auto &task : tasks_) {
            is_changed |= keep_budget(*task);
        }
        is_changed |= keep_forbidden();
        is_changed |= give_cores();
    }
    end_if_nobody_has_a_release();
}

/* Where a listener decides when jobs are released. */
void Simulation::ask_releases()
{
    has_finished_ = false;
    for (std::uint32_t i = 0; i < tasks_.size() && listener_.on_wait != nullptr; i++) {
        Task &task = *tasks_[i];
        if (task.has_ended || task.has_job || task.asked->is_corunner) {
            continue;
        }
        task.cores = task.asked->cores;
        task.release_ns = listener_.on_wait(listener_.context, i, &task.cores);
        const bool is_known = task.release_ns != INT64_MAX;
        task.release =
            is_known ? std::max(clock_.tick_of(static_cast<Wide>(task.release_ns)), now_) : NEVER;
        task.ready_since = task.release;
        task.budget.is_awake &= task.release <= now_;
    }
}

void Simulation::end_if_nobody_has_a_release()
{
    if (std::ranges::any_of(tasks_, [](const auto &task) {
            return !task->has_ended && !task->asked->is_corunner &&
                   (task->has_job || task->release != NEVER);
        })) {
        return;
    }
    end_all(LAXITY_SIM_END_STOPPED);
}

/* Of those that are told of. */
void Simulation::end_all(laxity_sim_end why)
{
    for (std::uint32_t i = 0; i < tasks_.size(); i++) {
        if (!tasks_[i]->has_ended && !tasks_[i]->asked->is_corunner) {
            end(i, why);
        }
    }
}

/* Section 6, step 1. Whether something has changed. */
bool Simulation::look_at_core(Core &core)
{
    if (core.state == State::Idle || !core.is_between() || core.now > now_) {
        return false;
    }
    Task &task = task_of(core);
    if (core.state == State::Switching) {
        core.last_task = core.task;
        machine_.run_on(core.task, core.number);
        leave(core);
        return true;
    }
    if (!core.has_stopped && has_border_next(core)) {
        if (task.program.next() == Next::End) {
            fail(core.task);
        } else {
            finish(core);
        }
        return true;
    }
    if (core.state != State::Stopping) {
        return false;
    }
    if (!core.has_stopped) {
        core.has_stopped = true;
        send_merging(core);
        const bool is_waiting = machine_.is_load_outstanding(core.number, now_);
        features_.stops_waiting_for_loads += is_waiting ? 1 : 0;
    }
    if (machine_.is_load_outstanding(core.number, now_)) {
        return false;
    }
    stop(core);
    return true;
}

/* What the core has counted since the job came to it. */
void Simulation::add_counts(const Core &core, laxity_sim_counts &sums_of) const
{
    constexpr std::size_t N = sizeof(laxity_sim_counts) / sizeof(std::uint64_t);
    using Numbers = std::array<std::uint64_t, N>;
    const auto now = std::bit_cast<Numbers>(totals_.cores[core.number]);
    const auto before = std::bit_cast<Numbers>(tasks_[core.task]->counted);
    auto sums = std::bit_cast<Numbers>(sums_of);
    for (std::size_t i = 0; i < N; i++) {
        sums[i] += now[i] - before[i];
    }
    sums_of = std::bit_cast<laxity_sim_counts>(sums);
}

/* The job goes on no longer on the core. */
void Simulation::end_turn(const Core &core)
{
    Task &task = task_of(core);
    add_counts(core, task.job.counts);
    add_counts(core, task.taken.counts);
    task.counted = totals_.cores[core.number];
    spend(task);
}

void Simulation::tell(const Core &core, laxity_sim_turn turn)
{
    if (listener_.on_turn != nullptr) {
        listener_.on_turn(listener_.context, core.number, core.task, turn, clock_.ns_of(now_));
    }
}

void Simulation::stop(Core &core)
{
    Task &task = task_of(core);
    task.job.preemptions++;
    end_turn(core);
    task.fetched.reset();
    task.registers = {};
    tell(core, LAXITY_SIM_TURN_PREEMPTED);
    leave(core);
}

/* Section 6, step 2. */
bool Simulation::end_what_is_due()
{
    bool is_changed = false;
    for (std::uint32_t i = 0; i < tasks_.size(); i++) {
        const Task &task = *tasks_[i];
        if (task.has_ended || task.asked->is_corunner) {
            continue;
        }
        const bool is_late = is_at_limit(task);
        if (task.has_job && now_ >= task.timeout) {
            end(i, LAXITY_SIM_END_TIMEOUT);
            is_changed = true;
        } else if (!task.has_job && (is_late || is_stopping_)) {
            end(i, is_late ? LAXITY_SIM_END_LIMIT : LAXITY_SIM_END_STOPPED);
            is_changed = true;
        }
    }
    return is_changed;
}

/* Whether no job of it may begin any more. */
bool Simulation::is_at_limit(const Task &task) const
{
    return clock_.ns_of(now_) >= limit_ns_ ||
           (task.release != NEVER && task.release_ns >= limit_ns_);
}

/* The core that executes the job of a task. */
const Core *Simulation::executing(const Task &task) const
{
    for (const Core &core : cores_) {
        const bool is_executing = core.state == State::Running || core.state == State::Stopping;
        if (is_executing && core.task == task.job.task) {
            return &core;
        }
    }
    return nullptr;
}

/* Section 6, reservations. */
bool Simulation::keep_budget(Task &task)
{
    Budget &budget = task.budget;
    if (budget.runtime == 0 || task.has_ended) {
        return false;
    }
    bool is_changed = false;
    if (budget.refill && *budget.refill <= now_) {
        refill(budget);
        is_changed = true;
    }
    if (!budget.is_awake && task.release <= now_) {
        budget.is_awake = true;
        is_changed = true;
        if (!budget.refill &&
            (budget.until <= now_ || static_cast<Wide>(budget.left) * budget.deadline >
                                         static_cast<Wide>(budget.until - now_) * budget.runtime)) {
            budget.until = now_ + budget.deadline;
            budget.left = budget.runtime;
        }
    }
    const Core *const core = executing(task);
    if (core != nullptr && !budget.refill && now_ >= budget.counts_from + budget.left) {
        features_.used_up++;
        use_up(task, cores_[core->number]);
        is_changed = true;
    }
    return is_changed;
}

/* Section 6, observer: what it has answered takes effect. */
bool Simulation::keep_forbidden()
{
    bool is_changed = false;
    for (Core &core : cores_) {
        if (!core.is_changed_at || *core.is_changed_at > now_) {
            continue;
        }
        core.is_changed_at.reset();
        core.is_forbidden = !core.is_forbidden;
        is_changed = true;
        if (core.is_forbidden && core.state == State::Running) {
            core.state = State::Stopping;
            features_.forbidden++;
        }
    }
    return is_changed;
}

void Simulation::use_up(Task &task, Core &core)
{
    Budget &budget = task.budget;
    const std::uint64_t next = budget.until - budget.deadline + budget.period;
    budget.left = 0;
    if (next <= now_) {
        refill(budget);
        return;
    }
    budget.refill = next;
    core.state = State::Stopping;
}

void Simulation::refill(Budget &budget) const
{
    budget.refill.reset();
    budget.left = budget.runtime;
    budget.until += budget.period;
    if (budget.until <= now_) {
        budget.until = now_ + budget.deadline;
    }
    budget.counts_from = now_;
}

/* The task leaves its core. */
void Simulation::spend(Task &task) const
{
    task.budget.left -= std::min(task.budget.left, now_ - task.budget.counts_from);
}

/* Section 6, step 3. */
bool Simulation::give_cores()
{
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < tasks_.size(); i++) {
        const Task &task = *tasks_[i];
        if (!task.has_ended && !task.is_somewhere && task.release <= now_ && !task.budget.refill) {
            order.push_back(i);
        }
    }
    std::ranges::sort(order, {}, [this](std::uint32_t index) {
        const Task &task = *tasks_[index];
        return std::tuple{rank_of(task), task.ready_since, index};
    });
    std::vector<bool> is_claimed(cores_.size(), false);
    bool is_changed = false;
    for (const std::uint32_t index : order) {
        const Task &task = *tasks_[index];
        const bool is_over = is_stopping_ && !task.has_job && !task.asked->is_corunner;
        is_changed |= !is_over && claim(index, is_claimed);
    }
    return is_changed;
}

/* Whether something has changed; a claim alone changes nothing. */
bool Simulation::claim(std::uint32_t index, std::vector<bool> &is_claimed)
{
    const Task &task = *tasks_[index];
    if (Core *const idle = find_idle(task, is_claimed)) {
        is_claimed[idle->number] = true;
        return take(*idle, index);
    }
    for (const Core &core : cores_) {
        if (core.state == State::Stopping && is_allowed(task, core) && !is_claimed[core.number]) {
            is_claimed[core.number] = true;
            return false;
        }
    }
    if (Core *const running = find_lower(task, State::Running, is_claimed)) {
        is_claimed[running->number] = true;
        running->state = State::Stopping;
        return true;
    }
    for (const Core &core : cores_) {
        if (core.state == State::Switching && is_allowed(task, core) && !is_claimed[core.number] &&
            is_lower(task_of(core), task)) {
            is_claimed[core.number] = true;
            return false;
        }
    }
    return false;
}

Core *Simulation::find_idle(const Task &task, const std::vector<bool> &is_claimed)
{
    Core *lowest = nullptr;
    for (Core &core : cores_) {
        if (core.state != State::Idle || !is_allowed(task, core) || is_claimed[core.number]) {
            continue;
        }
        if (machine_.ran_last_on(task.job.task) == core.number) {
            return &core;
        }
        lowest = lowest == nullptr ? &core : lowest;
    }
    return lowest;
}

/* The core with the task of the lowest priority, below that of the task. */
Core *Simulation::find_lower(const Task &task, State state, const std::vector<bool> &is_claimed)
{
    Core *best = nullptr;
    for (Core &core : cores_) {
        if (core.state == state && is_allowed(task, core) && !is_claimed[core.number] &&
            is_lower(task_of(core), task) &&
            (best == nullptr || is_lower(task_of(core), task_of(*best)))) {
            best = &core;
        }
    }
    return best;
}

bool Simulation::take(Core &core, std::uint32_t index)
{
    Task &task = *tasks_[index];
    core.task = index;
    core.now = now_;
    core.has_stopped = false;
    if (core.last_task != index) {
        core.state = State::Switching;
        task.is_somewhere = true;
        stepper_.begin_switch(core);
        features_.switches++;
        tell(core, LAXITY_SIM_TURN_SWITCH);
        return true;
    }
    if (task.has_job) {
        go_on(core, index);
    } else {
        (void)begin(core, index);
    }
    if (!task.has_ended) {
        tell(core, LAXITY_SIM_TURN_ON);
    }
    return true;
}

void Simulation::go_on(Core &core, std::uint32_t index)
{
    Task &task = *tasks_[index];
    task.is_somewhere = true;
    core.state = State::Running;
    if (task.executed_on != core.number) {
        task.job.migrations++;
        task.job.migrated_at = task.program.next_address();
    }
    task.executed_on = core.number;
    task.counted = totals_.cores[core.number];
    task.budget.counts_from = now_;
    machine_.run_on(index, core.number);
    stepper_.set_timer(core);
}

bool Simulation::begin(Core &core, std::uint32_t index)
{
    Task &task = *tasks_[index];
    if (!task.program.begin_job()) {
        fail(index);
        return true;
    }
    task.executed_on = core.number;
    go_on(core, index);
    task.has_job = true;
    task.spent = {};
    task.registers = {};
    task.fetched.reset();
    laxity_sim_job &job = task.job;
    const std::uint64_t ordinal = job.ordinal;
    const std::uint64_t number = job.job;
    job = {};
    job.task = index;
    job.ordinal = ordinal;
    job.job = number;
    job.core_start = core.number;
    job.core_finish = core.number;
    job.start_ns = clock_.ns_of(now_);
    if (task.asked->is_corunner) {
        return true;
    }
    task.timeout = clock_.tick_of(static_cast<Wide>(job.start_ns) + task.asked->timeout_ns);
    see(job, LAXITY_MARK_JOB_START, 0);
    is_stopping_ |= listener_.on_start(listener_.context, &job) != 0;
    return true;
}

void Simulation::finish(Core &core)
{
    const std::uint32_t index = core.task;
    Task &task = *tasks_[index];
    has_finished_ = true;
    send_merging(core);
    end_turn(core);
    task.program.finish_job();
    task.has_job = false;
    task.taken.exec_ticks += task.spent.all();
    task.job.ordinal++;
    if (task.asked->is_corunner) {
        if (listener_.on_pass != nullptr) {
            listener_.on_pass(listener_.context, index, clock_.ns_of(now_));
        }
        const State state = core.state; /* it may have been asked to stop */
        task.ready_since = now_;
        (void)begin(core, index);
        core.state = task.has_ended ? State::Idle : state;
        return;
    }
    leave(core);
    laxity_sim_job job = task.job;
    job.ordinal--;
    job.core_finish = core.number;
    job.finish_ns = clock_.ns_of(now_);
    const Spent &spent = task.spent;
    std::uint64_t ticks = spent.busy;
    std::int64_t told_ns = clock_.floor_ns(ticks);
    job.busy_ns = told_ns;
    const auto difference = [&](std::uint64_t more) {
        ticks += more;
        const std::int64_t before_ns = told_ns;
        told_ns = clock_.floor_ns(ticks);
        return told_ns - before_ns;
    };
    job.stall_own_ns = difference(spent.own);
    job.stall_reload_ns = difference(spent.reload);
    job.stall_moved_ns = difference(spent.moved);
    job.stall_shared_ns = difference(spent.shared);
    job.exec_ticks = ticks;
    job.exec_ns = told_ns;
    see(job, LAXITY_MARK_JOB_FINISH, ticks);
    tell(core, LAXITY_SIM_TURN_OFF);
    is_stopping_ |= listener_.on_finish(listener_.context, &job) != 0;
    if (task.asked->jobs > 0 && task.job.ordinal == task.asked->jobs) {
        end(index, LAXITY_SIM_END_JOBS);
        return;
    }
    if (listener_.on_wait != nullptr) {
        task.job.job = task.job.ordinal;
        return; /* it is asked when all finishes of this tick are told */
    }
    prepare(index, laxity_next_job(&task.asked->releases, job.job, job.finish_ns));
    if (is_at_limit(task)) {
        end(index, LAXITY_SIM_END_LIMIT);
    }
}

/* The task waits for its next job. */
void Simulation::prepare(std::uint32_t index, std::uint64_t job)
{
    Task &task = *tasks_[index];
    task.job.job = job;
    task.release_ns = laxity_release_ns(&task.asked->releases, job);
    task.release = clock_.tick_of(static_cast<Wide>(task.release_ns));
    task.ready_since = std::max(task.release, now_);
    task.budget.is_awake &= task.release <= now_;
}

/* Its program has ended. */
void Simulation::fail(std::uint32_t index)
{
    features_.stores_into_shared += tasks_[index]->program.has_stored_into_shared() ? 1 : 0;
    end(index, LAXITY_SIM_END_FAILED);
}

void Simulation::end(std::uint32_t index, laxity_sim_end why)
{
    Task &task = *tasks_[index];
    task.has_ended = true;
    if (task.has_job) {
        const std::uint64_t exec_ticks = taken_by(task).exec_ticks - task.taken.exec_ticks;
        see(task.job, LAXITY_MARK_JOB_FINISH, exec_ticks);
    }
    for (Core &core : cores_) {
        if (core.state == State::Idle || core.task != index) {
            continue;
        }
        if (core.state != State::Switching) {
            send_merging(core);
            end_turn(core);
            task.spent.own += core.wait && !core.is_interrupted ? now_ - core.wait->from : 0;
            tell(core, LAXITY_SIM_TURN_OFF);
        }
        leave(core);
    }
    std::int64_t end_ns = clock_.ns_of(now_);
    if (why == LAXITY_SIM_END_LIMIT) {
        end_ns = limit_ns_;
    } else if (task.has_job && !task.asked->is_corunner) {
        end_ns = std::max(end_ns, task.job.start_ns + 1); /* a start that was told lies before */
    }
    laxity_error error{};
    if (why == LAXITY_SIM_END_FAILED || why == LAXITY_SIM_END_TIMEOUT) {
        error.exit_code = LAXITY_EXIT_VIOLATED;
    }
    is_stopping_ |= listener_.on_end(listener_.context, index, why, end_ns, &error) != 0;
}

/* The core is idle, and what it did is nowhere. */
void Simulation::leave(Core &core)
{
    task_of(core).is_somewhere = false;
    core.state = State::Idle;
    core.steps.clear();
    core.wait.reset();
    core.has_waited = false;
    core.room_since.reset();
    core.has_stopped = false;
    core.is_interrupted = false;
}

void Simulation::send_merging(const Core &core)
{
    machine_.send_merging({core.number, core.task, now_});
}

} // namespace naive
