/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "decode/schedule.hpp"

#include "decode/registers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

using llvm::MCInst;
using llvm::MCInstrInfo;
using llvm::MCSchedClassDesc;
using llvm::MCSchedModel;
using llvm::MCSubtargetInfo;
using llvm::MCWriteLatencyEntry;

namespace laxity {

Schedule::Schedule(
    const MCSubtargetInfo &processor, const MCInstrInfo &instructions, std::uint32_t cycle_ticks
)
    : processor_{processor}, instructions_{instructions},
      itineraries_{processor.getInstrItineraryForCPU(processor.getCPU())},
      cycle_ticks_{cycle_ticks},
      width_{std::clamp(processor.getSchedModel().IssueWidth, 1U, cycle_ticks)}
{
}

void Schedule::begin_block()
{
    cycle_ = 0;
    slot_ = 0;
    free_cycle_ = 0;
    taken_ = 0;
    producers_.fill({});
}

bool Schedule::issue(const MCInst &instruction, const Operands &operands)
{
    Timing timing;
    if (!find_timing(instruction, operands, timing)) {
        return false;
    }
    const std::uint64_t operands_ready = ready(timing, operands);
    if (timing.model != nullptr) {
        place(operands_ready, timing.model->NumMicroOps, timing.model->BeginGroup);
        if (timing.model->EndGroup && taken_ > 0) {
            occupy(1);
        }
    } else {
        place(operands_ready, 1, false);
    }
    if (timing.model == nullptr && timing.stage_cycles == 0) {
        occupy(static_cast<std::uint64_t>(operands.listed));
    }
    const bool is_load = instructions_.get(instruction.getOpcode()).mayLoad();
    for (const Operand &operand : operands.writes) {
        write(operand, producer(timing, operand, is_load));
    }
    return true;
}

void Schedule::issue_unknown(const Operands &operands, std::uint32_t ticks)
{
    place(ready({}, operands), 1, true);
    occupy((ticks + cycle_ticks_ - 1) / cycle_ticks_);
    for (const Operand &operand : operands.writes) {
        write(operand, {.ready = free_cycle_});
    }
}

bool Schedule::find_timing(const MCInst &instruction, const Operands &operands, Timing &timing)
    const
{
    const MCSchedModel &model = processor_.getSchedModel();
    unsigned number = instructions_.get(instruction.getOpcode()).getSchedClass();
    if (!model.hasInstrSchedModel()) {
        if (itineraries_.isEmpty() ||
            itineraries_.beginStage(number) == itineraries_.endStage(number)) {
            return false;
        }
        timing.stage_cycles = itineraries_.getStageLatency(number);
        return true;
    }
    const MCSchedClassDesc *found = model.getSchedClassDesc(number);
    while (found->isVariant()) {
        number = processor_.resolveVariantSchedClass(
            number, &instruction, &instructions_, model.getProcessorID()
        );
        if (number == 0) {
            /* Told by how many registers an instruction lists, which LLVM asks of its compiler
             * only: one each cycle. */
            return operands.listed > 0;
        }
        found = model.getSchedClassDesc(number);
    }
    timing.model = found;
    return found->isValid();
}

/* The first cycle in which all operands are there. */
std::uint64_t Schedule::ready(const Timing &timing, const Operands &operands) const
{
    std::int64_t latest = 0;
    for (const Operand &operand : operands.reads) {
        for (std::size_t number = 0; number < operand.registers.size(); number++) {
            const Producer &from = producers_[number];
            if (!operand.registers[number] || from.ready == 0) {
                continue;
            }
            const int advance =
                timing.model == nullptr
                    ? 0
                    : processor_.getReadAdvanceCycles(timing.model, operand.index, from.write_id);
            latest = std::max(latest, static_cast<std::int64_t>(from.ready) - advance);
        }
    }
    return static_cast<std::uint64_t>(latest);
}

/* Into the first cycle that has room for it, or that it begins. */
void Schedule::place(std::uint64_t ready, unsigned micro_ops, bool begins_group)
{
    const std::uint32_t n = std::max(micro_ops, 1U);
    if (ready > free_cycle_) {
        free_cycle_ = ready;
        taken_ = 0;
    } else if (taken_ > 0 && (begins_group || taken_ + n > width_)) {
        free_cycle_++;
        taken_ = 0;
    }
    cycle_ = free_cycle_;
    slot_ = taken_;
    free_cycle_ += (taken_ + n) / width_;
    taken_ = (taken_ + n) % width_;
}

/* Nothing else is issued for so many cycles from the last instruction's on. */
void Schedule::occupy(std::uint64_t cycles)
{
    free_cycle_ = std::max(cycle_ + cycles, free_cycle_ + (taken_ > 0 ? 1 : 0));
    taken_ = 0;
}

Schedule::Producer
Schedule::producer(const Timing &timing, const Operand &operand, bool is_load) const
{
    const MCSchedModel &model = processor_.getSchedModel();
    const auto after = [this](unsigned cycles, unsigned write_id = 0) {
        return Producer{cycle_ + cycles, write_id};
    };
    if (timing.stage_cycles > 0) {
        return after(timing.stage_cycles);
    }
    if (timing.model != nullptr && operand.index < timing.model->NumWriteLatencyEntries) {
        const MCWriteLatencyEntry &entry =
            *processor_.getWriteLatencyEntry(timing.model, operand.index);
        /* Negative: LLVM has given up. */
        return entry.Cycles < 0 ? after(model.HighLatency)
                                : after(static_cast<unsigned>(entry.Cycles), entry.WriteResourceID);
    }
    if (is_load && (timing.model != nullptr || operand.position >= 0)) {
        return after(model.LoadLatency + static_cast<unsigned>(std::max(operand.position, 0)));
    }
    return after(1);
}

void Schedule::write(const Operand &operand, const Producer &producer)
{
    for (std::size_t number = 0; number < operand.registers.size(); number++) {
        if (operand.registers[number]) {
            producers_[number] = producer;
        }
    }
}

} // namespace laxity
