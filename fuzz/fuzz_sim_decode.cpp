/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Any bytes as blocks of any architecture. First the architecture and whether it is scheduled, then
 * for each instruction its size and its bytes.
 */
#include "base/error.h"
#include "interface/decoder.h"
#include "interface/engine.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t INSTRUCTION_BYTES_MAX = 16;
constexpr std::uint32_t CYCLE_TICKS = 8;

struct Processor {
    const char *architecture;
    const char *scheduling;
};

constexpr std::array<Processor, 8> PROCESSORS{{
    {"armhf", "cortex-a9"},
    {"armhf", "none"},
    {"powerpc", "750"},
    {"aarch64", "cortex-a53"},
    {"riscv64", "sifive-u74"},
    {"x86_64", "haswell"},
    {"x86_64", "znver3"},
    {"x86_64", "amdfam10"},
}};

laxity_sim_decoder open_decoder(const Processor &processor)
{
    const laxity_sim_decoder_options options = {
        processor.architecture, processor.scheduling, nullptr, CYCLE_TICKS
    };
    laxity_error error{};
    laxity_sim_decoder decoder{};
    if (laxity_sim_decoder_open(&options, &decoder, &error) != 0) {
        abort();
    }
    return decoder;
}

void decode(const laxity_sim_decoder &decoder, const std::uint8_t *data, std::size_t size)
{
    std::vector<std::uint8_t> code;
    std::vector<laxity_sim_instruction> instructions;
    while (size > 0) {
        const std::size_t n = std::min(size - 1, *data % (INSTRUCTION_BYTES_MAX + 1));
        code.insert(code.end(), data + 1, data + 1 + n);
        instructions.push_back({static_cast<std::uint8_t>(n), 1, {}, {}, nullptr});
        data += 1 + n;
        size -= 1 + n;
    }
    decoder.decode(
        decoder.context,
        0,
        code.data(),
        instructions.data(),
        static_cast<std::uint32_t>(instructions.size())
    );
    for (const laxity_sim_instruction &instruction : instructions) {
        if (instruction.ticks == 0) {
            abort();
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static std::array<laxity_sim_decoder, PROCESSORS.size()> decoders{};
    if (size == 0) {
        return 0;
    }
    const std::size_t which = *data % PROCESSORS.size();
    if (decoders[which].context == nullptr) {
        decoders[which] = open_decoder(PROCESSORS[which]);
    }
    decode(decoders[which], data + 1, size - 1);
    return 0;
}
