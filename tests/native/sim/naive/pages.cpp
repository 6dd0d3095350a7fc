/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Pages of tasks (docs/simulation-model.md, section 3, page tables). */
#include "cache.hpp"
#include "frames.hpp"
#include "interface/engine.h"
#include "machine.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace naive {

namespace {

constexpr unsigned LEVEL_SHIFT = 40; /* from one of its levels to the next */
constexpr std::uint64_t ENTRY_BYTES = 8;
constexpr std::uint64_t ENTRIES = 512; /* of a table */

} // namespace

std::optional<Cause> Machine::miss_page(const By &by, const Touch &touch)
{
    const bool is_fetch = touch.kind == Kind::Fetch;
    Cache &tlb = (is_fetch ? itlb_ : dtlb_)[by.core];
    const std::uint64_t page =
        ((std::uint64_t{by.task} << SPACE_SHIFT) + address_of(touch.line)) / PAGE_BYTES;
    if (tlb.is_off()) {
        return std::nullopt;
    }
    if (const Place *const place = tlb.find(page)) {
        tlb.use(*place);
        return std::nullopt;
    }
    laxity_sim_counts &counts = totals_.cores[by.core];
    (is_fetch ? counts.fetch_walks : counts.data_walks)++;
    if (const std::optional<Place> victim = tlb.allocate(page, ALL_WAYS)) {
        note_lost(tlb, victim->line, by);
    }
    Request walk{
        .number = 0,
        .core = by.core,
        .task = by.task,
        .line = touch.line,
        .kind = Kind::Load,
        .cause = Cause::Own
    };
    take_lost(tlb, page, &walk);
    features_.pages_lost += walk.cause == Cause::Own ? 0 : 1;
    return walk.cause;
}

std::vector<std::uint64_t> Machine::walk_lines(const By &by, std::uint64_t line) const
{
    std::vector<std::uint64_t> lines;
    std::uint64_t entry = address_of(line) % PAGE_TABLES / PAGE_BYTES;
    for (std::uint64_t k = 0; k < platform_.walk_loads; k++) {
        const std::uint64_t address = PAGE_TABLES + (k << LEVEL_SHIFT) + ENTRY_BYTES * entry;
        lines.insert(lines.begin(), line_of(by.task, address));
        entry /= ENTRIES;
    }
    return lines;
}

} // namespace naive
