/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "decode/clocks.hpp"

#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace laxity {

namespace {

constexpr int ANY = -1;

struct Clock {
    const char *opcode; /* how LLVM's name of it begins */
    int operand;        /* that says what is read; ANY: the opcode alone */
    std::int64_t value;
    const char *name; /* as its users write it */
};

constexpr std::array CLOCKS{
    Clock{"RDTSC", ANY, 0, "rdtsc"},
    Clock{"RDPMC", ANY, 0, "rdpmc"},
    Clock{"RDRAND", ANY, 0, "rdrand"},
    Clock{"RDSEED", ANY, 0, "rdseed"},
    /* Arm: coprocessor 15, its register 14 of 64 bits, and its registers 9. */
    Clock{"MRRC", 4, 14, "cntvct"},
    Clock{"t2MRRC", 4, 14, "cntvct"},
    Clock{"MRC", 3, 9, "pmccntr"},
    Clock{"t2MRC", 3, 9, "pmccntr"},
    /* AArch64: op0 to op2, CRn and CRm as MRS has them. */
    Clock{"MRS", 1, 0xdf01, "cntpct_el0"},
    Clock{"MRS", 1, 0xdf02, "cntvct_el0"},
    Clock{"MRS", 1, 0xdf05, "cntpctss_el0"},
    Clock{"MRS", 1, 0xdf06, "cntvctss_el0"},
    Clock{"MRS", 1, 0xdce8, "pmccntr_el0"},
    Clock{"MRS", 1, 0xd920, "rndr"},
    Clock{"MRS", 1, 0xd921, "rndrrs"},
    Clock{"CSRRS", 1, 0xc00, "rdcycle"},
    Clock{"CSRRS", 1, 0xc01, "rdtime"},
    Clock{"CSRRS", 1, 0xc02, "rdinstret"},
    Clock{"MFTB", ANY, 0, "mftb"},
    Clock{"MFSPR", 1, 268, "mftb"},
    Clock{"MFSPR", 1, 269, "mftbu"},
};

} // namespace

const char *clock_of(const llvm::MCInst &instruction, const llvm::MCInstrInfo &instructions)
{
    const llvm::StringRef name = instructions.getName(instruction.getOpcode());
    const auto *const found = std::ranges::find_if(CLOCKS, [&](const Clock &clock) {
        const auto at = static_cast<unsigned>(clock.operand);
        return name.starts_with(clock.opcode) &&
               (clock.operand == ANY ||
                (at < instruction.getNumOperands() && instruction.getOperand(at).isImm() &&
                 instruction.getOperand(at).getImm() == clock.value));
    });
    return found == std::end(CLOCKS) ? nullptr : found->name;
}

} // namespace laxity
