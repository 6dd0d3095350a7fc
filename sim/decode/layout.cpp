/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "interface/layout.h"

#include "decode/elf.hpp"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using Range = laxity_sim_range;

constexpr std::uint64_t PAGE_BYTES = 4096;
/* What lies above is not a program's. */
constexpr std::uint64_t ADDRESSES_END = std::uint64_t{1} << 47U;

std::vector<Range> without(const std::vector<Range> &from, const Range &gone)
{
    std::vector<Range> left;
    for (const Range &one : from) {
        const Range before{one.begin, std::min(one.end, gone.begin)};
        const Range behind{std::max(one.begin, gone.end), one.end};
        for (const Range &part : {before, behind}) {
            if (part.begin < part.end) {
                left.push_back(part);
            }
        }
    }
    return left;
}

/* Ascending, and apart from each other. */
std::vector<Range> joined(std::vector<Range> ranges)
{
    std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) {
        return a.begin < b.begin;
    });
    std::vector<Range> all;
    for (const Range &one : ranges) {
        if (!all.empty() && one.begin <= all.back().end) {
            all.back().end = std::max(all.back().end, one.end);
        } else {
            all.push_back(one);
        }
    }
    return all;
}

/* The pages that a program is loaded into. */
struct Pages {
    std::vector<Range> only_loaded;
    std::vector<Range> written;

    /* Whether its segments are whole. */
    template <typename Elf> bool read(const Elf &elf)
    {
        const auto segments = laxity::value_of(elf.program_headers());
        /* Where programs of another type lie is not in the file. */
        const bool is_placed = elf.getHeader().e_type == llvm::ELF::ET_EXEC;
        for (std::size_t i = 0; segments && is_placed && i < segments->size(); i++) {
            const auto &one = (*segments)[i];
            if (one.p_type == llvm::ELF::PT_LOAD) {
                add(one.p_vaddr, one.p_memsz, (one.p_flags & llvm::ELF::PF_W) != 0);
            }
        }
        return segments.has_value();
    }

    void add(std::uint64_t begin, std::uint64_t bytes, bool is_written)
    {
        if (bytes == 0 || begin >= ADDRESSES_END || bytes > ADDRESSES_END - begin) {
            return;
        }
        const std::uint64_t end = (begin + bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        (is_written ? written : only_loaded).push_back({begin / PAGE_BYTES * PAGE_BYTES, end});
    }

    [[nodiscard]] std::vector<Range> only_read() const
    {
        std::vector<Range> left = only_loaded;
        for (const Range &one : written) {
            left = without(left, one);
        }
        return joined(left);
    }
};

} // namespace

extern "C" int laxity_sim_layout_read(
    const char *path, struct laxity_sim_layout *out_layout, struct laxity_error *error
)
{
    const auto file = llvm::MemoryBuffer::getFile(path);
    if (!file) {
        const std::string why = file.getError().message();
        return laxity_refuse(
            error, LAXITY_EXIT_LACKING, "%.120s: cannot be read: %s", path, why.c_str()
        );
    }
    const llvm::StringRef data = (*file)->getBuffer();
    Pages pages;
    if (!laxity::use_elf(data, [&](const auto &elf) { return pages.read(elf); })) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "%.150s: no program", path);
    }
    const std::vector<Range> shared = pages.only_read();
    if (shared.size() > LAXITY_SIM_SHARED_MAX) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "%.120s: its memory that is only read lies in %zu places, more than %d; link it into "
            "fewer segments",
            path,
            shared.size(),
            LAXITY_SIM_SHARED_MAX
        );
    }
    *out_layout = {};
    const llvm::XXH128_hash_t digest = llvm::xxh3_128bits({data.bytes_begin(), data.size()});
    out_layout->digest[0] = digest.low64;
    out_layout->digest[1] = digest.high64;
    std::copy(shared.begin(), shared.end(), out_layout->shared);
    out_layout->n_shared = static_cast<std::uint32_t>(shared.size());
    return 0;
}
