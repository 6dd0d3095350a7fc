/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What other cores' caches hold (docs/simulation-model.md, section 3: upgrades, steps 4 c and d).
 */
#include "cache.hpp"
#include "frames.hpp"
#include "interface/engine.h"
#include "machine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace naive {

/* Of the other cores that the task has run on: those in which it may have the line. */
std::vector<Others> Machine::others_caches(const By &by, Kind kind)
{
    std::vector<Others> caches;
    if (by.task == KERNEL) {
        return caches;
    }
    for (const std::uint32_t other : cores_run_on_[by.task]) {
        if (other == by.core) {
            continue;
        }
        caches.push_back({other, &first_level(other, kind)});
        for (std::size_t i = 0; i < levels_.size(); i++) {
            if (&level(i, other) != &level(i, by.core)) {
                caches.push_back({other, &level(i, other), platform_.levels[i].cores > 1});
            }
        }
    }
    return caches;
}

bool Machine::others_hold(const By &by, const Touch &touch)
{
    return std::ranges::any_of(others_caches(by, touch.kind), [&](const Others &other) {
        return other.cache->find(touch.line) != nullptr;
    });
}

/* Step 4 c. */
Copies Machine::take_from_others(const By &by, const Touch &touch, Request &request)
{
    Copies copies;
    for (const Others &other : others_caches(by, touch.kind)) {
        Place *const copy = other.cache->find(touch.line);
        if (copy == nullptr) {
            continue;
        }
        copies.are_held = true;
        if (copy->is_dirty && !copies.dirty_on) {
            copies.dirty_on = other.core;
        }
        features_.copies_in_other_groups +=
            other.is_shared && ticks_and_back(by.core, other.core) > 0 ? 1 : 0;
        if (touch.kind == Kind::Load) {
            copy->is_shared = true;
            copy->is_dirty = false;
        } else if (touch.kind == Kind::Store) {
            other.cache->remove(touch.line);
        }
    }
    if (copies.are_held && request.cause == Cause::Own) {
        request.cause = Cause::Moved;
    }
    if (copies.are_held && !levels_hold(by, touch.line)) {
        laxity_sim_counts &counts = totals_.cores[by.core];
        switch (touch.kind) {
        case Kind::Fetch:
            counts.moved_fetches++;
            break;
        case Kind::Load:
            counts.moved_loads++;
            break;
        case Kind::Store:
            counts.moved_stores++;
            break;
        }
    }
    Place *const own = l1d_[by.core].find(touch.line);
    if (copies.are_held && touch.kind == Kind::Load && own != nullptr) {
        own->is_shared = true;
    }
    return copies;
}

/* Step 4 d: the line was dirty on a core. */
void Machine::transfer(const By &by, const Touch &touch, Request &request, std::uint32_t from)
{
    const std::uint64_t way = ticks_and_back(by.core, from);
    request.at = by.now + platform_.transfer_ticks + way;
    totals_.cores[by.core].transfers++;
    features_.transfers_between_domains += way > 0 ? 1 : 0;
    if (touch.kind != Kind::Load) {
        return;
    }
    std::size_t i = 0;
    while (i < levels_.size() && &level(i, by.core) != &level(i, from)) {
        i++;
    }
    (i < levels_.size() ? features_.written_to_common_levels : features_.written_behind_levels)++;
    write_back(by, touch.line, i);
}

Answer Machine::upgrade(const By &by, const Touch &touch, Place &place)
{
    if (const std::optional<Answer> no_room = find_no_room(by, touch, true)) {
        return *no_room;
    }
    std::uint64_t farthest = 0;
    for (const Others &other : others_caches(by, touch.kind)) {
        if (other.cache->find(touch.line) != nullptr) {
            other.cache->remove(touch.line);
            farthest = std::max(farthest, ticks_and_back(by.core, other.core));
        }
    }
    place.is_shared = false;
    place.is_dirty = true;
    const RequestPtr request = make_request(by, touch);
    request->cause = Cause::Moved;
    request->at = by.now + platform_.upgrade_ticks + farthest;
    totals_.cores[by.core].upgrades++;
    features_.upgrades_between_domains += farthest > 0 ? 1 : 0;
    count(by, touch, false, false);
    return {.waits = blocks(by, touch), .request = request};
}

} // namespace naive
