/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Which action is next, and what the scheduler does (docs/simulation-model.md, sections 1 and 6).
 */
#include "naive.hpp"

#include "base/error.h"
#include "core.hpp"
#include "harness/release.h"
#include "interface/engine.h"
#include "machine.hpp"
#include "program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace naive {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr Wide NS_PER_S = 1'000'000'000;
constexpr std::uint64_t NEVER = std::numeric_limits<std::uint64_t>::max();

std::uint64_t capped(Wide value)
{
    return value > NEVER ? NEVER : static_cast<std::uint64_t>(value);
}

struct Clock {
    Wide ticks;
    Wide seconds;

    [[nodiscard]] std::int64_t floor_ns(std::uint64_t tick) const
    {
        return static_cast<std::int64_t>(tick * NS_PER_S * seconds / ticks);
    }
    [[nodiscard]] std::int64_t ns_of(std::uint64_t tick) const
    {
        return static_cast<std::int64_t>((tick * NS_PER_S * seconds + ticks - 1) / ticks);
    }
    /* The first tick that does not lie before a time. */
    [[nodiscard]] std::uint64_t tick_of(Wide time_ns) const
    {
        const Wide per_ns = NS_PER_S * seconds;
        return capped((time_ns * ticks + per_ns - 1) / per_ns);
    }
    /* The first tick whose nanoseconds, rounded up, are not before a time. */
    [[nodiscard]] std::uint64_t told_tick_of(std::int64_t time_ns) const
    {
        if (time_ns <= 0) {
            return 0;
        }
        const Wide before = static_cast<Wide>(time_ns) - 1;
        return capped(before * ticks / (NS_PER_S * seconds) + 1);
    }
};

enum Phase {
    CHANNELS,
    SCHEDULER,
    CORES
};

struct Key {
    std::uint64_t tick;
    Phase phase;
    std::size_t number;
    std::uint64_t since = 0; /* of cores: when it began to wait for room, or the tick */

    bool operator<(const Key &other) const
    {
        return std::tie(tick, phase, since, number) <
               std::tie(other.tick, other.phase, other.since, other.number);
    }
};

class Simulation {
  public:
    Simulation(
        const laxity_sim_platform &platform,
        std::int64_t limit_ns,
        const laxity_sim_listener &listener,
        laxity_sim_counts &counts,
        Features &features
    );

    void add(const laxity_sim_task &asked);
    void run();

  private:
    [[nodiscard]] std::optional<Key> next_key() const;
    [[nodiscard]] std::uint64_t next_schedule() const;
    [[nodiscard]] std::uint64_t next_schedule_of(const Core &core) const;
    [[nodiscard]] std::uint64_t next_schedule_of(const Task &task) const;
    [[nodiscard]] bool has_border_next(const Core &core) const;
    void perform(const Key &key);
    void decide(std::size_t channel);

    void schedule();
    bool look_at_core(Core &core);
    bool end_what_is_due();
    bool give_cores();
    bool claim(std::uint32_t index, std::vector<bool> &is_claimed);
    Core *find_idle(const Task &task, const std::vector<bool> &is_claimed);
    Core *find_lower(const Task &task, State state, const std::vector<bool> &is_claimed);
    bool take(Core &core, std::uint32_t index);

    void stop(Core &core);
    bool begin(Core &core, std::uint32_t index);
    void go_on(Core &core, std::uint32_t index);
    void finish(Core &core);
    void prepare(std::uint32_t index, std::uint64_t job);
    void fail(std::uint32_t index);
    void end(std::uint32_t index, laxity_sim_end why);
    void leave(Core &core);
    void send_merging(const Core &core);

    [[nodiscard]] Task &task_of(const Core &core) const
    {
        return *tasks_[core.task];
    }
    [[nodiscard]] bool is_allowed(const Task &task, const Core &core) const
    {
        return (task.cores >> core.number & 1) != 0;
    }
    [[nodiscard]] bool is_lower(const Task &task, const Task &than) const
    {
        return !than.asked->is_corunner &&
               (task.asked->is_corunner || task.asked->priority < than.asked->priority);
    }
    [[nodiscard]] bool is_told_task_left() const;

    const laxity_sim_platform &platform_;
    Clock clock_;
    std::int64_t limit_ns_;
    const laxity_sim_listener &listener_;
    laxity_sim_counts &counts_;
    Features &features_;
    Machine machine_;
    Stepper stepper_;
    std::vector<Core> cores_;
    std::vector<std::unique_ptr<Task>> tasks_;
    std::uint64_t now_ = 0;
    bool has_scheduled_ = false;
    bool is_stopping_ = false; /* a listener wants no further job */
};

Simulation::Simulation(
    const laxity_sim_platform &platform,
    std::int64_t limit_ns,
    const laxity_sim_listener &listener,
    laxity_sim_counts &counts,
    Features &features
)
    : platform_(platform), clock_{platform.ticks_per_s[0], platform.ticks_per_s[1]},
      limit_ns_(limit_ns), listener_(listener), counts_(counts), features_(features),
      machine_(platform, counts, features), stepper_(platform, machine_, counts, features)
{
    for (std::uint32_t i = 0; i < platform.cores; i++) {
        cores_.push_back(Core{.number = i});
    }
}

void Simulation::add(const laxity_sim_task &asked)
{
    tasks_.push_back(std::make_unique<Task>(
        Task{.asked = &asked, .program = Program{asked, platform_.instruction_ticks}}
    ));
    Task &task = *tasks_.back();
    task.cores = asked.cores;
    task.job.task = static_cast<std::uint32_t>(tasks_.size() - 1);
    if (!asked.is_corunner) {
        prepare(task.job.task, 0);
    }
}

bool Simulation::is_told_task_left() const
{
    return std::ranges::any_of(tasks_, [](const auto &task) {
        return !task->has_ended && !task->asked->is_corunner;
    });
}

void Simulation::run()
{
    while (is_told_task_left()) {
        if (listener_.must_stop(listener_.context)) {
            for (std::uint32_t i = 0; i < tasks_.size(); i++) {
                if (!tasks_[i]->has_ended && !tasks_[i]->asked->is_corunner) {
                    end(i, LAXITY_SIM_END_INTERRUPT);
                }
            }
            break;
        }
        const std::optional<Key> key = next_key();
        if (!key || key->tick < now_) {
            abort(); /* the model is contradictory */
        }
        now_ = key->tick;
        perform(*key);
    }
    counts_.ticks = now_;
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
        first = std::min(first, next_schedule_of(core));
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
        first = tick > now_ ? std::min(first, tick) : first;
    };
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
    case SCHEDULER:
        schedule();
        return;
    case CORES:
        break;
    }
    Core &core = cores_[key.number];
    stepper_.go_on(core, core.state == State::Switching ? nullptr : &task_of(core));
}

void Simulation::decide(std::size_t channel)
{
    machine_.channels[channel].decide(counts_);
    for (Core &core : cores_) {
        if (core.wait && core.wait->request == nullptr && core.wait->channel == channel &&
            !core.wait->decided) {
            core.wait->decided = now_;
        }
    }
}

/* Until nothing is left to be done at this tick. */
void Simulation::schedule()
{
    has_scheduled_ = true;
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (Core &core : cores_) {
            is_changed |= look_at_core(core);
        }
        is_changed |= end_what_is_due();
        is_changed |= give_cores();
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

void Simulation::stop(Core &core)
{
    Task &task = task_of(core);
    task.job.preemptions++;
    task.fetched.reset();
    task.registers = {};
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
        const bool is_late = task.release_ns >= limit_ns_ || clock_.ns_of(now_) >= limit_ns_;
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

/* Section 6, step 3. */
bool Simulation::give_cores()
{
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < tasks_.size(); i++) {
        const Task &task = *tasks_[i];
        if (!task.has_ended && !task.is_somewhere && task.release <= now_) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, [this](std::uint32_t a, std::uint32_t b) {
        const Task &first = *tasks_[a];
        const Task &second = *tasks_[b];
        if (is_lower(first, second) || is_lower(second, first)) {
            return is_lower(second, first);
        }
        return first.ready_since < second.ready_since;
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
        return true;
    }
    if (task.has_job) {
        go_on(core, index);
        return true;
    }
    return begin(core, index);
}

void Simulation::go_on(Core &core, std::uint32_t index)
{
    Task &task = *tasks_[index];
    task.is_somewhere = true;
    core.state = State::Running;
    task.job.migrations += task.executed_on != core.number ? 1 : 0;
    task.executed_on = core.number;
    machine_.run_on(index, core.number);
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
    is_stopping_ |= listener_.on_start(listener_.context, &job) != 0;
    return true;
}

void Simulation::finish(Core &core)
{
    const std::uint32_t index = core.task;
    Task &task = *tasks_[index];
    send_merging(core);
    task.program.finish_job();
    task.has_job = false;
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
    job.exec_ns = told_ns;
    is_stopping_ |= listener_.on_finish(listener_.context, &job) != 0;
    prepare(index, laxity_next_job(&task.asked->releases, job.job, job.finish_ns));
    if (task.asked->jobs > 0 && task.job.ordinal == task.asked->jobs) {
        end(index, LAXITY_SIM_END_JOBS);
    } else if (task.release_ns >= limit_ns_ || job.finish_ns >= limit_ns_) {
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
}

/* Its program has ended. */
void Simulation::fail(std::uint32_t index)
{
    end(index, LAXITY_SIM_END_FAILED);
}

void Simulation::end(std::uint32_t index, laxity_sim_end why)
{
    Task &task = *tasks_[index];
    task.has_ended = true;
    for (Core &core : cores_) {
        if (core.state == State::Idle || core.task != index) {
            continue;
        }
        if (core.state != State::Switching) {
            send_merging(core);
        }
        leave(core);
    }
    std::int64_t end_ns = clock_.ns_of(now_);
    if (why == LAXITY_SIM_END_LIMIT) {
        end_ns = limit_ns_;
    } else if (task.has_job) {
        end_ns = std::max(end_ns, task.job.start_ns + 1); /* its start lies before its end */
    }
    laxity_error error{};
    if (why == LAXITY_SIM_END_FAILED || why == LAXITY_SIM_END_TIMEOUT) {
        laxity_error_set(
            &error, LAXITY_EXIT_VIOLATED, "job %llu", static_cast<unsigned long long>(task.job.job)
        );
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
    core.has_stopped = false;
}

void Simulation::send_merging(const Core &core)
{
    machine_.send_merging({core.number, core.task, now_});
}

} // namespace

} // namespace naive

void naive_simulate(
    const laxity_sim_platform *platform,
    const laxity_sim_task *tasks,
    std::uint32_t n_tasks,
    std::int64_t limit_ns,
    const laxity_sim_listener *listener,
    laxity_sim_counts *out_counts,
    naive::Features *out_features
)
{
    naive::Features features{};
    laxity_sim_counts counts{};
    naive::Simulation simulation{*platform, limit_ns, *listener, counts, features};
    for (std::uint32_t i = 0; i < n_tasks; i++) {
        simulation.add(tasks[i]);
    }
    simulation.run();
    *out_counts = counts;
    if (out_features != nullptr) {
        *out_features = features;
    }
}
