/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Levels below the first (docs/simulation-model.md, section 3: steps f and g, handing down). */
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

std::size_t Machine::first_level_on(std::size_t from)
{
    std::size_t i = from;
    while (i < levels_.size() && levels_[i].front().is_off()) {
        i++;
    }
    return i;
}

/* Of a request that gets its number: what its prefetcher learns, and what shall be prefetched. */
std::optional<std::uint64_t> Machine::wish(const By &by, const Touch &touch)
{
    if (levels_.empty() || !regions_.is_cached(touch.line)) {
        return std::nullopt;
    }
    switch (platform_.levels[levels_.size() - 1].prefetch) {
    case LAXITY_SIM_PREFETCH_NONE:
        return std::nullopt;
    case LAXITY_SIM_PREFETCH_NEXT_LINE:
        return touch.line + 1;
    case LAXITY_SIM_PREFETCH_STRIDE:
        break;
    }
    if (!touch.loaded_by) {
        return std::nullopt;
    }
    std::vector<Strided> &entries = strides_[by.core];
    Strided &entry = entries[*touch.loaded_by / 2 % entries.size()];
    if (entry.instruction != touch.loaded_by) {
        entry = {.instruction = touch.loaded_by, .line = touch.line};
        return std::nullopt;
    }
    const std::uint64_t stride = touch.line - entry.line; /* modulo 2^64 if it is negative */
    const bool is_again = stride != 0 && stride == entry.stride;
    entry.line = touch.line;
    entry.stride = stride;
    return is_again ? std::optional{touch.line + stride} : std::nullopt;
}

/* Steps 4 f and g. */
void Machine::walk(const By &by, Request &request)
{
    std::uint64_t path = 0;
    std::vector<Cache *> allocated;
    for (std::size_t i = first_level_on(0); i < levels_.size(); i = first_level_on(i + 1)) {
        Cache &cache = level(i, by.core);
        path += platform_.levels[i].hit_ticks;
        totals_.cores[by.core].levels[i].lookups++;
        if (cache.find(request.line) != nullptr) {
            request.at = by.now + path;
            hit_level(by, i, request, allocated.empty() ? nullptr : allocated.back());
            return;
        }
        totals_.cores[by.core].levels[i].misses++;
        take_lost(cache, request.line, &request);
        if (platform_.levels[i].inclusion != LAXITY_SIM_EXCLUSIVE) {
            allocate_in_level(by, i, request.line, false);
            allocated.push_back(&cache);
        }
    }
    const Touch touch{.kind = request.kind, .line = request.line};
    if (passes_first(touch) && first_level_on(0) == levels_.size()) {
        request.at = by.now + request_ticks(request.line);
        return; /* there is no cache that would hold what is read */
    }
    const std::uint64_t departs = by.now + path + request_ticks(request.line);
    request.read = send_read(by, request.line, departs);
    for (Cache *const cache : allocated) {
        cache->waits[request.line] = request.read;
    }
    prefetch(by, request, departs);
}

/* allocated_last: by the walk of the request, above level i; or NULL. */
void Machine::hit_level(const By &by, std::size_t i, Request &request, Cache *allocated_last)
{
    Cache &cache = level(i, by.core);
    cache.use(*cache.find(request.line));
    const auto waits = cache.waits.find(request.line);
    if (waits != cache.waits.end()) {
        request.read = waits->second;
        features_.hits_on_the_way += request.is_outstanding(request.at) ? 1 : 0;
    }
    if (platform_.levels[i].inclusion == LAXITY_SIM_EXCLUSIVE) {
        move_up(by, i, request, allocated_last);
    }
}

/* Out of an exclusive level, if there is a cache above that can have it. */
void Machine::move_up(const By &by, std::size_t i, const Request &request, Cache *allocated_last)
{
    Cache &cache = level(i, by.core);
    Cache &first = first_level(by.core, request.kind);
    if (allocated_last == nullptr && first.is_off()) {
        features_.exclusive_stays++;
        return;
    }
    const bool is_dirty = cache.find(request.line)->is_dirty;
    cache.remove(request.line);
    features_.exclusive_hits++;
    if (!is_dirty) {
        return;
    }
    Cache &to = allocated_last == nullptr ? first : *allocated_last;
    if (Place *const place = to.find(request.line)) {
        place->is_dirty = true;
        (allocated_last == nullptr ? features_.dirty_to_first : features_.dirty_to_level)++;
    } else {
        features_.dirty_to_nowhere++;
        write_back(by, request.line, i + 1);
    }
}

/* What the request wishes for, when the last level has missed, too. */
void Machine::prefetch(const By &by, const Request &request, std::uint64_t departs)
{
    if (levels_.empty() || !request.wish) {
        return;
    }
    const std::size_t last = levels_.size() - 1;
    const std::uint64_t line = *request.wish;
    const std::uint64_t lines = PAGE_BYTES / platform_.line_bytes;
    Cache &cache = level(last, by.core);
    if (cache.is_off() || line / lines != request.line / lines || cache.find(line) != nullptr ||
        channel_of(line).is_full(false)) {
        return;
    }
    take_lost(cache, line, nullptr);
    allocate_in_level(by, last, line, false);
    cache.waits[line] = send_read(by, line, departs);
    totals_.cores[by.core].levels[last].prefetches++;
    features_.stride_prefetches +=
        platform_.levels[last].prefetch == LAXITY_SIM_PREFETCH_STRIDE ? 1 : 0;
}

void Machine::allocate_in_level(const By &by, std::size_t i, std::uint64_t line, bool is_dirty)
{
    Cache &cache = level(i, by.core);
    std::optional<Place> victim = cache.allocate(line, mask_of(i, by.core));
    /* At once: what the victim evicts further down may remove the line here. */
    cache.find(line)->is_dirty = is_dirty;
    if (!victim) {
        return;
    }
    if (platform_.levels[i].inclusion == LAXITY_SIM_INCLUSIVE) {
        remove_above(by, i, *victim);
    }
    hand_down(by, *victim, i + 1);
    note_lost(cache, victim->line, by);
}

/* What the inclusive level i evicts; it is dirty then if one of the others was. */
void Machine::remove_above(const By &by, std::size_t i, Place &victim)
{
    const std::uint32_t n = platform_.levels[i].cores;
    const std::uint32_t begin = by.core / n * n;
    for (std::uint32_t core = begin; core < std::min(begin + n, platform_.cores); core++) {
        std::vector<Cache *> above{&l1i_[core], &l1d_[core]};
        for (std::size_t j = 0; j < i; j++) {
            above.push_back(&level(j, core));
        }
        for (Cache *const cache : above) {
            const Place *const place = cache->find(victim.line);
            if (place == nullptr) {
                continue;
            }
            features_.removed_above++;
            features_.removed_above_dirty += place->is_dirty ? 1 : 0;
            victim.is_dirty |= place->is_dirty;
            cache->remove(victim.line);
            note_lost(*cache, victim.line, by);
        }
    }
}

/* What a cache has evicted that lies above level `first`. */
void Machine::hand_down(const By &by, const Place &victim, std::size_t first)
{
    if (victim.is_dirty) {
        write_back(by, victim.line, first);
        return;
    }
    const std::size_t i = first_level_on(first);
    if (i >= levels_.size() || platform_.levels[i].inclusion != LAXITY_SIM_EXCLUSIVE) {
        return;
    }
    if (level(i, by.core).find(victim.line) != nullptr) {
        features_.handed_down_held++;
        return;
    }
    features_.handed_down_clean++;
    allocate_in_level(by, i, victim.line, false);
}

void Machine::write_back(const By &by, std::uint64_t line, std::size_t first)
{
    const std::size_t i = first_level_on(first);
    if (i >= levels_.size()) {
        send_write(by, line);
        return;
    }
    Cache &cache = level(i, by.core);
    if (Place *const place = cache.find(line)) {
        features_.written_back_hits++;
        cache.use(*place);
        place->is_dirty = true;
    } else {
        features_.written_back_misses++;
        allocate_in_level(by, i, line, true);
    }
}

} // namespace naive
