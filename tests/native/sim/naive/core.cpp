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
    const std::uint64_t others = std::min(waited, wait.request->held_up());
    wait.request->used_up += others;
    features_.held_up_ticks += others;
    spent.shared += others;
    ticks_of(spent, wait.request->cause) += waited - others;
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
        begin_instruction(core, *task);
        return;
    }
    const Step step = core.steps.front();
    switch (step.what) {
    case Step::What::Access:
        do_access(core, task);
        return;
    case Step::What::Operands:
        wait_for_operands(core, *task);
        return;
    case Step::What::Results:
        note_results(core, *task);
        break;
    case Step::What::Ticks:
        core.now += step.ticks;
        if (task != nullptr) {
            task->spent.busy += step.ticks;
            totals_.cores[core.number].instructions++;
        }
        break;
    }
    core.steps.pop_front();
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
    core.needs = instruction.needs;
    core.loads.clear();
}

void Stepper::do_access(Core &core, const Task *task)
{
    const By by{core.number, task == nullptr ? KERNEL : core.task, core.now};
    const Touch touch = core.steps.front().touch;
    const Answer answer = machine_.access(by, touch, core.has_waited);
    core.has_waited = answer.has_no_room;
    if (answer.has_no_room && answer.request == nullptr) {
        core.room_since = core.room_since.value_or(core.now);
    } else {
        core.room_since.reset();
    }
    if (!answer.has_no_room) {
        core.steps.pop_front();
        if (touch.kind == Kind::Load && answer.request != nullptr) {
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
    const bool are_writes_full = channel.n_undecided(false) < platform_.memory.read_queue;
    core.wait = Wait{
        .from = core.now,
        .request = nullptr,
        .channel = answer.channel,
        .is_others = channel.longest_undecided(are_writes_full) != core.number,
    };
}

/* Waits for one request; the step is done when there is none left. */
void Stepper::wait_for_operands(Core &core, Task &task)
{
    std::shared_ptr<Request> first;
    for (unsigned i = 0; i < LAXITY_SIM_REGISTERS; i++) {
        const std::shared_ptr<Request> &request = task.registers[i];
        if ((is_in(core.needs.reads, i) || is_in(core.needs.writes, i)) && request != nullptr &&
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
        if (is_in(core.needs.writes, i)) {
            task.registers[i] = last;
        }
    }
}

void Stepper::begin_switch(Core &core)
{
    const std::uint64_t line_bytes = platform_.line_bytes;
    const std::uint64_t data = (std::uint64_t{core.number} + 1) << KERNEL_DATA_SHIFT;
    for (std::uint64_t i = 0; i < platform_.kernel_code_lines; i++) {
        add_lines(core, Kind::Fetch, KERNEL, {i * line_bytes, line_bytes, false});
    }
    for (std::uint64_t i = 0; i < platform_.kernel_data_lines; i++) {
        add_lines(core, Kind::Load, KERNEL, {data + i * line_bytes, line_bytes, false});
    }
    if (core.steps.empty()) {
        core.now += platform_.switch_ticks; /* nothing is to be done on the core */
    } else {
        core.steps.push_back({Step::What::Ticks, {}, platform_.switch_ticks});
    }
}

} // namespace naive
