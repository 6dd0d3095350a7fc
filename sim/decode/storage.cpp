/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "interface/storage.h"

#include "decode/elf.hpp"
#include "interface/forbidden.h"
#include "interface/records.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace {

struct Section {
    std::uint64_t begin;
    std::uint64_t end;
    laxity_sim_storage_class is;
};

constexpr std::uint64_t PAGE_BYTES = 4096;
/* Of a call that could not be answered, the kernel says the negative of a number up to that. */
constexpr std::uint64_t ERRORS_MAX = 4095;
constexpr std::uint64_t NARROW = 0xffffffff;

laxity_sim_storage_class class_of(std::uint64_t flags, bool has_bytes)
{
    if ((flags & llvm::ELF::SHF_EXECINSTR) != 0) {
        return LAXITY_SIM_CODE;
    }
    if ((flags & llvm::ELF::SHF_WRITE) == 0) {
        return LAXITY_SIM_CONSTANTS;
    }
    return has_bytes ? LAXITY_SIM_DATA : LAXITY_SIM_BSS;
}

} // namespace

struct laxity_sim_storage {
    const laxity_sim_call_table *table;
    std::uint64_t addresses; /* those that a pointer can have */
    std::vector<Section> sections;
    std::map<std::uint64_t, std::uint64_t> heap; /* ends by begins, apart from each other */
    std::uint64_t first_break;                   /* 0: not asked for yet */
    std::size_t n_words;                         /* of the call or return that is being told */
    std::array<std::uint64_t, 1 + LAXITY_RECORD_ARGUMENTS> words;
    std::array<std::uint64_t, LAXITY_RECORD_ARGUMENTS> arguments; /* of the last call */

    template <typename Elf> bool read(const Elf &elf)
    {
        addresses = elf.getHeader().e_ident[llvm::ELF::EI_CLASS] == llvm::ELF::ELFCLASS64
                        ? UINT64_MAX
                        : NARROW;
        const auto all = laxity::value_of(elf.sections());
        for (std::size_t i = 0; all && i < all->size(); i++) {
            const auto &one = (*all)[i];
            const bool has_bytes = one.sh_type != llvm::ELF::SHT_NOBITS;
            /* What each thread has its own of lies in the heap. */
            const bool is_there = has_bytes || (one.sh_flags & llvm::ELF::SHF_TLS) == 0;
            if ((one.sh_flags & llvm::ELF::SHF_ALLOC) != 0 && is_there && one.sh_size > 0) {
                const std::uint64_t begin = one.sh_addr;
                sections.push_back({begin, begin + one.sh_size, class_of(one.sh_flags, has_bytes)});
            }
        }
        std::sort(sections.begin(), sections.end(), [](const Section &a, const Section &b) {
            return a.begin < b.begin;
        });
        return all.has_value();
    }

    void add_heap(std::uint64_t begin, std::uint64_t end)
    {
        auto one = heap.upper_bound(begin);
        if (one != heap.begin() && std::prev(one)->second >= begin) {
            one = std::prev(one);
        }
        while (one != heap.end() && one->first <= end) {
            begin = std::min(begin, one->first);
            end = std::max(end, one->second);
            one = heap.erase(one);
        }
        heap[begin] = end;
    }

    void add_mapped(std::uint64_t begin, std::uint64_t bytes)
    {
        const std::uint64_t end = (begin + bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        if (end > begin) {
            add_heap(begin, end);
        }
    }

    void take_return(std::uint64_t number, std::uint64_t value)
    {
        const char *const known = laxity_sim_call_name(table, number);
        const std::string_view name = known != nullptr ? known : "";
        if (value > UINT64_MAX - ERRORS_MAX) {
            return;
        }
        value &= addresses;
        if (name == "brk") {
            first_break = first_break == 0 ? value : first_break;
            if (value > first_break) {
                add_heap(first_break, value);
            }
        } else if (name == "mmap" || name == "mmap2") {
            add_mapped(value, arguments[1] & addresses);
        } else if (name == "mremap") {
            add_mapped(value, arguments[2] & addresses);
        }
    }

    void take(std::uint64_t word)
    {
        words.at(n_words++) = word;
        const bool is_return = (words[0] & LAXITY_RECORD_RETURN) != 0;
        if (n_words < (is_return ? 2 : words.size())) {
            return;
        }
        n_words = 0;
        if (is_return) {
            take_return(static_cast<std::uint32_t>(words[0]), words[1]);
        } else {
            std::copy(words.begin() + 1, words.end(), arguments.begin());
        }
    }

    [[nodiscard]] laxity_sim_storage_class of(std::uint64_t address) const
    {
        const auto section = std::upper_bound(
            sections.begin(),
            sections.end(),
            address,
            [](std::uint64_t wanted, const Section &one) { return wanted < one.begin; }
        );
        if (section != sections.begin() && address < std::prev(section)->end) {
            return std::prev(section)->is;
        }
        const auto mapped = heap.upper_bound(address);
        const bool is_heap = mapped != heap.begin() && address < std::prev(mapped)->second;
        return is_heap ? LAXITY_SIM_HEAP : LAXITY_SIM_STACK;
    }
};

extern "C" int
laxity_sim_storage_open(const char *program, laxity_sim_storage **out_storage, laxity_error *error)
{
    auto storage = std::make_unique<laxity_sim_storage>();
    storage->table = laxity_sim_call_table_of(program, error);
    if (storage->table == nullptr) {
        return -1;
    }
    const auto file = llvm::MemoryBuffer::getFile(program);
    if (!file || !laxity::use_elf((*file)->getBuffer(), [&](const auto &elf) {
            return storage->read(elf);
        })) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "%.150s: no program", program);
    }
    *out_storage = storage.release();
    return 0;
}

extern "C" void laxity_sim_storage_close(laxity_sim_storage *storage)
{
    const std::unique_ptr<laxity_sim_storage> gone{storage};
}

extern "C" void laxity_sim_storage_take(laxity_sim_storage *storage, std::uint64_t word)
{
    storage->take(word);
}

extern "C" laxity_sim_storage_class
laxity_sim_storage_of(const laxity_sim_storage *storage, std::uint64_t address)
{
    return storage->of(address);
}
