/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "core.hpp"

#include "interface/engine.h"
#include "machine.hpp"
#include "program.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace naive {

namespace {

constexpr unsigned SET_BITS = 64;
constexpr unsigned KERNEL_DATA_SHIFT = 40; /* to where the kernel's data of core 0 lies */
constexpr std::uint64_t TIMER_ADDRESS = std::uint64_t{1} << 39U; /* code; data lies so far behind */
constexpr std::uint64_t READ_ADDRESS = std::uint64_t{3} << 38U;  /* likewise */
constexpr unsigned WEAKLY_TAKEN = 2;                             /* of a predictor's counter */
constexpr unsigned STRONGLY_TAKEN = 3;

bool is_in(const std::uint64_t *set, unsigned number)
{
    return (set[number / SET_BITS] >> number % SET_BITS & 1) != 0;
}

std::uint64_t &ticks_of(Spent &spent, Cause cause)
{
    switch (cause) {
    case Cause::Own:
        return spent.own;
    case Cause::Reload:
        return spent.reload;
    case Cause::Moved:
        return spent.moved;
    case Cause::Shared:
        break;
    }
    return spent.shared;
}

} // namespace

std::optional<std::uint64_t> Core::next_action() const
{
    if (state == State::Idle) {
        return std::nullopt;
    }
    if (!wait) {
        return now;
    }
    return wait->request != nullptr ? wait->request->done() : wait->decided;
}

void Stepper::account(const Wait &wait, std::uint64_t now, Spent &spent)
{
    const std::uint64_t waited = now - wait.from;
    if (wait.request == nullptr) {
        (wait.is_others ? spent.shared : spent.own) += waited;
        return;
    }
    Request &request = *wait.request;
    const std::uint64_t others = std::min(waited, request.held_up());
    request.held_up_used += others;
    features_.held_up_ticks += others;
    spent.shared += others;
    const std::uint64_t away = std::min(waited - others, request.away());
    request.away_used += away;
    features_.away_ticks += away;
    spent.moved += away;
    ticks_of(spent, request.cause) += waited - others - away;
}

void Stepper::end_wait(Core &core, Task *task)
{
    core.now = core.next_action().value_or(core.now); /* it is called at that tick */
    if (task != nullptr && core.wait) {
        account(*core.wait, core.now, task->spent);
    }
    core.wait.reset();
}

void Stepper::go_on(Core &core, Task *task)
{
    if (core.wait) {
        end_wait(core, task);
        return;
    }
    if (core.steps.empty()) {
        if (platform_.timer_interval > 0 && core.now >= core.next_timer) {
            interrupt(core, *task);
        } else if (core.is_read) {
            read_counters(core, *task);
        } else {
            begin_instruction(core, *task);
        }
        return;
    }
    switch (core.steps.front().what) {
    case Step::What::Access:
        do_access(core, task);
        return;
    case Step::What::Operands:
        wait_for_operands(core, *task);
        return;
    default:
        break;
    }
    const Step step = core.steps.front();
    core.steps.pop_front();
    core.now += step.ticks;
    if (step.what == Step::What::Return) {
        end_interrupt(core);
    } else if (step.what == Step::What::HasRead) {
        core.is_interrupted = false;
        core.is_read = false;
        core.read_until = core.now;
        features_.reads++;
    } else if (task != nullptr) {
        do_step(core, *task, step);
    }
}

/* Of those that take their ticks, and whose task is known. */
void Stepper::do_step(Core &core, Task &task, const Step &step)
{
    if (step.what == Step::What::Results) {
        note_results(core, task);
    } else if (step.what == Step::What::Walked) {
        ticks_of(task.spent, step.cause) += step.ticks;
    } else {
        task.spent.busy += step.ticks;
        totals_.cores[core.number].instructions++;
        if (core.instruction.is_last) {
            branch(core, task);
        }
    }
}

/* A step for each line. */
void Stepper::add_lines(Core &core, Kind kind, std::uint32_t task, const Access &access)
{
    const std::uint64_t end = access.address + access.bytes;
    for (std::uint64_t address = access.address; address < end;) {
        const std::uint64_t first = address % platform_.line_bytes;
        const std::uint64_t bytes = std::min(platform_.line_bytes - first, end - address);
        const std::uint64_t line = machine_.line_of(task, address);
        core.steps.push_back({Step::What::Access, {kind, line, first, bytes}});
        address += bytes;
    }
}

void Stepper::begin_instruction(Core &core, Task &task)
{
    const Instruction instruction = task.program.take();
    if (instruction.execution != task.execution) {
        task.fetched.reset();
    }
    task.execution = instruction.execution;
    const Access code{instruction.address, instruction.needs.bytes, false};
    add_lines(core, Kind::Fetch, core.task, code);
    std::deque<Step> fetches;
    std::swap(fetches, core.steps);
    for (const Step &fetch : fetches) {
        if (task.fetched != fetch.touch.line) {
            core.steps.push_back(fetch);
        }
        task.fetched = fetch.touch.line;
    }
    core.steps.push_back({Step::What::Operands});
    for (const Access &access : instruction.accesses) {
        add_lines(core, access.is_store ? Kind::Store : Kind::Load, core.task, access);
    }
    core.steps.push_back({Step::What::Results});
    core.steps.push_back({Step::What::Ticks, {}, instruction.needs.ticks});
    core.instruction = instruction;
    core.loads.clear();
}

/* From the block whose last instruction has been executed to the next one, if there is one. */
void Stepper::branch(Core &core, Task &task)
{
    const std::optional<std::uint64_t> next = task.program.block_behind(core.instruction);
    if (platform_.predictor_entries == 0 || !next) {
        return;
    }
    const Instruction &last = core.instruction;
    unsigned &counter = core.counters[last.address / 2 % platform_.predictor_entries];
    const bool is_taken = *next != last.address + last.needs.bytes;
    const bool is_predicted = counter >= WEAKLY_TAKEN;
    if (is_taken) {
        counter = std::min(counter + 1, STRONGLY_TAKEN);
    } else {
        counter -= counter > 0 ? 1 : 0;
    }
    if (is_taken != is_predicted) {
        (is_predicted ? features_.wrongly_taken : features_.wrongly_not_taken)++;
        totals_.cores[core.number].mispredictions++;
        task.spent.busy += platform_.mispredict_ticks;
        core.now += platform_.mispredict_ticks;
    }
}

void Stepper::do_access(Core &core, const Task *task)
{
    const By by{core.number, task == nullptr ? KERNEL : core.task, core.now};
    if (task != nullptr && add_walk(core, by)) {
        return;
    }
    Touch touch = core.steps.front().touch;
    if (task != nullptr && touch.kind == Kind::Load && !touch.is_walk) {
        touch.loaded_by = (std::uint64_t{core.task} << SPACE_SHIFT) + core.instruction.address;
    }
    const Answer answer = machine_.access(by, touch, core.has_waited);
    core.has_waited = answer.has_no_room;
    if (answer.has_no_room && answer.request == nullptr) {
        core.room_since = core.room_since.value_or(core.now);
    } else {
        core.room_since.reset();
    }
    if (!answer.has_no_room) {
        core.steps.pop_front();
        if (touch.kind == Kind::Load && !touch.is_walk && answer.request != nullptr) {
            core.loads.push_back(answer.request);
        }
    }
    if (!answer.waits) {
        return;
    }
    if (answer.request != nullptr) {
        if (answer.request->is_outstanding(core.now)) {
            core.wait = Wait{.from = core.now, .request = answer.request};
        }
        return;
    }
    const Channel &channel = machine_.channels[answer.channel];
    core.wait = Wait{
        .from = core.now,
        .request = nullptr,
        .channel = answer.channel,
        .is_others = channel.longest_undecided(!channel.is_full(false)) != core.number,
    };
}

/* Of the page that is accessed next, if it is missed: false if it is not. */
bool Stepper::add_walk(Core &core, const By &by)
{
    Step &access = core.steps.front();
    if (access.has_page) {
        return false;
    }
    access.has_page = true;
    const std::optional<Cause> cause = machine_.miss_page(by, access.touch);
    if (!cause) {
        return false;
    }
    std::deque<Step> steps;
    for (const std::uint64_t line : machine_.walk_lines(by, access.touch.line)) {
        steps.push_back({Step::What::Access, {.kind = Kind::Load, .line = line, .is_walk = true}});
        steps.back().has_page = true;
    }
    steps.push_back({Step::What::Walked, {}, platform_.walk_ticks, *cause});
    core.steps.insert(core.steps.begin(), steps.begin(), steps.end());
    return true;
}

/* Waits for one request; the step is done when there is none left. */
void Stepper::wait_for_operands(Core &core, Task &task)
{
    const laxity_sim_instruction &needs = core.instruction.needs;
    std::shared_ptr<Request> first;
    for (unsigned i = 0; i < LAXITY_SIM_REGISTERS; i++) {
        const std::shared_ptr<Request> &request = task.registers[i];
        if ((is_in(needs.reads, i) || is_in(needs.writes, i)) && request != nullptr &&
            request->is_outstanding(core.now) &&
            (first == nullptr || request->number < first->number)) {
            first = request;
        }
    }
    if (first == nullptr) {
        core.steps.pop_front();
        return;
    }
    features_.waits_for_operands++;
    core.wait = Wait{.from = core.now, .request = first};
}

void Stepper::note_results(Core &core, Task &task)
{
    if (platform_.fill_buffers == 0) {
        return;
    }
    std::shared_ptr<Request> last;
    for (const std::shared_ptr<Request> &request : core.loads) {
        if (request->is_outstanding(core.now) &&
            (last == nullptr || request->number > last->number)) {
            last = request;
        }
    }
    for (unsigned i = 0; i < LAXITY_SIM_REGISTERS; i++) {
        if (is_in(core.instruction.needs.writes, i)) {
            task.registers[i] = last;
        }
    }
}

void Stepper::add_kernel_lines(
    Core &core, std::uint64_t address, std::uint64_t n_code_lines, std::uint64_t n_data_lines
)
{
    const std::uint64_t line_bytes = platform_.line_bytes;
    const std::uint64_t data = ((std::uint64_t{core.number} + 1) << KERNEL_DATA_SHIFT) + address;
    for (std::uint64_t i = 0; i < n_code_lines; i++) {
        add_lines(core, Kind::Fetch, KERNEL, {address + i * line_bytes, line_bytes, false});
    }
    for (std::uint64_t i = 0; i < n_data_lines; i++) {
        add_lines(core, Kind::Load, KERNEL, {data + i * line_bytes, line_bytes, false});
    }
}

void Stepper::set_timer(Core &core) const
{
    if (platform_.timer_interval > 0) {
        core.next_timer = (core.now / platform_.timer_interval + 1) * platform_.timer_interval;
    }
}

void Stepper::interrupt(Core &core, Task &task)
{
    core.is_interrupted = true;
    task.fetched.reset();
    add_kernel_lines(core, TIMER_ADDRESS, platform_.timer_code_lines, platform_.timer_data_lines);
    core.steps.push_back({Step::What::Return, {}, platform_.timer_ticks});
}

void Stepper::read_counters(Core &core, Task &task)
{
    core.is_interrupted = true;
    task.fetched.reset();
    add_kernel_lines(core, READ_ADDRESS, platform_.probe_code_lines, platform_.probe_data_lines);
    core.steps.push_back({Step::What::HasRead, {}, platform_.probe_ticks});
}

void Stepper::end_interrupt(Core &core)
{
    core.is_interrupted = false;
    set_timer(core);
    features_.interrupts++;
    features_.interrupts_before_stops += core.state == State::Stopping ? 1 : 0;
}

void Stepper::begin_switch(Core &core)
{
    add_kernel_lines(core, 0, platform_.kernel_code_lines, platform_.kernel_data_lines);
    if (core.steps.empty()) {
        core.now += platform_.switch_ticks; /* nothing is to be done on the core */
    } else {
        core.steps.push_back({Step::What::Ticks, {}, platform_.switch_ticks});
    }
}

} // namespace naive
