/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "decode/code_state.hpp"

#include "decode/elf.hpp"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

namespace laxity {

namespace {

using llvm::StringRef;
using Elf = llvm::object::ELFFile<llvm::object::ELF32LE>;

/* Empty: it is no mapping symbol. */
std::optional<CodeState> state_of(StringRef name)
{
    if (name.size() < 2 || name[0] != '$' || (name.size() > 2 && name[2] != '.')) {
        return std::nullopt;
    }
    switch (name[1]) {
    case 'a':
        return CodeState::Arm;
    case 't':
        return CodeState::Thumb;
    case 'd':
        return CodeState::Unknown; /* data */
    default:
        return std::nullopt;
    }
}

} // namespace

CodeStates::CodeStates(const char *path)
{
    if (path == nullptr) {
        return;
    }
    const auto file = llvm::MemoryBuffer::getFile(path);
    const auto elf = file ? value_of(Elf::create((*file)->getBuffer())) : std::nullopt;
    const auto sections = elf ? value_of(elf->sections()) : std::nullopt;
    if (!sections || elf->getHeader().e_machine != llvm::ELF::EM_ARM) {
        return;
    }
    for (const auto &section : *sections) {
        const auto names = section.sh_type == llvm::ELF::SHT_SYMTAB
                               ? value_of(elf->getStringTableForSymtab(section))
                               : std::nullopt;
        const auto symbols = names ? value_of(elf->symbols(&section)) : std::nullopt;
        if (!symbols) {
            continue;
        }
        for (const auto &symbol : *symbols) {
            const auto name = value_of(symbol.getName(*names));
            const auto state = name ? state_of(*name) : std::nullopt;
            if (state) {
                changes_.push_back({symbol.st_value, *state});
            }
        }
    }
    /* Data without bytes lies before the code at its address. */
    std::sort(changes_.begin(), changes_.end(), [](const Change &a, const Change &b) {
        return std::pair{a.address, a.state} < std::pair{b.address, b.state};
    });
}

CodeState CodeStates::at(std::uint64_t address) const
{
    const auto behind = std::upper_bound(
        changes_.begin(),
        changes_.end(),
        address,
        [](std::uint64_t wanted, const Change &change) { return wanted < change.address; }
    );
    return behind == changes_.begin() ? CodeState::Unknown : std::prev(behind)->state;
}

} // namespace laxity
