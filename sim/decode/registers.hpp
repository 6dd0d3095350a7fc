/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Which registers an instruction reads and writes, by number. */
#ifndef LAXITY_SIM_REGISTERS_HPP
#define LAXITY_SIM_REGISTERS_HPP

#include "decode/architecture.hpp"
#include "interface/engine.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"

#include <bitset>
#include <vector>

namespace laxity {

using RegisterSet = std::bitset<LAXITY_SIM_REGISTERS>;

/* What LLVM calls registers, as numbers: those that overlap have one in common. */
class Registers {
  public:
    Registers(const Architecture &architecture, const llvm::MCRegisterInfo &info);

    [[nodiscard]] const RegisterSet &of(llvm::MCRegister reg) const
    {
        return sets_[reg.id()];
    }
    [[nodiscard]] const llvm::MCRegisterInfo &info() const
    {
        return info_;
    }
    /* Registers that may be the base of a load which updates it. */
    [[nodiscard]] bool is_pointer(llvm::MCRegister reg) const
    {
        return pointer_class_ != nullptr && pointer_class_->contains(reg);
    }
    /* Those that instructions move without naming them, and not to what they load. */
    [[nodiscard]] const RegisterSet &implicit_pointers() const
    {
        return implicit_pointers_;
    }

    /* Null: there is none. */
    [[nodiscard]] const llvm::MCRegisterClass *find_class(const char *name) const;

  private:
    [[nodiscard]] llvm::MCRegister find(const char *name) const;

    const llvm::MCRegisterInfo &info_;
    std::vector<RegisterSet> sets_; /* by LLVM's register */
    const llvm::MCRegisterClass *pointer_class_ = nullptr;
    RegisterSet implicit_pointers_;
};

/* A register that is read or written, and the how many-th of those it is: LLVM's tables of an
 * instruction's latencies count so. */
struct Operand {
    RegisterSet registers;
    unsigned index;
    int position; /* in a list of registers that are loaded or stored one after the other; -1: in
                     none */
};

struct Operands {
    std::vector<Operand> reads;
    std::vector<Operand> writes;
    int listed = 0;      /* how many are in a list */
    RegisterSet read;    /* all of them */
    RegisterSet written; /* of a load, only by memory */
};

Operands operands_of(
    const llvm::MCInst &instruction,
    const llvm::MCInstrInfo &instructions,
    const Registers &registers
);

} // namespace laxity

#endif
