/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "interface/engine.h"

#include "engine/core.hpp"
#include "engine/program.hpp"
#include "engine/reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>
#include <string>

namespace {

/* Products of ticks and frequencies. */
__extension__ using Wide = unsigned __int128;

constexpr Wide NS_PER_S = 1'000'000'000;
/* Milliseconds of work between two looks whether to go on. */
constexpr std::uint64_t EVENTS_PER_LOOK = 1 << 20;
constexpr std::uint64_t NEVER = std::numeric_limits<std::uint64_t>::max();

class Clock {
  public:
    explicit Clock(std::uint64_t hz) : hz_(hz) {}

    [[nodiscard]] std::int64_t ns_of(std::uint64_t ticks) const
    {
        return static_cast<std::int64_t>((ticks * NS_PER_S + hz_ - 1) / hz_);
    }

    [[nodiscard]] std::int64_t floor_ns(std::uint64_t ticks) const
    {
        return static_cast<std::int64_t>(ticks * NS_PER_S / hz_);
    }

    [[nodiscard]] std::uint64_t ticks_of(std::int64_t time_ns) const
    {
        const Wide scaled = static_cast<Wide>(time_ns) * hz_;
        return static_cast<std::uint64_t>((scaled + NS_PER_S - 1) / NS_PER_S);
    }

  private:
    std::uint64_t hz_;
};

struct Task {
    const laxity_sim_task *asked = nullptr;
    laxity::Program program;
    std::uint64_t release = 0; /* of the next job, or of the one that has started; NEVER = ended */
    std::uint64_t queued = 0;  /* whose turn it is among equals */
    bool has_started = false;
    std::uint64_t timeout = 0; /* of the job that has started: when */
    laxity::Spent spent;       /* of the job that has started */
    laxity_sim_job job{};
};

class Simulation {
  public:
    Simulation(
        const laxity_sim_platform &platform,
        std::int64_t limit_ns,
        const laxity_sim_listener &listener
    )
        : clock_(platform.clock_hz), core_(platform), switch_ticks_(platform.switch_ticks),
          limit_ns_(limit_ns), listener_(listener)
    {
    }

    int add(const laxity_sim_task &asked, std::uint32_t index);
    void run();

  private:
    Task *next_to_run();
    [[nodiscard]] std::uint64_t horizon(const Task &running) const;
    void run_until(Task &task, std::uint64_t horizon);
    bool has_no_turn(Task &task);
    void dispatch(Task &task);
    void begin(Task &task);
    void finish(Task &task);
    void prepare(Task &task, std::uint64_t job);
    void end(Task &task, laxity_sim_end why, const std::string &text = "");
    void end_all(laxity_sim_end why);
    bool must_look()
    {
        return ++n_events_ % EVENTS_PER_LOOK == 0;
    }

    Clock clock_;
    laxity::Core core_;
    std::uint32_t switch_ticks_;
    std::int64_t limit_ns_;
    laxity_sim_listener listener_;
    std::deque<Task> tasks_; /* none moves */
    Task *on_core_ = nullptr;
    std::uint64_t now_ = 0;
    std::uint64_t n_events_ = 0;
    bool is_stopping_ = false;
};

int Simulation::add(const laxity_sim_task &asked, std::uint32_t index)
{
    Task &task = tasks_.emplace_back();
    task.asked = &asked;
    task.job.task = index;
    task.release = clock_.ticks_of(laxity_release_ns(&asked.releases, 0));
    task.queued = task.release;
    return task.program.start(asked.argv);
}

/* Of those that are released the one of the highest priority, then the one that has waited longest,
 * then the first. Moves the time on where there is none. Nobody, if all have ended. */
Task *Simulation::next_to_run()
{
    const auto first = std::ranges::min_element(tasks_, {}, &Task::release);
    if (first->release == NEVER) {
        return nullptr;
    }
    if (!is_stopping_) {
        now_ = std::max(now_, first->release); /* else nobody is waited for */
    }
    Task *best = nullptr;
    for (Task &task : tasks_) {
        if (task.release == NEVER || (task.release > now_ && !is_stopping_)) {
            continue;
        }
        const bool is_better =
            best == nullptr || task.asked->priority > best->asked->priority ||
            (task.asked->priority == best->asked->priority && task.queued < best->queued);
        best = is_better ? &task : best;
    }
    return best;
}

/* When somebody of a higher priority is released. */
std::uint64_t Simulation::horizon(const Task &running) const
{
    std::uint64_t first = NEVER;
    for (const Task &task : tasks_) {
        if (task.asked->priority > running.asked->priority) {
            first = std::min(first, task.release);
        }
    }
    return first;
}

void Simulation::end(Task &task, laxity_sim_end why, const std::string &text)
{
    laxity_error error{};
    std::int64_t end_ns = clock_.ns_of(now_);
    if (why == LAXITY_SIM_END_LIMIT) {
        end_ns = limit_ns_;
    } else if (task.has_started) {
        end_ns = std::max(end_ns, task.job.start_ns + 1); /* its start lies before its end */
    }
    if (!text.empty()) {
        error.exit_code = LAXITY_EXIT_VIOLATED;
        (void)strncpy(error.text, text.c_str(), sizeof error.text - 1);
    }
    task.release = NEVER;
    on_core_ = on_core_ == &task ? nullptr : on_core_;
    listener_.on_end(listener_.context, task.job.task, why, end_ns, &error);
}

void Simulation::end_all(laxity_sim_end why)
{
    for (Task &task : tasks_) {
        if (task.release != NEVER) {
            end(task, why);
        }
    }
}

/* What lies before a job is init, or between two: not simulated. */
void Simulation::begin(Task &task)
{
    laxity::Reader &reader = task.program.reader();
    std::optional<laxity::Event> event = reader.next();
    while (event && *event != laxity::Event::JobStart && *event != laxity::Event::End) {
        if (must_look() && listener_.must_stop(listener_.context)) {
            return;
        }
        event = reader.next();
    }
    if (!event || *event == laxity::Event::End) {
        end(task, LAXITY_SIM_END_FAILED, task.program.end());
        return;
    }
    task.job.start_ns = clock_.ns_of(now_);
    task.job.finish_ns = 0;
    task.job.preemptions = 0;
    task.spent = {};
    task.timeout = clock_.ticks_of(task.job.start_ns + task.asked->timeout_ns);
    task.has_started = true;
    is_stopping_ |= listener_.on_start(listener_.context, &task.job) != 0;
}

/* The next job, unless there is none. */
void Simulation::prepare(Task &task, std::uint64_t job)
{
    const std::int64_t release_ns = laxity_release_ns(&task.asked->releases, job);
    task.has_started = false;
    task.job.ordinal++;
    task.job.job = job;
    task.release = clock_.ticks_of(release_ns);
    task.queued = std::max(task.release, now_);
    if (task.asked->jobs > 0 && task.job.ordinal == task.asked->jobs) {
        end(task, LAXITY_SIM_END_JOBS);
    } else if (release_ns >= limit_ns_ || clock_.ns_of(now_) >= limit_ns_) {
        end(task, LAXITY_SIM_END_LIMIT);
    }
}

void Simulation::finish(Task &task)
{
    laxity_sim_job &job = task.job;
    job.finish_ns = clock_.ns_of(now_);
    /* Differences of what has been rounded as a whole: so they sum to the execution exactly. */
    const std::int64_t busy_ns = clock_.floor_ns(task.spent.busy);
    const std::int64_t with_own_ns = clock_.floor_ns(task.spent.busy + task.spent.own);
    job.exec_ns = clock_.floor_ns(task.spent.sum());
    job.busy_ns = busy_ns;
    job.stall_own_ns = with_own_ns - busy_ns;
    job.stall_reload_ns = job.exec_ns - with_own_ns;
    is_stopping_ |= listener_.on_finish(listener_.context, &job) != 0;
    prepare(task, laxity_next_job(&task.asked->releases, job.job, job.finish_ns));
}

/* A release takes effect at the end of the block that is executed then, with its accesses. */
void Simulation::run_until(Task &task, std::uint64_t horizon)
{
    laxity::Reader &reader = task.program.reader();
    while (task.release != NEVER) {
        const std::uint64_t before = task.spent.sum();
        const std::optional<laxity::Event> event = reader.next();
        if (event == laxity::Event::Block) {
            if (now_ >= horizon) {
                reader.put_back();
                return;
            }
            core_.execute(reader.block(), task.spent);
        } else if (event == laxity::Event::Access) {
            core_.access(reader.access(), task.spent);
        } else if (event == laxity::Event::JobFinish) {
            finish(task);
            return;
        } else if (event != laxity::Event::JobStart) {
            end(task, LAXITY_SIM_END_FAILED, task.program.end());
            return;
        }
        now_ += task.spent.sum() - before;
        if (now_ > task.timeout) {
            end(task,
                LAXITY_SIM_END_TIMEOUT,
                "in job " + std::to_string(task.job.job) + ": longer than its timeout");
            return;
        }
        if (must_look() && listener_.must_stop(listener_.context)) {
            return;
        }
    }
}

/* Whether a task that has not started a job starts none any more; then it has ended. */
bool Simulation::has_no_turn(Task &task)
{
    const bool is_late = clock_.ns_of(now_) >= limit_ns_ ||
                         laxity_release_ns(&task.asked->releases, task.job.job) >= limit_ns_;
    if (task.has_started || (!is_late && !is_stopping_)) {
        return false;
    }
    end(task, is_late ? LAXITY_SIM_END_LIMIT : LAXITY_SIM_END_STOPPED);
    return true;
}

void Simulation::dispatch(Task &task)
{
    if (on_core_ == &task) {
        return;
    }
    /* Whoever leaves a task that goes on later has preempted it. */
    if (on_core_ != nullptr && on_core_->has_started) {
        on_core_->job.preemptions++;
    }
    core_.switch_to(task.job.task);
    now_ += switch_ticks_;
    on_core_ = &task;
}

void Simulation::run()
{
    while (Task *const task = next_to_run()) {
        if (listener_.must_stop(listener_.context)) {
            end_all(LAXITY_SIM_END_INTERRUPT);
            return;
        }
        if (has_no_turn(*task)) {
            continue;
        }
        dispatch(*task);
        if (!task->has_started) {
            begin(*task);
        }
        if (task->has_started) {
            run_until(*task, horizon(*task));
        }
    }
}

} // namespace

int laxity_simulate(
    const laxity_sim_platform *platform,
    const laxity_sim_task *tasks,
    std::uint32_t n_tasks,
    std::int64_t limit_ns,
    const laxity_sim_listener *listener,
    laxity_error *error
)
{
    Simulation simulation{*platform, limit_ns, *listener};
    for (std::uint32_t i = 0; i < n_tasks; i++) {
        const int rc = simulation.add(tasks[i], i);
        if (rc != 0) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_LACKING,
                "%.100s: cannot be started: %s",
                tasks[i].argv[0],
                strerrordesc_np(rc)
            );
        }
    }
    simulation.run();
    return 0;
}
