/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Executables of every class and byte order. */
#ifndef LAXITY_SIM_ELF_HPP
#define LAXITY_SIM_ELF_HPP

#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <utility>

namespace laxity {

/* What cannot be read is not known. */
template <typename T> std::optional<T> value_of(llvm::Expected<T> expected)
{
    if (!expected) {
        llvm::consumeError(expected.takeError());
        return std::nullopt;
    }
    return std::move(*expected);
}

/* What `use` says of an ELFFile of the kind that the data are; false: they are none. */
template <typename Use> bool use_elf(llvm::StringRef data, const Use &use)
{
    if (data.size() < llvm::ELF::EI_NIDENT || !data.starts_with(llvm::ELF::ElfMagic)) {
        return false;
    }
    const auto as = [&]<typename Type>(const Type &) {
        const auto elf = value_of(llvm::object::ELFFile<Type>::create(data));
        return elf && use(*elf);
    };
    const bool is_wide = data[llvm::ELF::EI_CLASS] == llvm::ELF::ELFCLASS64;
    if (data[llvm::ELF::EI_DATA] == llvm::ELF::ELFDATA2MSB) {
        return is_wide ? as(llvm::object::ELF64BE{}) : as(llvm::object::ELF32BE{});
    }
    return is_wide ? as(llvm::object::ELF64LE{}) : as(llvm::object::ELF32LE{});
}

} // namespace laxity

#endif
