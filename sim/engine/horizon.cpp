/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Budgets of reservations, and how far each core may go on by itself. */
#include "engine/clock.hpp"
#include "engine/core.hpp"
#include "engine/scheduler.hpp"
#include "engine/turn.hpp"
#include "interface/engine.h"
#include "model/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace laxity {

namespace {

/* Turns of a core before the loop looks again whether the run shall end. */
constexpr unsigned TURNS_IN_A_ROW = 64;

} // namespace

/* A reservation of a task that has slept: what it has left is kept if that is not more than its
 * share of the time to its deadline. */
void Scheduler::wake(Task &task, std::uint64_t now)
{
    const laxity_sim_reservation &reservation = task.asked->reservation;
    const std::uint64_t runtime = clock_.ticks_of(reservation.runtime_ns);
    const std::uint64_t deadline = clock_.ticks_of(reservation.deadline_ns);
    task.is_awake = true;
    if (task.refill == 0 && (task.deadline <= now ||
                             Wide{task.budget} * deadline > Wide{task.deadline - now} * runtime)) {
        task.deadline = now + deadline;
        task.budget = runtime;
    }
}

/* The budget of the next period. */
void Scheduler::refill(Task &task, std::uint64_t now)
{
    const laxity_sim_reservation &reservation = task.asked->reservation;
    task.refill = 0;
    task.budget = clock_.ticks_of(reservation.runtime_ns);
    task.deadline += clock_.ticks_of(reservation.period_ns);
    if (task.deadline <= now) {
        task.deadline = now + clock_.ticks_of(reservation.deadline_ns);
    }
    task.runs_from = now;
}

bool Scheduler::keep_budgets(std::uint64_t now)
{
    bool is_changed = false;
    for (Task &task : tasks_) {
        if (!task.is_alive || !task.has_reservation()) {
            continue;
        }
        if (task.refill != 0 && task.refill <= now) {
            refill(task, now);
            is_changed = true;
        }
        if (!task.is_awake && task.release <= now) {
            wake(task, now);
            is_changed = true;
        }
        if (task.refill == 0 && is_running(task) && task.runs_from + task.budget <= now) {
            const laxity_sim_reservation &reservation = task.asked->reservation;
            const std::uint64_t next = task.deadline - clock_.ticks_of(reservation.deadline_ns) +
                                       clock_.ticks_of(reservation.period_ns);
            task.budget = 0;
            if (next <= now) {
                refill(task, now);
            } else {
                task.refill = next;
                seats_[task.last_core].core.ask_to_stop();
            }
            is_changed = true;
        }
    }
    return is_changed;
}

/* When something will happen to a task that the cores do not know of. */
std::uint64_t Scheduler::horizon_of(const Task &task, std::uint64_t now) const
{
    std::uint64_t tick = NEVER;
    if (task.has_started) {
        tick = task.timeout;
    } else if (task.release > now) {
        tick = task.release;
    }
    if (task.refill > now) {
        tick = std::min(tick, task.refill);
    } else if (task.has_reservation() && is_running(task)) {
        tick = std::min(tick, task.runs_from + task.budget);
    }
    const bool may_begin_at_limit = task.release <= now || task.release == NEVER;
    if (!task.has_started && may_begin_at_limit && limit_ns_ != INT64_MAX) {
        const std::uint64_t limit = clock_.first_told_as(limit_ns_);
        tick = std::min(tick, std::max(limit, now + 1));
    }
    return tick;
}

void Scheduler::look_ahead(std::uint64_t now)
{
    horizon_ = NEVER;
    bool is_waiting = false;
    bool is_anybody_left = false;
    is_anybody_at_work_ = false;
    for (const Task &task : tasks_) {
        if (!task.is_alive || task.asked->is_corunner) {
            continue;
        }
        is_anybody_at_work_ |= task.has_started;
        is_anybody_left |= task.has_started || task.release != NEVER;
        is_waiting |= !task.is_placed && task.release <= now;
        horizon_ = std::min(horizon_, horizon_of(task, now));
    }
    for (const Seat &seat : seats_) {
        horizon_ = std::min(horizon_, seat.changes_at);
    }
    if (!is_anybody_left) {
        end_all(LAXITY_SIM_END_STOPPED, now);
    }
    const bool is_anybody_leaving = std::ranges::any_of(seats_, [](const Seat &seat) {
        return seat.is_switching || seat.core.is_asked();
    });
    /* A co-runner takes a core that a finish has left, and whoever comes next, at a tick that was
     * not known before, may stop another one in its place. */
    is_coupled_ = listener_.on_wait != nullptr || hierarchy_.is_coupling() ||
                  (has_wandering_ && (is_waiting || is_anybody_leaving || has_corunners_));
}

Upcoming Scheduler::next() const
{
    std::uint64_t action = horizon_;
    std::uint64_t first_tick = NEVER;
    std::uint64_t others = NEVER;
    const Turn *first = turns_.data();
    for (const Turn &turn : turns_) {
        const std::uint64_t tick = turn.tick;
        if (turn.next != Next::GoOn) {
            action = std::min(action, tick);
        } else if (tick < first_tick || (tick == first_tick && turn.is_before(*first))) {
            first = &turn;
            others = first_tick;
            first_tick = tick;
        } else {
            others = std::min(others, tick);
        }
    }
    const auto core = static_cast<std::uint32_t>(first - turns_.data());
    return {.action = action, .turn = first_tick, .others = others, .core = core};
}

void Scheduler::go_on(const Upcoming &next, std::uint64_t decision)
{
    Core &core = seats_[next.core].core;
    if (turns_[next.core].waits_on()) {
        core.wait_on(next.turn, turns_[next.core].channel->oldest_core());
        return;
    }
    const Turn &turn = turns_[next.core];
    const std::uint64_t tick = std::min({next.others, next.action, next_sample()});
    for (unsigned n = 0; n < TURNS_IN_A_ROW; n++) {
        core.go_on(horizon(next.core, decision));
        if (!core.made_marks().empty()) {
            tell_marks(seats_[next.core]);
        }
        decision = hierarchy_.memory().next_decision();
        if (turn.next != Next::GoOn || turn.tick >= std::min(tick, decision)) {
            break;
        }
    }
    if (next.others == next.turn) {
        wait_on(next.turn);
    }
}

/* Those that go on at this tick before all that may send anything, and find no room, do now what
 * they would do in their turns. */
void Scheduler::wait_on(std::uint64_t now)
{
    if (horizon_ <= now || hierarchy_.memory().channels().size() > 1) {
        return;
    }
    const Turn *first = nullptr; /* that may send something */
    std::uint64_t waiting = 0;   /* cores, as bits */
    for (const Turn &turn : turns_) {
        if (turn.tick != now) {
            continue;
        }
        if (turn.next != Next::GoOn) {
            return; /* the scheduler acts before */
        }
        if (turn.waits_on()) {
            waiting |= std::uint64_t{1} << (&turn - turns_.data());
        } else if (first == nullptr || turn.is_before(*first)) {
            first = &turn;
        }
    }
    if (waiting == 0) {
        return;
    }
    const std::uint32_t oldest = hierarchy_.memory().channels().front().oldest_core();
    for (; waiting != 0; waiting &= waiting - 1) {
        const auto core = static_cast<std::size_t>(std::countr_zero(waiting));
        if (first == nullptr || turns_[core].is_before(*first)) {
            seats_[core].core.wait_on(now, oldest);
        }
    }
}

/* A tick at or before that at which the job on a core may end. */
std::uint64_t Scheduler::end_of(const Turn &turn, std::uint64_t decision)
{
    const std::uint64_t from = std::min(turn.tick, decision);
    const Seat &seat = seats_[static_cast<std::size_t>(&turn - turns_.data())];
    Task &task = tasks_[seat.task];
    if (seat.is_switching || !task.has_started || from == NEVER) {
        return from;
    }
    return from + task.reader.certain_ticks(task.position.block, task.position.index);
}

/* How far a core may go on by itself. */
std::uint64_t Scheduler::horizon(std::uint32_t core, std::uint64_t decision)
{
    std::uint64_t tick = std::min(horizon_, next_sample());
    if (!is_coupled_ && !has_corunners_) {
        return tick;
    }
    const Turn &own = turns_[core];
    std::uint64_t others = is_coupled_ ? decision : NEVER;
    for (const Turn &turn : turns_) {
        if (!turn.is_taken || &turn == &own) {
            continue;
        }
        if (is_coupled_) {
            others = std::min(others, turn.tick);
        }
        /* The end of the last job ends everything; while none has begun, so does a co-runner that
         * fails. */
        if (!own.is_told && (turn.is_told || !is_anybody_at_work_)) {
            others = std::min(others, end_of(turn, decision));
        }
    }
    return std::min(tick, std::max(own.tick + 1, others));
}

void Scheduler::look_again(const Channel &channel, std::uint64_t settled, std::uint64_t now)
{
    for (; settled != 0; settled &= settled - 1) {
        seats_[static_cast<std::size_t>(std::countr_zero(settled))].core.look_again();
    }
    bool is_any_waiting = false;
    for (Turn &turn : turns_) {
        if (turn.channel == &channel) {
            turn.tick = now;
            is_any_waiting = true;
        }
    }
    if (is_any_waiting) {
        wait_on(now);
    }
}

} // namespace laxity
