/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Pages that TLBs do not have (docs/simulation-model.md, section 3). */
#include "engine/core.hpp"
#include "engine/hierarchy.hpp"
#include "interface/engine.h"
#include "model/cache.hpp"
#include "model/lost.hpp"

#include <cstddef>
#include <cstdint>

namespace laxity {

namespace {

/* Where a task has its page table: each level apart, of entries of eight bytes, 512 in a page. */
constexpr unsigned TABLE_SHIFT = 47;
constexpr std::uint64_t TABLE_ADDRESS = std::uint64_t{1} << TABLE_SHIFT;
constexpr unsigned TABLE_LEVEL_SHIFT = 40;
constexpr unsigned TABLE_BITS = 9;

} // namespace

Cause Hierarchy::miss_page(std::uint32_t core, std::uint32_t task, Kind kind, std::uint64_t line)
{
    Own &own = cores_[core];
    (kind == Kind::Fetch ? own.counts.fetch_walks : own.counts.data_walks)++;
    Tlb &tlb = kind == Kind::Fetch ? own.itlb : own.dtlb;
    const std::uint64_t page = line >> page_shift_;
    const Place victim = tlb.pages.cache.allocate(page, 0);
    tlb.last = page;
    note_lost(tlb.pages, victim, core, task);
    Cause cause = Cause::Own;
    find_cause(tlb.pages, page, cause);
    return cause;
}

/* Whether the page of a line is there; if not, the core walks through the page table first. */
bool Core::find_page(Kind kind, std::uint64_t line)
{
    if (is_plain_ || hierarchy_.use_page(own_, kind, line)) {
        return true;
    }
    if (now_ != action_) {
        is_paused_ = true; /* whose page another one replaces may run elsewhere until then */
        set_next(Next::GoOn);
        return false;
    }
    walk_cause_ = hierarchy_.miss_page(number_, execution_.task, kind, line);
    const std::uint64_t in_task = line << line_shift_ & ((std::uint64_t{1} << TABLE_SHIFT) - 1);
    walk_page_ = in_task / PAGE_BYTES;
    walk_loads_ = platform_.walk_loads;
    walked_for_ = stage_;
    stage_ = Stage::Walk;
    return false;
}

void Core::walk()
{
    const std::uint64_t table = std::uint64_t{execution_.task} << SPACE_SHIFT | TABLE_ADDRESS;
    while (walk_loads_ > 0) {
        const unsigned level = walk_loads_ - 1;
        const std::uint64_t entry = walk_page_ >> TABLE_BITS * level;
        const std::uint64_t address =
            table + (std::uint64_t{level} << TABLE_LEVEL_SHIFT) + entry * sizeof entry;
        if (!touch(Kind::Load, address >> line_shift_, true)) {
            return;
        }
        walk_loads_--;
        if (is_paused_) {
            return;
        }
    }
    stage_ = walked_for_;
    if (platform_.walk_ticks > 0) {
        now_ += platform_.walk_ticks;
        execution_.spent->stalls[static_cast<std::size_t>(walk_cause_)] += platform_.walk_ticks;
        is_paused_ = true; /* the task may be ended before */
        set_next(Next::GoOn);
    }
}

} // namespace laxity
