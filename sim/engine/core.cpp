/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "engine/core.hpp"

#include "engine/hierarchy.hpp"
#include "engine/reader.hpp"
#include "interface/engine.h"
#include "model/lost.hpp"
#include "model/memory.hpp"
#include "model/strides.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace laxity {

Core::Core(
    const laxity_sim_platform &platform, std::uint32_t number, Hierarchy &hierarchy, Turn &turn
)
    : platform_(platform), number_(number),
      line_shift_(static_cast<unsigned>(std::countr_zero(platform.line_bytes))),
      hierarchy_(hierarchy), own_(hierarchy.own(number)),
      is_plain_(
          platform.predictor_entries == 0 && platform.itlb.size_bytes == 0 &&
          platform.dtlb.size_bytes == 0 && !hierarchy.has_uncached()
      ),
      branches_(platform.predictor_entries), turn_(turn)
{
}

void Core::set_next(Next next)
{
    turn_.next = next;
    turn_.tick = now_;
}

void Core::begin(const Execution &execution, std::uint64_t now)
{
    execution_ = execution;
    now_ = now;
    action_ = NEVER;
    stage_ = Stage::Boundary;
    wait_ = Wait::Nothing;
    operands_.clear();
    waiting_.reset();
    own_.loaded.clear();
    is_asked_ = false;
    is_draining_ = false;
    if (execution.reader != nullptr) {
        set_timer();
        at_boundary(now); /* it may have ended at once */
    }
}

void Core::leave()
{
    execution_ = {};
    wait_ = Wait::Nothing;
    is_asked_ = false;
    turn_.next = Next::Nothing;
    turn_.channel = nullptr;
    turn_.tick = NEVER;
    turn_.room_since = NEVER;
}

void Core::ask_to_stop()
{
    is_asked_ = true;
    if (stage_ == Stage::Boundary && wait_ == Wait::Nothing && turn_.next == Next::GoOn) {
        turn_.next = Next::Stopped;
    }
}

bool Core::drain(std::uint64_t now)
{
    if (!is_draining_) {
        is_draining_ = true;
        hierarchy_.send_merging(number_, now);
    }
    turn_.tick = std::max(now, hierarchy_.loads_done(number_));
    return turn_.tick == now;
}

void Core::wait_for_request(Wait why, std::uint64_t request)
{
    wait_ = why;
    wait_request_ = request;
    wait_since_ = now_;
    turn_.next = Next::GoOn;
    turn_.tick = std::max(now_, own_.requests.find(request)->done);
    turn_.room_since = NEVER;
}

void Core::wait_for_room(Channel &channel, const Room &room)
{
    wait_ = Wait::Channel;
    turn_.next = Next::GoOn;
    turn_.channel = &channel;
    turn_.room = room;
    turn_.room_since = std::min(turn_.room_since, now_);
    begin_wait_for_room(channel.oldest_core());
}

void Core::begin_wait_for_room(std::uint32_t oldest)
{
    wait_since_ = now_;
    is_wait_shared_ = oldest != number_;
    turn_.tick = NEVER;
}

void Core::wait_on(std::uint64_t now, std::uint32_t oldest)
{
    action_ = now;
    end_wait();
    wait_ = Wait::Channel;
    begin_wait_for_room(oldest);
}

void Core::look_again()
{
    if (turn_.tick != NEVER) {
        return;
    }
    if (turn_.next == Next::Stopped) {
        turn_.tick = hierarchy_.loads_done(number_);
    } else if (wait_ == Wait::Line || wait_ == Wait::Room) {
        turn_.tick = std::max(now_, own_.requests.find(wait_request_)->done);
    }
}

/* What was waited for is there, or there may be room. */
void Core::end_wait()
{
    std::uint64_t ticks = action_ - wait_since_;
    if (accessor() != KERNEL) { /* whose time is nobody's */
        std::array<std::uint64_t, 4> &stalls = execution_.spent->stalls;
        if (wait_ == Wait::Channel) {
            stalls[static_cast<std::size_t>(is_wait_shared_ ? Cause::Shared : Cause::Own)] += ticks;
        } else if (Request *const request = own_.requests.find(wait_request_)) {
            const std::uint64_t shared = std::min(ticks, request->held_up);
            request->held_up -= shared;
            stalls[static_cast<std::size_t>(Cause::Shared)] += shared;
            ticks -= shared;
            const std::uint64_t moved = std::min(ticks, request->away);
            request->away -= moved;
            stalls[static_cast<std::size_t>(Cause::Moved)] += moved;
            ticks -= moved;
            stalls[static_cast<std::size_t>(request->cause)] += ticks;
        }
    }
    wait_ = Wait::Nothing;
    now_ = action_;
}

void Core::go_on(std::uint64_t horizon)
{
    action_ = turn_.tick;
    action_since_ = turn_.since();
    turn_.channel = nullptr;
    if (wait_ != Wait::Nothing) {
        end_wait();
    }
    if (execution_.reader == nullptr) {
        run_kernel();
    } else {
        run(horizon);
    }
}

/* Whose access of data it is. */
std::uint64_t Core::instruction() const
{
    return stage_ == Stage::Lines
               ? execution_.position->block->steps[execution_.position->index].address
               : NO_INSTRUCTION;
}

/* Tells whether the line is dealt with. If not, or if it must be waited for, the core pauses. */
bool Core::touch(Kind kind, std::uint64_t line, bool must_wait)
{
    const bool is_in_turn = this->is_in_turn();
    const bool may_wait = must_wait && kind != Kind::Store;
    if ((!is_in_turn && !may_be_taken() && !(may_wait && own_.requests.outstanding(line, now_)) &&
         hierarchy_.touch_privately(own_, kind, line, bytes_, now_)) ||
        hierarchy_.touch_own(own_, number_, line)) {
        return true;
    }
    if (!is_in_turn) {
        is_paused_ = true;
        set_next(Next::GoOn);
        return false;
    }
    const Answer answer = hierarchy_.touch(
        {.core = number_,
         .task = accessor(),
         .kind = kind,
         .line = line,
         .written = kind == Kind::Store && platform_.merges_stores
                        ? hierarchy_.written_of(line, bytes_)
                        : 0,
         .is_walk = stage_ == Stage::Walk,
         .instruction = instruction()},
        now_
    );
    switch (answer.what) {
    case Answer::WaitsRequest:
        is_paused_ = true;
        wait_for_request(Wait::Room, answer.request);
        return false;
    case Answer::WaitsChannel:
        is_paused_ = true;
        wait_for_room(*answer.channel, answer.room);
        return false;
    case Answer::Asked:
        turn_.room_since = NEVER;
        if (must_wait && !(answer.is_joined && kind == Kind::Store)) {
            is_paused_ = true;
            wait_for_request(Wait::Line, answer.request);
        } else if (kind == Kind::Load) {
            own_.loaded.push_back(answer.request);
        }
        return true;
    case Answer::Done:
        turn_.room_since = NEVER;
        break;
    }
    return true;
}

/* Likewise, of the task's line that it is at. */
bool Core::touch_line(Kind kind, bool must_wait)
{
    return find_page(kind, line_) &&
           touch(kind, execution_.reader->shared().line_of(line_), must_wait);
}

void Core::run(std::uint64_t horizon)
{
    is_paused_ = false;
    while (!is_paused_) {
        switch (stage_) {
        case Stage::Boundary:
            at_boundary(horizon);
            break;
        case Stage::Fetch:
            fetch();
            if (stage_ != Stage::Operands) {
                break;
            }
            [[fallthrough]];
        case Stage::Operands:
            operands();
            if (stage_ != Stage::Within) {
                break;
            }
            [[fallthrough]];
        case Stage::Within:
            if (may_be_taken()) {
                is_paused_ = true;
                set_next(Next::GoOn);
            } else {
                (void)run_blocks(is_asked_ || is_probed_ ? 0 : std::min(horizon, timer_tick_));
            }
            break;
        case Stage::Lines:
            lines();
            break;
        case Stage::Walk:
            walk();
            break;
        case Stage::Timer:
        case Stage::Probe:
            interrupt();
            break;
        }
    }
}

/* Whether what comes next ends the job, well or not. */
bool Core::ends_here(Event event)
{
    Reader &reader = *execution_.reader;
    const Position &position = *execution_.position;
    const std::size_t n = position.block == nullptr ? 0 : position.block->n_steps;
    const bool is_over = position.index >= n;
    bool is_failed = event == Event::End && is_over;
    bool is_finished = false;
    if (event == Event::JobFinish) {
        is_finished = is_over || position.index >= reader.access().index();
    } else if (event == Event::Access) {
        const unsigned index = reader.access().index();
        if (is_over || index < position.index || index >= n) {
            is_failed = true;
            reader.fail("its stream has an access out of order");
        } else if (reader.is_forbidden(reader.access())) {
            is_failed = true;
            reader.fail("it stores to memory that it shares with other tasks");
        }
    }
    if (is_failed || is_finished) {
        is_paused_ = true;
        set_next(is_finished ? Next::Finished : Next::Failed);
    }
    return is_paused_;
}

/* Where an instruction begins, a job ends, or the core stops. */
void Core::at_boundary(std::uint64_t horizon)
{
    Reader &reader = *execution_.reader;
    Position &position = *execution_.position;
    is_paused_ = false;
    for (;;) {
        const Event event = reader.peek();
        if (event == Event::JobStart) {
            reader.take(); /* within a job it means nothing */
            continue;
        }
        if (ends_here(event)) {
            return;
        }
        if (!std::exchange(is_at_limit_, false) && !is_asked_ && !is_probed_ &&
            run_blocks(std::min(horizon, timer_tick_))) {
            if (stage_ != Stage::Boundary || is_paused_) {
                return;
            }
            continue;
        }
        if (is_in_block()) {
            break;
        }
        /* Its first instruction may be the one with the finish mark. */
        position = {.block = &reader.block(), .index = 0, .fetched = NEVER};
        reader.take();
    }
    if (stop_or_pause(horizon)) {
        return;
    }
    if (now_ >= timer_tick_ || is_probed_) {
        kernel_line_ = 0;
        stage_ = now_ >= timer_tick_ ? Stage::Timer : Stage::Probe;
        return;
    }
    const Step &step = position.block->steps[position.index];
    line_ = step.first_line;
    last_line_ = step.last_line;
    stage_ = Stage::Fetch;
}

bool Core::stop_or_pause(std::uint64_t horizon)
{
    if (!is_asked_ && now_ < horizon) {
        return false;
    }
    is_paused_ = true;
    set_next(is_asked_ ? Next::Stopped : Next::GoOn);
    return true;
}

void Core::fetch()
{
    Position &position = *execution_.position;
    while (line_ <= last_line_) {
        if (line_ != position.fetched) {
            if (!touch_line(Kind::Fetch, true)) {
                return;
            }
            position.fetched = line_;
        }
        line_++;
        if (is_paused_) {
            return;
        }
    }
    stage_ = Stage::Operands;
}

/* Registers that wait for loads. */
void Core::operands()
{
    const Position &position = *execution_.position;
    const Step &step = position.block->steps[position.index];
    std::erase_if(operands_, [this](const Operand &operand) {
        const Request *const request = own_.requests.find(operand.request);
        return request == nullptr || request->done <= now_;
    });
    waiting_.reset();
    std::uint64_t first = NEVER; /* of those that it needs */
    for (const Operand &operand : operands_) {
        waiting_ |= operand.registers;
        if (first == NEVER && (operand.registers & step.needs).any()) {
            first = operand.request;
        }
    }
    if (first != NEVER) {
        is_paused_ = true;
        wait_for_request(Wait::Line, first);
        return;
    }
    stage_ = Stage::Within;
}

void Core::take_access(const Access &access)
{
    const std::uint64_t begin = (std::uint64_t{execution_.task} << SPACE_SHIFT) + access.address();
    bytes_ = {.begin = begin, .end = begin + access.bytes()};
    line_ = bytes_.begin >> line_shift_;
    last_line_ = (bytes_.end - 1) >> line_shift_;
    is_store_ = access.is_store();
}

void Core::lines()
{
    const bool must_wait = (is_store_ ? platform_.store_entries : platform_.fill_buffers) == 0;
    while (line_ <= last_line_) {
        if (!touch_line(kind(), must_wait)) {
            return;
        }
        line_++;
        if (is_paused_) {
            return;
        }
    }
    stage_ = Stage::Within;
}

/* All of a block has been executed: what its branch costs. */
void Core::judge_branch(const Block &block)
{
    Reader &reader = *execution_.reader;
    if (!branches_.exists() || reader.peek() != Event::Block) {
        return;
    }
    const bool is_taken = reader.block().address != block.end_address;
    if (!branches_.learn(block.last_address, is_taken)) {
        own_.counts.mispredictions++;
        now_ += platform_.mispredict_ticks;
        execution_.spent->busy += platform_.mispredict_ticks;
    }
}

/* Those of the instructions of the block up to one, the last of which has been done but for its
 * ticks. No time has passed and none has been counted since the core came to where it is. */
void Core::make_marks(std::size_t until)
{
    const Position &position = *execution_.position;
    const Step *const steps = position.block->steps.data();
    const Spent &spent = *execution_.spent;
    for (const Mark &mark : execution_.reader->marks()) {
        if (mark.index < position.index || mark.index >= until) {
            continue;
        }
        const std::uint64_t ticks = steps[mark.index].offset - steps[position.index].offset;
        MadeMark made{.which = mark.which, .tick = now_ + ticks, .taken = {}};
        made.taken.counts = own_.counts;
        made.taken.counts.instructions += mark.index - position.index;
        made.taken.exec_ticks =
            std::accumulate(spent.stalls.begin(), spent.stalls.end(), spent.busy + ticks);
        made_marks_.push_back(made);
    }
    execution_.reader->take_marks_before(until);
}

/* An instruction of a block that has begun at a time makes no further access: what it writes waits
 * for the last of its loads. */
void Core::note_loads(const Step &step, std::uint64_t begun)
{
    const std::uint64_t now = begun + step.offset;
    std::uint64_t latest = NEVER;
    for (const std::uint64_t number : own_.loaded) {
        const Request *const request = own_.requests.find(number);
        if (request != nullptr && request->done > now && (latest == NEVER || number > latest)) {
            latest = number;
        }
    }
    if (latest != NEVER && step.writes.any()) {
        const Operand operand{.request = latest, .registers = step.writes};
        const auto place = std::ranges::upper_bound(operands_, latest, {}, &Operand::request);
        operands_.insert(place, operand);
        waiting_ |= step.writes;
    }
    own_.loaded.clear();
}

} // namespace laxity
