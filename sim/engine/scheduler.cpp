/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "engine/scheduler.hpp"

#include "base/error.h"
#include "engine/core.hpp"
#include "engine/hierarchy.hpp"
#include "engine/reader.hpp"
#include "engine/turn.hpp"
#include "harness/mark_table.h"
#include "harness/release.h"
#include "interface/engine.h"
#include "interface/records.h"
#include "model/memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace laxity {

namespace {

/* Milliseconds of work between two looks whether to go on. */
constexpr std::uint64_t WORDS_PER_LOOK = 1U << 20U;
constexpr std::uint64_t NO_BLOCK = UINT64_MAX;

/* What goes first is less: reservations by their deadlines, priorities, co-runners. */
using Rank = std::pair<int, std::int64_t>;

Rank rank_of(const laxity_sim_task &task, std::uint64_t deadline)
{
    if (task.is_corunner) {
        return {2, 0};
    }
    if (task.reservation.runtime_ns > 0) {
        return {0, static_cast<std::int64_t>(deadline)};
    }
    return {1, -std::int64_t{task.priority}};
}

} // namespace

Scheduler::Task::Task(
    const laxity_sim_task &task, std::uint32_t index, const laxity_sim_platform &platform
)
    : asked(&task),
      reader(
          task,
          std::uint64_t{index} << SPACE_SHIFT >> std::countr_zero(platform.line_bytes),
          platform
      ),
      cores(task.cores)
{
    job.task = index;
}

Scheduler::Scheduler(
    const laxity_sim_platform &platform,
    std::span<const laxity_sim_task> tasks,
    std::int64_t limit_ns,
    const laxity_sim_listener &listener,
    Hierarchy &hierarchy
)
    : clock_(platform.ticks_per_s[0], platform.ticks_per_s[1]), limit_ns_(limit_ns),
      listener_(listener), hierarchy_(hierarchy)
{
    turns_.resize(platform.cores);
    for (std::uint32_t core = 0; core < platform.cores; core++) {
        seats_.push_back({.core = Core{platform, core, hierarchy, turns_[core]}});
    }
    for (std::size_t i = 0; i < tasks.size(); i++) {
        Task &task = tasks_.emplace_back(tasks[i], static_cast<std::uint32_t>(i), platform);
        has_wandering_ |= !std::has_single_bit(task.cores);
        has_corunners_ |= task.asked->is_corunner;
        if (!task.asked->is_corunner) {
            n_alive_++;
            task.release = clock_.ticks_of(laxity_release_ns(&task.asked->releases, 0));
            task.queued = task.release;
        }
    }
    ask_releases(0);
    if (listener.on_sample != nullptr && listener.sample_ns > 0) {
        sample_ns_ = listener.first_sample_ns;
        sample_tick_ = clock_.ticks_of(sample_ns_);
    }
    if (listener.observer != nullptr) {
        observer_ns_ = listener.observer->first_ns;
        observer_tick_ = clock_.ticks_of(observer_ns_);
    }
}

/* Where releases are decided as it goes. */
void Scheduler::ask_releases(std::uint64_t now)
{
    if (listener_.on_wait == nullptr) {
        return;
    }
    for (Task &task : tasks_) {
        if (!task.is_alive || task.has_started || task.asked->is_corunner) {
            continue;
        }
        task.cores = task.asked->cores;
        task.asked_ns = listener_.on_wait(listener_.context, task.job.task, &task.cores);
        task.release = task.asked_ns == INT64_MAX ? NEVER : clock_.ticks_of(task.asked_ns);
        task.queued = std::max(task.release, now);
        task.is_awake &= task.release <= now;
    }
}

std::int64_t Scheduler::release_ns(const Task &task) const
{
    if (listener_.on_wait == nullptr) {
        return laxity_release_ns(&task.asked->releases, task.job.job);
    }
    return task.release == NEVER ? INT64_MIN : task.asked_ns;
}

bool Scheduler::is_ready(const Task &task, std::uint64_t now) const
{
    return task.is_alive && !task.is_placed && task.release <= now && task.refill == 0;
}

void Scheduler::tell(const Seat &seat, const Task &task, laxity_sim_turn turn, std::uint64_t now)
    const
{
    if (listener_.on_turn != nullptr) {
        listener_.on_turn(
            listener_.context, core_of(seat), task.job.task, turn, clock_.ceil_ns(now)
        );
    }
}

void Scheduler::end(Task &task, laxity_sim_end why, std::uint64_t now, const std::string &text)
{
    laxity_error error{};
    std::int64_t end_ns = clock_.ceil_ns(now);
    if (why == LAXITY_SIM_END_LIMIT) {
        end_ns = limit_ns_;
    } else if (task.has_started && !task.asked->is_corunner) {
        end_ns = std::max(end_ns, task.job.start_ns + 1); /* its start lies before its end */
    }
    if (!text.empty()) {
        error.exit_code = LAXITY_EXIT_VIOLATED;
        (void)strncpy(error.text, text.c_str(), sizeof error.text - 1);
    }
    if (task.has_started) {
        const std::uint64_t exec_ticks = taken(task, now).exec_ticks - task.past.exec_ticks;
        note_seen(task, LAXITY_MARK_JOB_FINISH, now, exec_ticks);
    }
    const auto seat = std::ranges::find(seats_, task.job.task, &Seat::task);
    if (seat != seats_.end()) {
        hierarchy_.send_merging(core_of(*seat), now);
        task.past = taken(task, now);
        task.has_started = false;
        if (!seat->is_switching) {
            tell(*seat, task, LAXITY_SIM_TURN_OFF, now);
        }
        free(*seat);
        seat->is_switching = false;
    }
    task.is_placed = false;
    task.is_alive = false;
    n_alive_ -= task.asked->is_corunner ? 0 : 1;
    is_stopping_ |= listener_.on_end(listener_.context, task.job.task, why, end_ns, &error) != 0;
}

void Scheduler::end_all(laxity_sim_end why, std::uint64_t now)
{
    for (Task &task : tasks_) {
        if (task.is_alive && !task.asked->is_corunner) {
            end(task, why, now);
        }
    }
}

/* Whoever ends us may have ended a program, too, or made its source give up. */
bool Scheduler::is_asked_to_end()
{
    is_interrupted_ |= listener_.must_stop(listener_.context);
    return is_interrupted_;
}

/* Goes to the next job in the program. False: there is none. */
bool Scheduler::begin_job(Task &task)
{
    Reader &reader = task.reader;
    Position &position = task.position; /* the mark may lie in the block of the last job's end */
    std::uint64_t number = NO_BLOCK;
    for (std::uint64_t n = 1;; n++) {
        if (n % WORDS_PER_LOOK == 0 && is_asked_to_end()) {
            return false;
        }
        const Event event = reader.peek();
        if (event == Event::End) {
            return false;
        }
        if (event == Event::Block) {
            number = reader.block_number();
        }
        const bool is_start = event == Event::JobStart;
        const unsigned index = event == Event::Block ? 0 : reader.access().index();
        reader.take();
        if (is_start) {
            reader.set_in_job(true);
            position.block = number == NO_BLOCK ? position.block : &reader.block_of(number);
            /* What else its instruction accesses belongs to the mark. */
            while (reader.peek() == Event::Access && reader.access().index() == index) {
                reader.take();
            }
            reader.take_marks_before(index + 1);
            position.index = index + 1;
            task.spent = {};
            return true;
        }
    }
}

/* Of the instruction that a begun job goes on with. */
std::uint64_t Scheduler::next_address(Task &task)
{
    const Position &position = task.position;
    if (position.block != nullptr && position.index < position.block->steps.size()) {
        return position.block->steps[position.index].address & LAXITY_RECORD_ADDRESS_MASK;
    }
    Event event = task.reader.peek();
    while (event == Event::JobStart) {
        task.reader.take(); /* within a job it means nothing */
        event = task.reader.peek();
    }
    return event == Event::Block ? task.reader.block().address & LAXITY_RECORD_ADDRESS_MASK : 0;
}

void Scheduler::run(Seat &seat, Task &task, std::uint64_t now)
{
    const std::uint32_t core = core_of(seat);
    give(seat, task);
    task.is_placed = true;
    task.last_core = core;
    hierarchy_.place(task.job.task, core);
    if (task.job_core != NONE && task.job_core != core) {
        task.job.migrations++;
        task.job.migrated_at = next_address(task);
    }
    task.job_core = core;
    task.position.fetched = NEVER;
    task.runs_from = now;
    task.counted = hierarchy_.counts(core);
    seat.core.begin(
        {.task = task.job.task,
         .reader = &task.reader,
         .position = &task.position,
         .spent = &task.spent},
        now
    );
}

/* The job of a task begins on the core that it was on last. False: it has none. */
bool Scheduler::start(Seat &seat, Task &task, std::uint64_t now)
{
    if (!begin_job(task)) {
        if (is_asked_to_end()) {
            return false;
        }
        end(task, LAXITY_SIM_END_FAILED, now, task.reader.why());
        return false;
    }
    task.has_started = true;
    task.job_core = NONE;
    if (task.asked->is_corunner) {
        return true;
    }
    const std::uint64_t ordinal = task.job.ordinal;
    const std::uint64_t job = task.job.job;
    const std::uint32_t index = task.job.task;
    task.job = {};
    task.job.task = index;
    task.job.ordinal = ordinal;
    task.job.job = job;
    task.job.core_start = core_of(seat);
    task.job.core_finish = core_of(seat);
    task.job.start_ns = clock_.ceil_ns(now);
    task.timeout = clock_.ticks_of(task.job.start_ns + task.asked->timeout_ns);
    note_seen(task, LAXITY_MARK_JOB_START, now, 0);
    is_stopping_ |= listener_.on_start(listener_.context, &task.job) != 0;
    return true;
}

void Scheduler::give(Seat &seat, const Task &task)
{
    seat.task = task.job.task;
    Turn &turn = turns_[core_of(seat)];
    turn.is_taken = true;
    turn.is_told = !task.asked->is_corunner;
}

void Scheduler::free(Seat &seat)
{
    seat.core.leave();
    seat.task = NONE;
    turns_[core_of(seat)].is_taken = false;
}

/* A core is the task's. */
void Scheduler::take(Seat &seat, Task &task, std::uint64_t now)
{
    if (seat.last != task.job.task) {
        give(seat, task);
        seat.is_switching = true;
        task.is_placed = true;
        seat.core.begin_switch(now);
        tell(seat, task, LAXITY_SIM_TURN_SWITCH, now);
        return;
    }
    if (task.has_started || start(seat, task, now)) {
        run(seat, task, now);
        tell(seat, task, LAXITY_SIM_TURN_ON, now);
    }
}

void Scheduler::split(laxity_sim_job &job, const Spent &spent) const
{
    /* Differences of what has been rounded as a whole: so they sum to the execution exactly. */
    std::uint64_t sum = spent.busy;
    std::int64_t before_ns = clock_.floor_ns(sum);
    job.busy_ns = before_ns;
    const std::array<std::int64_t *, 4> parts{
        &job.stall_own_ns, &job.stall_reload_ns, &job.stall_moved_ns, &job.stall_shared_ns
    };
    for (std::size_t i = 0; i < parts.size(); i++) {
        sum += spent.stalls[i];
        const std::int64_t until_ns = clock_.floor_ns(sum);
        *parts[i] = until_ns - before_ns;
        before_ns = until_ns;
    }
    job.exec_ticks = sum;
    job.exec_ns = before_ns;
}

bool Scheduler::finish(Seat &seat, std::uint64_t now)
{
    Task &task = tasks_[seat.task];
    hierarchy_.send_merging(core_of(seat), now);
    task.budget -= std::min(task.budget, now - task.runs_from);
    task.past = taken(task, now);
    count(task, core_of(seat));
    task.reader.set_in_job(false);
    task.reader.take(); /* the mark */
    task.has_started = false;
    if (task.asked->is_corunner) {
        task.job.counts = {};
        if (listener_.on_pass != nullptr) {
            listener_.on_pass(listener_.context, task.job.task, clock_.ceil_ns(now));
        }
        const bool is_asked = seat.core.is_asked();
        task.queued = now;
        if (start(seat, task, now)) {
            run(seat, task, now);
        }
        if (is_asked && seat.task != NONE) {
            seat.core.ask_to_stop();
        }
        return true;
    }
    free(seat);
    task.is_placed = false;
    task.timeout = NEVER;
    laxity_sim_job &job = task.job;
    job.finish_ns = clock_.ceil_ns(now);
    job.core_finish = core_of(seat);
    split(job, task.spent);
    note_seen(task, LAXITY_MARK_JOB_FINISH, now, job.exec_ticks);
    tell(seat, task, LAXITY_SIM_TURN_OFF, now);
    is_stopping_ |= listener_.on_finish(listener_.context, &job) != 0;
    job.ordinal++;
    if (task.asked->jobs > 0 && job.ordinal == task.asked->jobs) {
        end(task, LAXITY_SIM_END_JOBS, now);
        return true;
    }
    if (listener_.on_wait != nullptr) {
        job.job = job.ordinal; /* its release is asked when all have finished */
    } else {
        job.job = laxity_next_job(&task.asked->releases, job.job, job.finish_ns);
        task.release = clock_.ticks_of(laxity_release_ns(&task.asked->releases, job.job));
        task.queued = std::max(task.release, now);
        task.is_awake &= task.release <= now;
        if (release_ns(task) >= limit_ns_ || job.finish_ns >= limit_ns_) {
            end(task, LAXITY_SIM_END_LIMIT, now);
        }
    }
    return true;
}

/* What a core has come to at this tick. */
bool Scheduler::end_turn(Seat &seat, std::uint64_t now)
{
    Task &task = tasks_[seat.task];
    switch (turns_[core_of(seat)].next) {
    case Next::Finished:
        return finish(seat, now);
    case Next::Failed:
        if (is_asked_to_end()) {
            return false;
        }
        end(task, LAXITY_SIM_END_FAILED, now, task.reader.why());
        return true;
    case Next::Stopped:
        if (!seat.core.drain(now)) {
            return true;
        }
        task.job.preemptions += task.asked->is_corunner ? 0 : 1;
        task.budget -= std::min(task.budget, now - task.runs_from);
        count(task, core_of(seat));
        tell(seat, task, LAXITY_SIM_TURN_PREEMPTED, now);
        break;
    case Next::Switched:
        seat.last = seat.task;
        seat.is_switching = false;
        task.last_core = core_of(seat);
        hierarchy_.place(seat.task, core_of(seat));
        break;
    default:
        return false;
    }
    task.is_placed = false;
    free(seat);
    return true;
}

bool Scheduler::end_turns(std::uint64_t now)
{
    bool has_finished = false;
    bool is_changed = false;
    for (Seat &seat : seats_) {
        const Turn &turn = turns_[core_of(seat)];
        if (seat.task != NONE && turn.tick == now && turn.next != Next::GoOn) {
            has_finished |= turn.next == Next::Finished;
            is_changed |= end_turn(seat, now);
        }
    }
    if (has_finished) {
        ask_releases(now);
    }
    return is_changed;
}

bool Scheduler::end_tasks(std::uint64_t now)
{
    bool is_changed = false;
    const bool is_over = clock_.ceil_ns(now) >= limit_ns_;
    for (Task &task : tasks_) {
        if (!task.is_alive || task.asked->is_corunner) {
            continue;
        }
        if (task.has_started) {
            if (task.timeout <= now) {
                end(task,
                    LAXITY_SIM_END_TIMEOUT,
                    now,
                    "in job " + std::to_string(task.job.job) + ": longer than its timeout");
                is_changed = true;
            }
        } else if (is_over || release_ns(task) >= limit_ns_) {
            end(task, LAXITY_SIM_END_LIMIT, now);
            is_changed = true;
        } else if (is_stopping_) {
            end(task, LAXITY_SIM_END_STOPPED, now);
            is_changed = true;
        }
    }
    return is_changed;
}

void Scheduler::keep_first(Seat *&first, Seat &seat, bool is_fit)
{
    if (first == nullptr && is_fit) {
        first = &seat;
    }
}

/* What cores a task that is ready and nowhere finds. */
Scheduler::Found Scheduler::look_for_core(const Task &task)
{
    Found found;
    if (task.last_core != NONE && (task.cores >> task.last_core & 1U) != 0) {
        Seat &last = seats_[task.last_core];
        keep_first(found.idle, last, last.task == NONE && !last.is_claimed && !last.is_forbidden);
    }
    const Rank rank = rank_of(*task.asked, task.deadline);
    Rank lowest = rank;
    for (Seat &seat : seats_) {
        const std::uint32_t core = core_of(seat);
        if ((task.cores >> core & 1U) == 0 || seat.is_claimed || seat.is_forbidden) {
            continue;
        }
        if (seat.task == NONE) {
            keep_first(found.idle, seat, true);
            continue;
        }
        const Rank other = rank_of(*tasks_[seat.task].asked, tasks_[seat.task].deadline);
        if (seat.is_switching) {
            found.switching = found.switching == nullptr && other > rank ? &seat : found.switching;
        } else if (seat.core.is_asked()) {
            found.stopping = found.stopping == nullptr ? &seat : found.stopping;
        } else if (other > lowest) {
            found.lowest = &seat;
            lowest = other;
        }
    }
    return found;
}

bool Scheduler::claim(Task &task, std::uint64_t now)
{
    const Found found = look_for_core(task);
    if (found.idle != nullptr) {
        found.idle->is_claimed = true;
        take(*found.idle, task, now);
        return true;
    }
    if (found.stopping != nullptr) {
        found.stopping->is_claimed = true;
    } else if (found.lowest != nullptr) {
        found.lowest->is_claimed = true;
        found.lowest->core.ask_to_stop();
        return true;
    } else if (found.switching != nullptr) {
        found.switching->is_claimed = true;
    }
    return false;
}

bool Scheduler::claim_cores(std::uint64_t now)
{
    std::vector<Task *> ready;
    for (Task &task : tasks_) {
        if (is_ready(task, now)) {
            ready.push_back(&task);
        }
    }
    std::ranges::sort(ready, {}, [](const Task *task) {
        return std::tuple{rank_of(*task->asked, task->deadline), task->queued, task->job.task};
    });
    for (Seat &seat : seats_) {
        seat.is_claimed = false;
    }
    bool is_changed = false;
    for (Task *const task : ready) {
        const bool may_begin = task->has_started || task->asked->is_corunner || !is_stopping_;
        if (may_begin) {
            is_changed |= claim(*task, now);
        }
    }
    return is_changed;
}

void Scheduler::act(std::uint64_t now)
{
    bool is_changed = true;
    while (is_changed && !is_interrupted_) {
        is_changed = end_turns(now);
        is_changed |= end_tasks(now);
        is_changed |= keep_budgets(now);
        is_changed |= keep_forbidden(now);
        is_changed |= claim_cores(now);
    }
    look_ahead(now);
}

} // namespace laxity
