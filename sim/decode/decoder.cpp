/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Blocks through LLVM's disassembler, and what its tables say of their instructions. */
#include "interface/decoder.h"

#include "base/error.h"
#include "decode/architecture.hpp"
#include "decode/clocks.hpp"
#include "decode/code_state.hpp"
#include "decode/registers.hpp"
#include "decode/schedule.hpp"
#include "interface/engine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace laxity {

namespace {

/* Code of one state (ARM or Thumb; others have one only): LLVM takes them for two processors. */
class State {
  public:
    State(
        const llvm::Target &target,
        const llvm::MCRegisterInfo &registers,
        const char *triple,
        const std::string &processor,
        const char *features
    )
        : target_{target}, assembler_{target.createMCAsmInfo(registers, triple, options_)},
          processor_{target.createMCSubtargetInfo(triple, processor, features)},
          context_{llvm::Triple{triple}, assembler_.get(), &registers, processor_.get()}
    {
    }

    [[nodiscard]] const llvm::MCSubtargetInfo &processor() const
    {
        return *processor_;
    }

    /* A fresh one: it remembers what an IT instruction has said of those behind it. */
    [[nodiscard]] std::unique_ptr<llvm::MCDisassembler> disassembler()
    {
        return std::unique_ptr<llvm::MCDisassembler>{
            target_.createMCDisassembler(*processor_, context_)
        };
    }

  private:
    const llvm::Target &target_;
    llvm::MCTargetOptions options_;
    std::unique_ptr<llvm::MCAsmInfo> assembler_;
    std::unique_ptr<llvm::MCSubtargetInfo> processor_;
    llvm::MCContext context_;
};

/* Of an instruction. The emulator may have looked ahead, and taken that for a part of it. */
struct Bytes {
    std::uint8_t all;
    std::uint8_t ahead;
};

/* Behind the last instruction that begins in a page QEMU looks whether another one fits. */
constexpr std::uint8_t THUMB_AHEAD = 2;

class Decoder {
  public:
    Decoder(
        const llvm::Target &target,
        const Architecture &architecture,
        const laxity_sim_decoder_options &options
    )
        : registers_info_{target.createMCRegInfo(architecture.triple)},
          instructions_{target.createMCInstrInfo()}, registers_{architecture, *registers_info_},
          states_{options.program}
    {
        const bool is_scheduled = std::strcmp(options.scheduling, "none") != 0;
        const std::string processor = is_scheduled ? options.scheduling : "";
        state_ = std::make_unique<State>(
            target, *registers_info_, architecture.triple, processor, architecture.features
        );
        if (architecture.thumb_triple != nullptr) {
            thumb_ = std::make_unique<State>(
                target,
                *registers_info_,
                architecture.thumb_triple,
                processor,
                architecture.features
            );
        }
        if (is_scheduled) {
            schedule_ = std::make_unique<Schedule>(
                state_->processor(), *instructions_, options.cycle_ticks
            );
        }
    }

    void decode(
        std::uint64_t address,
        const std::uint8_t *code,
        laxity_sim_instruction *instructions,
        std::uint32_t n
    );
    void write_stats(laxity_sim_decoder_stats &stats) const;

  private:
    [[nodiscard]] bool is_thumb(
        std::uint64_t address, const laxity_sim_instruction *instructions, std::uint32_t n
    ) const;
    Operands decode_one(
        llvm::MCDisassembler &disassembler,
        std::uint64_t address,
        const std::uint8_t *code,
        Bytes bytes,
        llvm::MCInst &out_instruction
    );
    void issue(const llvm::MCInst &instruction, const Operands &operands, std::uint32_t ticks);

    std::unique_ptr<llvm::MCRegisterInfo> registers_info_;
    std::unique_ptr<llvm::MCInstrInfo> instructions_;
    Registers registers_;
    CodeStates states_;
    std::unique_ptr<State> state_;
    std::unique_ptr<State> thumb_;
    std::unique_ptr<Schedule> schedule_; /* null: ticks stay as they are */

    std::uint64_t decoded_ = 0;
    std::uint64_t undecodable_ = 0;
    std::map<unsigned, std::uint64_t> without_latency_; /* by opcode */
};

bool Decoder::is_thumb(
    std::uint64_t address, const laxity_sim_instruction *instructions, std::uint32_t n
) const
{
    constexpr std::uint64_t ARM_BYTES = 4;
    if (!thumb_) {
        return false;
    }
    const bool is_short =
        address % ARM_BYTES != 0 ||
        std::any_of(instructions, instructions + n, [](const laxity_sim_instruction &instruction) {
            return instruction.bytes != ARM_BYTES;
        });
    return is_short || states_.at(address) == CodeState::Thumb;
}

/* Without operands if it cannot be decoded; its opcode is 0 then. */
Operands Decoder::decode_one(
    llvm::MCDisassembler &disassembler,
    std::uint64_t address,
    const std::uint8_t *code,
    Bytes bytes,
    llvm::MCInst &out_instruction
)
{
    llvm::ArrayRef<std::uint8_t> left{code, bytes.all};
    std::uint64_t size = 0;
    /* One of LLVM's disassemblers reads the first byte of nothing. */
    auto status =
        left.empty()
            ? llvm::MCDisassembler::Fail
            : disassembler.getInstruction(out_instruction, size, left, address, llvm::nulls());
    /* LLVM takes x86's "lock" for an instruction. */
    while (status != llvm::MCDisassembler::Fail && size < left.size() &&
           instructions_->getName(out_instruction.getOpcode()).ends_with("_PREFIX")) {
        left = left.drop_front(size);
        out_instruction.clear();
        status = disassembler.getInstruction(out_instruction, size, left, address, llvm::nulls());
    }
    decoded_++;
    /* What is unpredictable is executed somehow, all the same. */
    if (status == llvm::MCDisassembler::Fail ||
        (size != left.size() && size + bytes.ahead != left.size())) {
        undecodable_++;
        out_instruction.clear();
        out_instruction.setOpcode(0);
        return {};
    }
    return operands_of(out_instruction, *instructions_, registers_);
}

void Decoder::issue(const llvm::MCInst &instruction, const Operands &operands, std::uint32_t ticks)
{
    const bool is_decoded = instruction.getOpcode() != 0;
    if (is_decoded && schedule_->issue(instruction, operands)) {
        return;
    }
    if (is_decoded) {
        without_latency_[instruction.getOpcode()]++;
    }
    schedule_->issue_unknown(operands, ticks);
}

void copy(const RegisterSet &set, std::uint64_t *words)
{
    constexpr std::size_t WORD_BITS = 64;
    for (std::size_t number = 0; number < set.size(); number++) {
        if (set[number]) {
            words[number / WORD_BITS] |= std::uint64_t{1} << (number % WORD_BITS);
        }
    }
}

void Decoder::decode(
    std::uint64_t address,
    const std::uint8_t *code,
    laxity_sim_instruction *instructions,
    std::uint32_t n
)
{
    const bool is_of_thumb = is_thumb(address, instructions, n);
    State &state = is_of_thumb ? *thumb_ : *state_;
    const auto disassembler = state.disassembler();
    if (schedule_) {
        schedule_->begin_block();
    }
    std::vector<std::uint64_t> issued;
    for (std::uint32_t i = 0; i < n; i++) {
        laxity_sim_instruction &instruction = instructions[i];
        llvm::MCInst decoded;
        const bool is_ahead = is_of_thumb && i + 1 == n;
        const Bytes bytes{instruction.bytes, is_ahead ? THUMB_AHEAD : std::uint8_t{0}};
        const Operands operands = decode_one(*disassembler, address, code, bytes, decoded);
        copy(operands.read, instruction.reads);
        copy(operands.written, instruction.writes);
        instruction.clock = clock_of(decoded, *instructions_);
        if (schedule_) {
            issue(decoded, operands, instruction.ticks);
            issued.push_back(schedule_->issued());
        }
        address += instruction.bytes;
        code += instruction.bytes;
    }
    if (schedule_) {
        issued.push_back(schedule_->end());
        for (std::uint32_t i = 0; i < n; i++) {
            instructions[i].ticks = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(issued[i + 1] - issued[i], UINT32_MAX)
            );
        }
    }
}

void Decoder::write_stats(laxity_sim_decoder_stats &stats) const
{
    stats = {};
    stats.instructions = decoded_;
    stats.undecodable = undecodable_;
    std::vector<std::pair<std::uint64_t, unsigned>> frequent;
    for (const auto &[opcode, count] : without_latency_) {
        stats.without_latency += count;
        frequent.emplace_back(count, opcode);
    }
    std::sort(frequent.begin(), frequent.end(), std::greater{});
    std::string names;
    for (const auto &[count, opcode] : frequent) {
        const std::string name = instructions_->getName(opcode).str();
        const std::string more = (names.empty() ? "" : " ") + name;
        if (names.size() + more.size() >= sizeof stats.opcodes) {
            break;
        }
        names += more;
    }
    std::memcpy(stats.opcodes, names.c_str(), names.size() + 1);
}

void decode(
    void *context,
    std::uint64_t address,
    const std::uint8_t *code,
    laxity_sim_instruction *instructions,
    std::uint32_t n_instructions
)
{
    static_cast<Decoder *>(context)->decode(address, code, instructions, n_instructions);
}

} // namespace

} // namespace laxity

int laxity_sim_decoder_open(
    const struct laxity_sim_decoder_options *options,
    struct laxity_sim_decoder *out_decoder,
    struct laxity_error *error
)
{
    const laxity::Architecture *const architecture =
        laxity::find_architecture(options->architecture);
    if (architecture == nullptr) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "unknown architecture \"%.40s\"", options->architecture
        );
    }
    laxity::initialize_targets();
    std::string problem;
    const llvm::Target *const target =
        llvm::TargetRegistry::lookupTarget(architecture->triple, problem);
    if (target == nullptr) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "LLVM: %.120s", problem.c_str());
    }
    const bool is_scheduled = std::strcmp(options->scheduling, "none") != 0;
    const std::unique_ptr<llvm::MCSubtargetInfo> any{
        target->createMCSubtargetInfo(architecture->triple, "", "")
    };
    if (is_scheduled && !any->isCPUStringValid(options->scheduling)) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "scheduling \"%.40s\": LLVM knows no such processor of %s; see llc-19 -mcpu=help",
            options->scheduling,
            options->architecture
        );
    }
    auto *const decoder = new (std::nothrow) laxity::Decoder{*target, *architecture, *options};
    if (decoder == nullptr) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory for the decoder");
    }
    *out_decoder = {.context = decoder, .decode = laxity::decode};
    return 0;
}

void laxity_sim_decoder_read_stats(
    const struct laxity_sim_decoder *decoder, struct laxity_sim_decoder_stats *out_stats
)
{
    static_cast<const laxity::Decoder *>(decoder->context)->write_stats(*out_stats);
}

void laxity_sim_decoder_close(struct laxity_sim_decoder *decoder)
{
    delete static_cast<laxity::Decoder *>(decoder->context);
    *decoder = {};
}
