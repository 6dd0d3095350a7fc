/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "decode/architecture.hpp"

#include <array>
#include <cstring>

/* As llvm/Support/TargetSelect.h declares them for the targets that we want. */
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
#define LAXITY_TARGET(NAME)                                                                        \
    void LLVMInitialize##NAME##TargetInfo();                                                       \
    void LLVMInitialize##NAME##TargetMC();                                                         \
    void LLVMInitialize##NAME##Disassembler();
LAXITY_TARGET(AArch64)
LAXITY_TARGET(ARM)
LAXITY_TARGET(PowerPC)
LAXITY_TARGET(RISCV)
LAXITY_TARGET(X86)
#undef LAXITY_TARGET
}
// NOLINTEND(readability-identifier-naming)

namespace laxity {

namespace {

constexpr std::array ARCHITECTURES{
    Architecture{
        .name = "armhf",
        .triple = "armv7-linux-gnueabihf",
        .thumb_triple = "thumbv7-linux-gnueabihf",
        .features = "+neon,+vfp4,+fp16,+hwdiv,+hwdiv-arm,+mp,+trustzone",
        .whole_classes = {},
        .no_registers = {"PC"},
        .pointer_class = "GPR",
        .pointers = {"SP"},
    },
    Architecture{
        .name = "powerpc",
        .triple = "powerpc-linux-gnu",
        .thumb_triple = nullptr,
        .features = "+fpu,+hard-float,+altivec",
        .whole_classes = {"G8RC", "VSRC", "CRRC"},
        .no_registers = {"ZERO8"},
        .pointer_class = "GPRC",
        .pointers = {},
    },
    Architecture{
        .name = "aarch64",
        .triple = "aarch64-linux-gnu",
        .thumb_triple = nullptr,
        .features = "+all",
        .whole_classes = {},
        .no_registers = {"XZR"},
        .pointer_class = "GPR64sp",
        .pointers = {},
    },
    Architecture{
        .name = "riscv64",
        .triple = "riscv64-linux-gnu",
        .thumb_triple = nullptr,
        .features = "+m,+a,+f,+d,+c,+v,+zicsr,+zifencei,+zba,+zbb,+zbs",
        .whole_classes = {},
        .no_registers = {"X0"},
        .pointer_class = nullptr,
        .pointers = {},
    },
    Architecture{
        .name = "x86_64",
        .triple = "x86_64-linux-gnu",
        .thumb_triple = nullptr,
        .features = "",
        .whole_classes = {"GR64", "VR512", "VK64", "RST", "VR64"},
        .no_registers = {"RIP", "EIZ", "RIZ"},
        .pointer_class = nullptr,
        .pointers = {"RSP", "RSI", "RDI"},
    },
};

} // namespace

const Architecture *find_architecture(const char *name)
{
    for (const Architecture &architecture : ARCHITECTURES) {
        if (std::strcmp(architecture.name, name) == 0) {
            return &architecture;
        }
    }
    return nullptr;
}

void initialize_targets()
{
#define LAXITY_TARGET(NAME)                                                                        \
    LLVMInitialize##NAME##TargetInfo();                                                            \
    LLVMInitialize##NAME##TargetMC();                                                              \
    LLVMInitialize##NAME##Disassembler()
    LAXITY_TARGET(AArch64);
    LAXITY_TARGET(ARM);
    LAXITY_TARGET(PowerPC);
    LAXITY_TARGET(RISCV);
    LAXITY_TARGET(X86);
#undef LAXITY_TARGET
}

} // namespace laxity
