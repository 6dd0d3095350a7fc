/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A core, and what runs on it: the steps of instructions (docs/simulation-model.md, section 2). */
#ifndef LAXITY_NAIVE_CORE_HPP
#define LAXITY_NAIVE_CORE_HPP

#include "interface/engine.h"
#include "machine.hpp"
#include "program.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace naive {

/* Ticks of a job, by what they went into. */
struct Spent {
    std::uint64_t busy = 0;
    std::uint64_t own = 0;
    std::uint64_t reload = 0;
    std::uint64_t moved = 0;
    std::uint64_t shared = 0;

    [[nodiscard]] std::uint64_t all() const
    {
        return busy + own + reload + moved + shared;
    }
};

/* What a task has left to run, of a reservation (section 6). All are ticks. */
struct Budget {
    std::uint64_t runtime = 0;  /* Q; 0: there is no reservation */
    std::uint64_t deadline = 0; /* D */
    std::uint64_t period = 0;   /* T */
    std::uint64_t left = 0;     /* b */
    std::uint64_t until = 0;    /* d */
    std::uint64_t counts_from = 0;
    std::optional<std::uint64_t> refill{}; /* it is used up */
    bool is_awake = false;
};

struct Task {
    const laxity_sim_task *asked;
    Program program;
    laxity_sim_job job{};
    bool has_ended = false;
    bool has_job = false; /* one that has begun */
    bool is_somewhere = false;
    std::uint64_t release = 0; /* NEVER: it is not known */
    std::int64_t release_ns = 0;
    std::uint64_t ready_since = 0;
    std::uint64_t timeout = 0;
    std::uint64_t cores = 0;
    Budget budget{};
    laxity_sim_counts counted{};   /* by its core when its job came to it */
    laxity_sim_taken taken{};      /* counts of its turns, time of its jobs that have finished */
    std::uint32_t executed_on = 0; /* where its job was begun or went on last */
    Spent spent{};
    std::array<std::shared_ptr<Request>, LAXITY_SIM_REGISTERS> registers{};
    std::uint64_t execution = 0;            /* of a block, that was executed last */
    std::optional<std::uint64_t> fetched{}; /* the line, in this execution */
};

enum class State {
    Idle,
    Switching,
    Running,
    Stopping
};

struct Step {
    enum class What {
        Access,
        Operands,
        Results, /* behind the last access */
        Ticks,
        Walked, /* to the page of what is accessed next */
        Return, /* from a timer's interrupt */
        HasRead /* likewise, from one that reads counters */
    };
    What what;
    Touch touch{};
    std::uint64_t ticks = 0;
    Cause cause = Cause::Own; /* of a walk */
    bool has_page = false;    /* an access: its page need not be looked up (again) */
};

/* What a core waits for: a request, or else a decision of a channel. */
struct Wait {
    std::uint64_t from;
    std::shared_ptr<Request> request;
    std::size_t channel = 0;
    std::optional<std::uint64_t> decided{}; /* when the channel has decided */
    bool is_others = false;                 /* the request that is waited for at the channel */
};

struct Core {
    std::uint32_t number;
    State state = State::Idle;
    std::uint32_t task = 0; /* of what it does, unless it is idle */
    std::optional<std::uint32_t> last_task{};
    std::uint64_t now = 0;
    std::deque<Step> steps{};
    std::optional<Wait> wait{};
    bool has_waited = false;                   /* the step has had no room before */
    std::optional<std::uint64_t> room_since{}; /* since when it waits for decisions of a channel */
    bool has_stopped = false;
    Instruction instruction{};
    std::vector<std::shared_ptr<Request>> loads{}; /* of the instruction */
    std::vector<unsigned> counters{};              /* of the predictor */
    std::uint64_t next_timer = 0;
    bool is_interrupted = false; /* by the timer, or to be read */
    bool is_read = false;        /* that interrupt is to come, or there */
    std::uint64_t read_until = 0;
    bool is_forbidden = false;                    /* by the observer */
    std::optional<std::uint64_t> is_changed_at{}; /* when that is no longer so */

    /* None: that is not known, or there is nothing to be done. */
    [[nodiscard]] std::optional<std::uint64_t> next_action() const;
    /* It stands between instructions; of a switch: at its end. */
    [[nodiscard]] bool is_between() const
    {
        return steps.empty() && !wait;
    }
};

/* Does the next step of the core. `task` is NULL while the kernel switches or is interrupted. */
class Stepper {
  public:
    Stepper(
        const laxity_sim_platform &platform,
        Machine &machine,
        laxity_sim_totals &totals,
        Features &features
    )
        : platform_(platform), machine_(machine), totals_(totals), features_(features)
    {
    }

    void go_on(Core &core, Task *task);
    /* Lets the core begin a switch; its first steps follow. */
    void begin_switch(Core &core);
    /* Where a job begins or goes on. */
    void set_timer(Core &core) const;

  private:
    void end_wait(Core &core, Task *task);
    void account(const Wait &wait, std::uint64_t now, Spent &spent);
    void begin_instruction(Core &core, Task &task);
    void do_access(Core &core, const Task *task);
    void wait_for_operands(Core &core, Task &task);
    void note_results(Core &core, Task &task);
    void add_lines(Core &core, Kind kind, std::uint32_t task, const Access &access);
    void add_kernel_lines(
        Core &core, std::uint64_t address, std::uint64_t n_code_lines, std::uint64_t n_data_lines
    );
    bool add_walk(Core &core, const By &by);
    void do_step(Core &core, Task &task, const Step &step);
    void interrupt(Core &core, Task &task);
    void read_counters(Core &core, Task &task);
    void end_interrupt(Core &core);
    void branch(Core &core, Task &task);

    const laxity_sim_platform &platform_;
    Machine &machine_;
    laxity_sim_totals &totals_;
    Features &features_;
};

} // namespace naive

#endif
