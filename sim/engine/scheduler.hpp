/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Which task runs on which core (docs/simulation-model.md, section 6). */
#ifndef LAXITY_SIM_SCHEDULER_HPP
#define LAXITY_SIM_SCHEDULER_HPP

#include "engine/clock.hpp"
#include "engine/core.hpp"
#include "engine/hierarchy.hpp"
#include "engine/reader.hpp"
#include "engine/turn.hpp"
#include "interface/engine.h"
#include "model/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace laxity {

/* What comes next; NEVER: nothing. */
struct Upcoming {
    std::uint64_t action = NEVER; /* of the scheduler */
    std::uint64_t turn = NEVER;   /* of a core that goes on */
    std::uint64_t others = NEVER; /* of the next other core that goes on */
    std::uint32_t core = 0;       /* the first one */
};

class Scheduler {
  public:
    Scheduler(
        const laxity_sim_platform &platform,
        std::span<const laxity_sim_task> tasks,
        std::int64_t limit_ns,
        const laxity_sim_listener &listener,
        Hierarchy &hierarchy
    );

    /* Does what is to be done at this tick. */
    void act(std::uint64_t now);

    [[nodiscard]] Upcoming next() const;

    /* When the next sample, or tick of the observer, is due; NEVER: none is. */
    [[nodiscard]] std::uint64_t next_sample() const
    {
        return std::min(sample_tick_, observer_tick_);
    }

    /* Tells it. All with smaller keys has been done. */
    void sample();

    /* Whether it will decide again which cores may execute tasks. */
    [[nodiscard]] bool has_observer() const
    {
        return observer_tick_ != NEVER;
    }

    /* The next core goes on; a channel decides next at `decision`. */
    void go_on(const Upcoming &next, std::uint64_t decision);

    /* A channel has decided, and so settled requests of these cores. */
    void look_again(const Channel &channel, std::uint64_t settled, std::uint64_t now);

    /* Whether a task that is told of has not ended. */
    [[nodiscard]] bool has_work() const
    {
        return n_alive_ > 0;
    }

    /* Whether the caller wanted to end while a program was on its way to its next job. */
    [[nodiscard]] bool is_interrupted() const
    {
        return is_interrupted_;
    }

    /* Ends all tasks that are told of. */
    void end_all(laxity_sim_end why, std::uint64_t now);

  private:
    static constexpr std::uint32_t NONE = UINT32_MAX;

    struct Task {
        Task(const laxity_sim_task &task, std::uint32_t index, const laxity_sim_platform &platform);

        const laxity_sim_task *asked;
        Reader reader;
        Position position;
        Spent spent; /* of the job that has started */
        std::uint64_t cores;
        std::int64_t asked_ns = 0; /* of the next job, if a listener says when it is released */
        std::uint64_t release = 0; /* of the next job, or of the one that has started */
        std::uint64_t queued = 0;  /* since when it waits, among equals */
        std::uint64_t timeout = NEVER;
        std::uint64_t budget = 0;    /* of a reservation: what is left */
        std::uint64_t deadline = 0;  /* likewise */
        std::uint64_t runs_from = 0; /* since when it runs, or its budget was filled */
        std::uint64_t refill = 0;    /* its budget is used up until then; 0 = it is not */
        bool is_awake = false;       /* it has been ready ever since its deadline was set */
        std::uint32_t last_core = NONE;
        std::uint32_t job_core = NONE; /* that its job has run on last */
        bool is_alive = true;
        bool has_started = false;
        bool is_placed = false;      /* on a core, or a core switches to it */
        laxity_sim_counts counted{}; /* by its core when it came to it */
        laxity_sim_taken past{};     /* in jobs before */
        laxity_sim_job job{};

        [[nodiscard]] bool has_reservation() const
        {
            return asked->reservation.runtime_ns > 0;
        }
    };
    /* A core, and whose it is. */
    struct Seat {
        Core core;
        std::uint32_t task = NONE;
        std::uint32_t last = NONE; /* who was on it last */
        bool is_switching = false;
        bool is_claimed = false;
        bool is_forbidden = false;        /* by the observer */
        std::uint64_t changes_at = NEVER; /* when that changes; NEVER: nothing is on its way */
    };
    /* What has been counted and taken until a tick. */
    struct Sampled {
        std::vector<laxity_sim_counts> cores;
        std::vector<laxity_sim_taken> tasks;

        [[nodiscard]] laxity_sim_sample at(std::int64_t time_ns) const
        {
            return {.time_ns = time_ns, .cores = cores.data(), .tasks = tasks.data()};
        }
    };
    /* What a task may take, the first of these that there is. */
    struct Found {
        Seat *idle = nullptr;
        Seat *stopping = nullptr;
        Seat *lowest = nullptr; /* runs the lowest of those that are below the task */
        Seat *switching = nullptr;
    };

    void ask_releases(std::uint64_t now);
    bool end_turns(std::uint64_t now);
    bool end_turn(Seat &seat, std::uint64_t now);
    bool finish(Seat &seat, std::uint64_t now);
    bool end_tasks(std::uint64_t now);
    bool keep_budgets(std::uint64_t now);
    void wake(Task &task, std::uint64_t now);
    void refill(Task &task, std::uint64_t now);
    void count(Task &task, std::uint32_t core);
    [[nodiscard]] laxity_sim_taken taken(const Task &task, std::uint64_t now) const;
    bool claim_cores(std::uint64_t now);
    bool claim(Task &task, std::uint64_t now);
    static void keep_first(Seat *&first, Seat &seat, bool is_fit);
    [[nodiscard]] Found look_for_core(const Task &task);
    void take(Seat &seat, Task &task, std::uint64_t now);
    void give(Seat &seat, const Task &task);
    void free(Seat &seat);
    bool start(Seat &seat, Task &task, std::uint64_t now);
    [[nodiscard]] static std::uint64_t next_address(Task &task);
    void run(Seat &seat, Task &task, std::uint64_t now);
    [[nodiscard]] bool is_asked_to_end();
    [[nodiscard]] bool begin_job(Task &task);
    void split(laxity_sim_job &job, const Spent &spent) const;
    void tell(const Seat &seat, const Task &task, laxity_sim_turn turn, std::uint64_t now) const;
    void tell_marks(Seat &seat);
    [[nodiscard]] Sampled sampled(std::uint64_t tick) const;
    void tell_sample();
    void observe();
    void
    note_seen(const Task &task, std::uint32_t mark, std::uint64_t now, std::uint64_t exec_ticks);
    void decide(Seat &seat, bool is_forbidden);
    bool keep_forbidden(std::uint64_t now);
    void end(Task &task, laxity_sim_end why, std::uint64_t now, const std::string &text = "");
    void look_ahead(std::uint64_t now);
    void wait_on(std::uint64_t now);
    [[nodiscard]] std::uint64_t horizon(std::uint32_t core, std::uint64_t decision);
    [[nodiscard]] std::uint64_t end_of(const Turn &turn, std::uint64_t decision);
    [[nodiscard]] std::uint64_t horizon_of(const Task &task, std::uint64_t now) const;
    [[nodiscard]] bool is_running(const Task &task) const
    {
        return task.is_placed && task.last_core != NONE && !seats_[task.last_core].is_switching &&
               seats_[task.last_core].task == task.job.task;
    }
    [[nodiscard]] bool is_ready(const Task &task, std::uint64_t now) const;
    [[nodiscard]] std::int64_t release_ns(const Task &task) const;
    [[nodiscard]] std::uint32_t core_of(const Seat &seat) const
    {
        return static_cast<std::uint32_t>(&seat - seats_.data());
    }

    Clock clock_;
    std::int64_t limit_ns_;
    laxity_sim_listener listener_;
    Hierarchy &hierarchy_;
    std::deque<Task> tasks_;  /* none moves */
    std::vector<Turn> turns_; /* by core */
    std::vector<Seat> seats_; /* likewise */
    std::uint32_t n_alive_ = 0;
    std::uint64_t horizon_ = 0; /* the next release, timeout, or end */
    std::uint64_t sample_tick_ = NEVER;
    std::int64_t sample_ns_ = 0; /* its instant */
    std::uint64_t observer_tick_ = NEVER;
    std::int64_t observer_ns_ = 0;        /* its instant */
    std::vector<laxity_sim_seen> unseen_; /* by the observer */
    bool is_stopping_ = false;
    bool is_interrupted_ = false;
    bool has_wandering_ = false; /* tasks with several cores */
    bool has_corunners_ = false;
    bool is_anybody_at_work_ = false; /* a task that is told has begun a job */
    /* An end of a job on one core may stop another core, or an access take its lines: nobody runs
     * ahead of anybody. */
    bool is_coupled_ = false;
};

} // namespace laxity

#endif
