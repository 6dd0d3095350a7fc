/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* When the instructions of a block are issued, in order, into an empty pipeline. */
#ifndef LAXITY_SIM_SCHEDULE_HPP
#define LAXITY_SIM_SCHEDULE_HPP

#include "decode/registers.hpp"
#include "interface/engine.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCInstrItineraries.h"
#include "llvm/MC/MCSubtargetInfo.h"

#include <array>
#include <cstdint>

namespace laxity {

class Schedule {
  public:
    Schedule(
        const llvm::MCSubtargetInfo &processor,
        const llvm::MCInstrInfo &instructions,
        std::uint32_t cycle_ticks
    );

    void begin_block();

    /* Issues an instruction. False: its latency is not known, and nothing has been done. */
    bool issue(const llvm::MCInst &instruction, const Operands &operands);
    /* One of which nothing is known but how long it takes; its operands are ready then. */
    void issue_unknown(const Operands &operands, std::uint32_t ticks);

    /* The tick at which the last one was issued. */
    [[nodiscard]] std::uint64_t issued() const
    {
        return cycle_ * cycle_ticks_ + slot_;
    }
    /* That at which the block is over: the first cycle in which nothing has been issued. */
    [[nodiscard]] std::uint64_t end() const
    {
        return (free_cycle_ + (taken_ > 0 ? 1 : 0)) * cycle_ticks_;
    }

  private:
    /* What is known of an instruction: a class of the model, an itinerary, or that it is a list. */
    struct Timing {
        const llvm::MCSchedClassDesc *model = nullptr;
        unsigned stage_cycles = 0; /* of an itinerary */
    };

    /* The last write of a register. */
    struct Producer {
        std::uint64_t ready = 0; /* the cycle */
        unsigned write_id = 0;   /* by which the model knows bypasses; 0: none */
    };

    bool
    find_timing(const llvm::MCInst &instruction, const Operands &operands, Timing &timing) const;
    [[nodiscard]] std::uint64_t ready(const Timing &timing, const Operands &operands) const;
    void place(std::uint64_t ready, unsigned micro_ops, bool begins_group);
    void occupy(std::uint64_t cycles);
    [[nodiscard]] Producer
    producer(const Timing &timing, const Operand &operand, bool is_load) const;
    void write(const Operand &operand, const Producer &producer);

    const llvm::MCSubtargetInfo &processor_;
    const llvm::MCInstrInfo &instructions_;
    llvm::InstrItineraryData itineraries_;
    std::uint32_t cycle_ticks_;
    std::uint32_t width_; /* instructions that are issued in a cycle; each takes a tick at least */

    /* The last instruction: its cycle, and which of that cycle it was. */
    std::uint64_t cycle_ = 0;
    std::uint32_t slot_ = 0;
    /* The next one: the first cycle that has room, and what is taken of it. */
    std::uint64_t free_cycle_ = 0;
    std::uint32_t taken_ = 0;
    std::array<Producer, LAXITY_SIM_REGISTERS> producers_{};
};

} // namespace laxity

#endif
