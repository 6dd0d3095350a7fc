/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Which action is next, and what the scheduler does (docs/simulation-model.md, sections 1 and 6).
 */
#ifndef LAXITY_NAIVE_SIMULATION_HPP
#define LAXITY_NAIVE_SIMULATION_HPP

#include "core.hpp"
#include "interface/engine.h"
#include "machine.hpp"
#include "naive.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace naive {

__extension__ using Wide = unsigned __int128;

constexpr Wide NS_PER_S = 1'000'000'000;
constexpr std::uint64_t NEVER = std::numeric_limits<std::uint64_t>::max();

inline std::uint64_t capped(Wide value)
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
    SAMPLES, /* at the beginning of the scheduler's phase */
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
        laxity_sim_totals &totals,
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
    void tell_marks(const Core &core);
    [[nodiscard]] std::int64_t next_sample_ns() const;
    void tell_sample();
    void leave_read(Core &core) const;
    void observe();
    void see(const laxity_sim_job &job, std::uint32_t mark, std::uint64_t exec_ticks);
    bool keep_forbidden();
    [[nodiscard]] laxity_sim_taken taken_by(const Task &task) const;
    void decide(std::size_t channel);

    void schedule();
    void ask_releases();
    void end_if_nobody_has_a_release();
    bool look_at_core(Core &core);
    bool end_what_is_due();
    bool keep_budget(Task &task);
    void use_up(Task &task, Core &core);
    void refill(Budget &budget) const;
    void spend(Task &task) const;
    bool give_cores();
    bool claim(std::uint32_t index, std::vector<bool> &is_claimed);
    Core *find_idle(const Task &task, const std::vector<bool> &is_claimed);
    Core *find_lower(const Task &task, State state, const std::vector<bool> &is_claimed);
    bool take(Core &core, std::uint32_t index);

    void add_counts(const Core &core, laxity_sim_counts &sums) const;
    void end_turn(const Core &core);
    void tell(const Core &core, laxity_sim_turn turn);
    void stop(Core &core);
    bool begin(Core &core, std::uint32_t index);
    void go_on(Core &core, std::uint32_t index);
    void finish(Core &core);
    void prepare(std::uint32_t index, std::uint64_t job);
    [[nodiscard]] const Core *executing(const Task &task) const;
    [[nodiscard]] bool is_at_limit(const Task &task) const;
    void fail(std::uint32_t index);
    void end_all(laxity_sim_end why);
    void end(std::uint32_t index, laxity_sim_end why);
    void leave(Core &core);
    void send_merging(const Core &core);

    [[nodiscard]] Task &task_of(const Core &core) const
    {
        return *tasks_[core.task];
    }
    [[nodiscard]] bool is_allowed(const Task &task, const Core &core) const
    {
        return (task.cores >> core.number & 1) != 0 && !core.is_forbidden;
    }
    /* Reservations by their deadlines, then priorities, then co-runners: what goes first is less.
     */
    [[nodiscard]] static std::tuple<int, std::uint64_t, std::int64_t> rank_of(const Task &task)
    {
        if (task.asked->is_corunner) {
            return {2, 0, 0};
        }
        if (task.budget.runtime > 0) {
            return {0, task.budget.until, 0};
        }
        return {1, 0, -std::int64_t{task.asked->priority}};
    }
    [[nodiscard]] static bool is_lower(const Task &task, const Task &than)
    {
        return rank_of(task) > rank_of(than);
    }
    [[nodiscard]] bool is_told_task_left() const;

    const laxity_sim_platform &platform_;
    Clock clock_;
    std::int64_t limit_ns_;
    const laxity_sim_listener &listener_;
    laxity_sim_totals &totals_;
    Features &features_;
    Machine machine_;
    Stepper stepper_;
    std::vector<Core> cores_;
    std::vector<std::unique_ptr<Task>> tasks_;
    std::uint64_t now_ = 0;
    bool has_scheduled_ = false;
    std::uint64_t scheduled_ = 0; /* when last */
    bool has_finished_ = false;   /* a job, and releases have not been asked since */
    bool is_stopping_ = false;    /* a listener wants no further job */
    std::int64_t n_samples_ = 0;
    std::optional<std::int64_t> observer_ns_; /* its next instant */
    std::vector<laxity_sim_seen> unseen_;     /* by it */
};

} // namespace naive

#endif
