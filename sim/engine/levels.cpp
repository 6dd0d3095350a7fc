/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What goes through the levels below the first: requests down to memory, victims down, and dirty
 * lines up. */
#include "engine/hierarchy.hpp"
#include "interface/engine.h"
#include "model/cache.hpp"
#include "model/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace laxity {

void Hierarchy::await(Store &store, std::uint64_t line, std::uint64_t read, std::uint64_t now)
{
    store.awaited.insert(line, [this, now](std::uint64_t before) {
        return memory_.reads().done(before) <= now;
    }) = read;
}

/* What an inclusive level evicts goes from the caches above it, too. It is dirty if it was there.
 */
void Hierarchy::remove_above(std::size_t i, Place &victim, std::uint32_t core, std::uint32_t task)
{
    const std::uint64_t line = victim.line();
    const std::uint64_t at = frames_.physical(line);
    const auto remove = [this, &victim, line, core, task](Store &store, std::uint64_t at_of) {
        const Place *const place = store.cache.find(line, at_of);
        if (place == nullptr) {
            return;
        }
        if (place->is_dirty()) {
            victim.set_dirty();
        }
        store.cache.remove(line, at_of);
        note_lost(store, victim, core, task);
    };
    const std::uint32_t n = platform_.levels[i].cores;
    const std::uint32_t first = core / n * n;
    for (std::uint32_t other = first; other < std::min(first + n, platform_.cores); other++) {
        remove(cores_[other].l1i, line);
        remove(cores_[other].l1d, line);
        for (std::size_t above = 0; above < i; above++) {
            remove(level(above, other), at);
        }
    }
}

/* What a level evicts for a line that it does not hold, and that is dirty there or clean. */
Place Hierarchy::allocate(
    std::size_t i,
    std::uint64_t line,
    std::uint64_t at,
    std::uint32_t core,
    std::uint32_t task,
    bool is_dirty
)
{
    Store &store = level(i, core);
    Place victim = store.cache.allocate(line, at, platform_.levels[i].way_masks[core], is_dirty);
    note_lost(store, victim, core, task);
    if (!victim.is_empty() && platform_.levels[i].inclusion == LAXITY_SIM_INCLUSIVE) {
        remove_above(i, victim, core, task);
    }
    return victim;
}

void Hierarchy::hand_down(
    Place victim, std::size_t from_level, std::uint32_t core, std::uint32_t task, std::uint64_t now
)
{
    std::uint64_t at = frames_.physical(victim.line());
    for (std::size_t i = from_level; i < n_levels_; i++) {
        Store &store = level(i, core);
        if (!store.cache.exists()) {
            continue;
        }
        const bool is_dirty = victim.is_dirty();
        if (!is_dirty && (platform_.levels[i].inclusion != LAXITY_SIM_EXCLUSIVE ||
                          store.cache.find(victim.line(), at) != nullptr)) {
            return;
        }
        if (Place *const place = is_dirty ? store.cache.use(victim.line(), at) : nullptr) {
            place->set_dirty();
            return;
        }
        const Place next = allocate(i, victim.line(), at, core, task, is_dirty);
        if (!is_handed_down(next)) {
            return;
        }
        victim = next;
        at = frames_.physical(victim.line());
    }
    if (victim.is_dirty()) {
        const std::uint32_t instance = instance_of(victim.line(), core);
        counts(core).writes++;
        write(instance, {.at = at, .arrival = now + request_ticks(instance), .core = core});
        owe(core, memory_.channel_number_of(instance, at), false);
    }
}

void Hierarchy::write_back(const Touch &touch, std::size_t from_level, std::uint64_t now)
{
    Place written{touch.line};
    written.set_dirty();
    hand_down(written, from_level, touch.core, touch.task, now);
}

/* A line that an exclusive level has been asked for goes to where the others of this walk have it,
 * or to the first level. */
void Hierarchy::move_up(
    const Request &request,
    std::size_t i,
    std::uint64_t allocated,
    std::uint32_t core,
    std::uint64_t now
)
{
    Store &first = first_level(core, request.kind);
    if (allocated == 0 && !first.cache.exists()) {
        return; /* nobody else would have it */
    }
    Store &store = level(i, core);
    const Place moved = *store.cache.find(request.line, request.at);
    store.cache.remove(request.line, request.at);
    if (!moved.is_dirty()) {
        return;
    }
    Place *const place =
        allocated == 0
            ? first.cache.find(request.line)
            : level(std::bit_width(allocated) - 1U, core).cache.find(request.line, request.at);
    if (place != nullptr) {
        place->set_dirty();
    } else {
        hand_down(moved, i + 1, core, request.task, now);
    }
}

/* The memory of a line whose page has been used. */
std::uint32_t Hierarchy::instance_of(std::uint64_t line, std::uint32_t core)
{
    return regions_.is_plain() ? 0 : regions_.used(line, links_.domain_of(core)).instance;
}

/* Sends a read that departs at `arrival` to the memory of a request. */
std::uint64_t Hierarchy::read(const Request &request, Message message, std::uint64_t now)
{
    const std::uint32_t here = links_.domain_of(message.core);
    const std::uint32_t there = regions_.instances()[request.instance].domain;
    if (here == there) {
        return memory_.read(request.instance, message, now);
    }
    counts(message.core).remote++;
    message.arrival += links_.ticks(here, there);
    const std::uint64_t read = memory_.read(request.instance, message, now);
    if (has_been_in(request.task, there)) {
        memory_.reads().find(read)->away = links_.round_trip(here, there);
    }
    return read;
}

/* Likewise a write; a line may have to wait for the link. */
void Hierarchy::write(std::uint32_t instance, Message message)
{
    const std::uint32_t here = links_.domain_of(message.core);
    const std::uint32_t there = regions_.instances()[instance].domain;
    counts(message.core).remote += here == there ? 0 : 1;
    message.arrival = message.is_word
                          ? message.arrival + links_.ticks(here, there)
                          : links_.carry(here, there, message.arrival, message.core).tick;
    memory_.write(instance, message);
}

/* A read of a line, for which there may be no room. */
std::uint64_t
Hierarchy::read_line(const Request &request, const Message &message, std::uint64_t now)
{
    const std::uint64_t sent = read(request, message, now);
    counts(message.core).reads++;
    owe(message.core, memory_.channel_number_of(request.instance, message.at), true);
    return sent;
}

/* Steps f and g. */
void Hierarchy::send(Request &request, std::uint32_t core, std::uint64_t now)
{
    request.is_merging = false;
    std::uint64_t path = 0;
    std::uint64_t allocated = 0; /* levels, as bits */
    bool has_missed = false;     /* the last level */
    for (std::size_t i = 0; i < n_levels_; i++) {
        Store &store = level(i, core);
        has_missed = store.cache.exists();
        if (!has_missed) {
            continue;
        }
        const bool is_exclusive = platform_.levels[i].inclusion == LAXITY_SIM_EXCLUSIVE;
        path += platform_.levels[i].hit_ticks;
        counts(core).levels[i].lookups++;
        if (store.cache.use(request.line, request.at) != nullptr) {
            const std::uint64_t *const read = store.awaited.find(request.line);
            request.earliest = now + path;
            wait_for(request, core, read == nullptr ? NO_READ : *read);
            if (is_exclusive) {
                move_up(request, i, allocated, core, now);
            }
            return;
        }
        counts(core).levels[i].misses++;
        find_cause(store, request.line, request.cause);
        if (is_exclusive) {
            continue;
        }
        allocated |= std::uint64_t{1} << i;
        const Place victim = allocate(i, request.line, request.at, core, request.task, false);
        if (is_handed_down(victim)) {
            hand_down(victim, i + 1, core, request.task, now);
        }
    }
    const std::uint64_t departure = now + path + request_ticks(request.instance);
    const std::uint64_t number =
        read_line(request, {.at = request.at, .arrival = departure, .core = core}, now);
    wait_for(request, core, number);
    for (std::size_t i = 0; i < n_levels_; i++) {
        if ((allocated >> i & 1U) != 0) {
            await(level(i, core), request.line, number, now);
        }
    }
    if (has_missed && platform_.levels[n_levels_ - 1].prefetch != LAXITY_SIM_PREFETCH_NONE) {
        prefetch(request, core, now, departure);
    }
}

void Hierarchy::prefetch(
    const Request &request, std::uint32_t core, std::uint64_t now, std::uint64_t departure
)
{
    const std::size_t last = n_levels_ - 1;
    const std::uint64_t line = platform_.levels[last].prefetch == LAXITY_SIM_PREFETCH_NEXT_LINE
                                   ? request.line + 1
                                   : request.wish;
    if (line == request.line || !frames_.is_same_page(line, request.line)) {
        return;
    }
    Store &store = level(last, core);
    const std::uint64_t at = frames_.physical(line);
    if (store.cache.find(line, at) != nullptr ||
        memory_.channel_of(request.instance, at).lacks({.is_of_reads = true})) {
        return;
    }
    Cause unused = Cause::Own;
    find_cause(store, line, unused);
    const Place victim = allocate(last, line, at, core, request.task, false);
    if (is_handed_down(victim)) {
        hand_down(victim, last + 1, core, request.task, now);
    }
    const std::uint64_t number =
        read_line(request, {.at = at, .arrival = departure, .core = core}, now);
    await(store, line, number, now);
    counts(core).levels[last].prefetches++;
}

} // namespace laxity
