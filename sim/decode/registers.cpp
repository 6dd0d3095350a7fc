/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "decode/registers.hpp"

#include "decode/architecture.hpp"

#include <array>
#include <cctype>
#include <cstring>
#include <vector>

using llvm::MCInst;
using llvm::MCInstrDesc;
using llvm::MCInstrInfo;
using llvm::MCRegister;
using llvm::MCRegisterClass;
using llvm::MCRegisterInfo;
using llvm::StringRef;

namespace laxity {

namespace {

constexpr int NO_NUMBER = -1;
constexpr int NOT_LISTED = -1;

/* Numbers of LLVM's units of registers, given one after the other. */
class Numbering {
  public:
    explicit Numbering(const MCRegisterInfo &info)
        : info_{info}, numbers_(info.getNumRegUnits(), UNSEEN)
    {
    }

    void leave_out(MCRegister reg)
    {
        for (const auto unit : info_.regunits(reg)) {
            numbers_[unit] = NO_NUMBER;
        }
    }

    /* All parts of it that have no number get the same one. */
    void give(MCRegister reg)
    {
        bool is_used = false;
        for (const auto unit : info_.regunits(reg)) {
            if (numbers_[unit] == UNSEEN) {
                numbers_[unit] = next_;
                is_used = true;
            }
        }
        /* What is beyond the last number (control registers of x86, matrices) shares it. */
        if (is_used && next_ < LAXITY_SIM_REGISTERS - 1) {
            next_++;
        }
    }

    void give_rest()
    {
        for (unsigned reg = 1; reg < info_.getNumRegs(); reg++) {
            for (const auto unit : info_.regunits(reg)) {
                if (numbers_[unit] == UNSEEN) {
                    numbers_[unit] = next_;
                    next_ += next_ < LAXITY_SIM_REGISTERS - 1 ? 1 : 0;
                }
            }
        }
    }

    [[nodiscard]] RegisterSet of(MCRegister reg) const
    {
        RegisterSet set;
        for (const auto unit : info_.regunits(reg)) {
            if (numbers_[unit] >= 0) {
                set.set(static_cast<std::size_t>(numbers_[unit]));
            }
        }
        return set;
    }

  private:
    static constexpr int UNSEEN = -2;

    const MCRegisterInfo &info_;
    std::vector<int> numbers_;
    int next_ = 0;
};

/* Registers behind the first one, in its class, that an instruction uses without naming them. */
struct Unnamed {
    const char *class_name;
    unsigned count;
};

Unnamed unnamed_registers(StringRef opcode, unsigned first)
{
    constexpr unsigned LAST_GPR = 31;
    if (opcode == "LMW" || opcode == "STMW") { /* of PowerPC: up to the last one */
        return {"GPRC", LAST_GPR - first};
    }
    /* Of ARM's NEON: the disassembler gives lists of three and four by their first register. */
    if (opcode.starts_with("VLD2q") || opcode.starts_with("VST2q")) {
        return {"DPR", 3};
    }
    if (opcode.consume_front("VLD1d") || opcode.consume_front("VST1d")) {
        opcode = opcode.drop_while([](char c) { return std::isdigit(c) != 0; });
        return {"DPR", opcode.starts_with("T") ? 2U : opcode.starts_with("Q") ? 3U : 0U};
    }
    return {nullptr, 0};
}

class Collector {
  public:
    Collector(
        const MCInst &instruction, const MCInstrInfo &instructions, const Registers &registers
    )
        : instruction_{instruction}, description_{instructions.get(instruction.getOpcode())},
          registers_{registers}, opcode_{instructions.getName(instruction.getOpcode())}
    {
        const unsigned n = instruction.getNumOperands();
        for (unsigned i = 0; i < n; i++) {
            if (instruction.getOperand(i).isReg()) {
                add(i);
            }
        }
        for (const MCRegister reg : description_.implicit_uses()) {
            read(registers.of(reg), NOT_LISTED);
        }
        for (const MCRegister reg : description_.implicit_defs()) {
            const RegisterSet &set = registers.of(reg);
            write(set, NOT_LISTED, (set & registers.implicit_pointers()).any());
        }
    }

    Operands operands;

  private:
    void read(const RegisterSet &set, int position)
    {
        operands.read |= set;
        operands.reads.push_back({set, static_cast<unsigned>(operands.reads.size()), position});
    }

    void write(const RegisterSet &set, int position, bool is_update)
    {
        if (!is_update) {
            operands.written |= set;
        }
        operands.writes.push_back({set, static_cast<unsigned>(operands.writes.size()), position});
    }

    /* Of the last operand on there may be a list. */
    [[nodiscard]] bool is_listed(unsigned index) const
    {
        return description_.isVariadic() && index + 1 >= description_.getNumOperands();
    }

    [[nodiscard]] bool is_written(unsigned index) const
    {
        if (is_listed(index)) {
            return description_.variadicOpsAreDefs() || description_.mayLoad();
        }
        return index < description_.getNumDefs() ||
               (index < description_.getNumOperands() &&
                description_.operands()[index].isOptionalDef());
    }

    /* The base of a load, updated. Not of an instruction that stores, too: it exchanges a value. */
    [[nodiscard]] bool is_update(unsigned index, MCRegister reg) const
    {
        if (!description_.mayLoad() || description_.mayStore() || !registers_.is_pointer(reg)) {
            return false;
        }
        for (unsigned i = 0; i < description_.getNumOperands(); i++) {
            if (description_.getOperandConstraint(i, llvm::MCOI::TIED_TO) ==
                static_cast<int>(index)) {
                return true;
            }
        }
        return false;
    }

    void add(unsigned index)
    {
        const MCRegister reg = instruction_.getOperand(index).getReg();
        RegisterSet set = registers_.of(reg);
        const int position = is_listed(index) && reg.isValid() ? operands.listed++ : NOT_LISTED;
        if (reg.isValid() && names_data(index)) {
            set |= unnamed(registers_.info().getEncodingValue(reg));
        }
        if (is_written(index)) {
            write(set, position, is_update(index, reg));
        } else {
            read(set, position);
        }
    }

    /* Whether it is no address: vectors are none, nor is the first operand. */
    [[nodiscard]] bool names_data(unsigned index) const
    {
        return index == 0 || !registers_.is_pointer(instruction_.getOperand(index).getReg());
    }

    [[nodiscard]] RegisterSet unnamed(unsigned first) const
    {
        const Unnamed behind = unnamed_registers(opcode_, first);
        RegisterSet set;
        if (behind.count == 0) {
            return set;
        }
        for (const MCRegister reg : *registers_.find_class(behind.class_name)) {
            const unsigned distance = registers_.info().getEncodingValue(reg) - first;
            if (distance >= 1 && distance <= behind.count) {
                set |= registers_.of(reg);
            }
        }
        return set;
    }

    const MCInst &instruction_;
    const MCInstrDesc &description_;
    const Registers &registers_;
    StringRef opcode_;
};

} // namespace

Registers::Registers(const Architecture &architecture, const MCRegisterInfo &info)
    : info_{info}, sets_(info.getNumRegs())
{
    Numbering numbering{info};
    for (const char *const name : architecture.no_registers) {
        if (name != nullptr) {
            numbering.leave_out(find(name));
        }
    }
    for (const char *const name : architecture.whole_classes) {
        if (const MCRegisterClass *const whole = name != nullptr ? find_class(name) : nullptr) {
            for (const MCRegister reg : *whole) {
                numbering.give(reg);
            }
        }
    }
    numbering.give_rest();
    for (unsigned reg = 1; reg < info.getNumRegs(); reg++) {
        sets_[reg] = numbering.of(reg);
    }
    for (const char *const name : architecture.pointers) {
        if (name != nullptr) {
            implicit_pointers_ |= of(find(name));
        }
    }
    if (architecture.pointer_class != nullptr) {
        pointer_class_ = find_class(architecture.pointer_class);
    }
}

MCRegister Registers::find(const char *name) const
{
    for (unsigned reg = 1; reg < info_.getNumRegs(); reg++) {
        if (std::strcmp(info_.getName(reg), name) == 0) {
            return reg;
        }
    }
    return {};
}

const MCRegisterClass *Registers::find_class(const char *name) const
{
    for (const MCRegisterClass &candidate : info_.regclasses()) {
        if (std::strcmp(info_.getRegClassName(&candidate), name) == 0) {
            return &candidate;
        }
    }
    return nullptr;
}

Operands
operands_of(const MCInst &instruction, const MCInstrInfo &instructions, const Registers &registers)
{
    return std::move(Collector{instruction, instructions, registers}.operands);
}

} // namespace laxity
