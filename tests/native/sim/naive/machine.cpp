/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "machine.hpp"

#include "cache.hpp"
#include "interface/engine.h"
#include "memory.hpp"
#include "naive.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace naive {

namespace {

constexpr std::size_t STRIDES = 64; /* instructions of which a core's prefetcher knows */

} // namespace

std::optional<std::uint64_t> Request::done() const
{
    if (is_merging || (read != nullptr && !read->is_decided)) {
        return std::nullopt;
    }
    return read != nullptr ? std::max(at, read->done) : at;
}

bool Request::is_outstanding(std::uint64_t now) const
{
    const std::optional<std::uint64_t> when = done();
    return !when || *when > now;
}

std::uint64_t Request::held_up() const
{
    /* A read that was done earlier is not what the request waited for. */
    return read != nullptr && read->done > at ? read->held_up - held_up_used : 0;
}

std::uint64_t Request::away() const
{
    return read != nullptr && read->done > at ? read->away - away_used : 0;
}

Machine::Machine(const laxity_sim_platform &platform, laxity_sim_totals &totals, Features &features)
    : platform_(platform), totals_(totals), features_(features),
      frames_(std::make_shared<Frames>(platform)), links_(platform, features),
      regions_(platform, links_, features), strides_(platform.cores, std::vector<Strided>(STRIDES)),
      l1i_(platform.cores, Cache{platform.l1i, platform.line_bytes, nullptr}),
      l1d_(platform.cores, Cache{platform.l1d, platform.line_bytes, nullptr}),
      itlb_(platform.cores, Cache{platform.itlb, PAGE_BYTES, nullptr}),
      dtlb_(platform.cores, Cache{platform.dtlb, PAGE_BYTES, nullptr}), requests_(platform.cores),
      debts_(platform.cores)
{
    for (std::uint32_t i = 0; i < platform.n_levels; i++) {
        const laxity_sim_level &asked = platform.levels[i];
        const std::size_t n = (platform.cores + asked.cores - 1) / asked.cores;
        levels_.emplace_back(n, Cache{asked.cache, platform.line_bytes, frames_});
    }
    for (const Memory &memory : regions_.all()) {
        for (std::uint32_t i = 0; i < memory.asked.channels; i++) {
            channels.emplace_back(memory.asked, memory.domain, links_, features_);
        }
    }
}

std::uint64_t Machine::mask_of(std::size_t i, std::uint32_t core)
{
    const std::uint64_t mask = platform_.levels[i].way_masks[core];
    return mask == 0 ? ALL_WAYS : mask;
}

std::uint64_t Machine::line_of(std::uint32_t task, std::uint64_t address) const
{
    return ((std::uint64_t{space_of(task, address)} << SPACE_SHIFT) + address) /
           platform_.line_bytes;
}

/* Whose memory a task has at the address: its own, or its program's. */
std::uint32_t Machine::space_of(std::uint32_t task, std::uint64_t address) const
{
    if (task == KERNEL) {
        return KERNEL;
    }
    const laxity_sim_task &asked = *tasks_[task];
    for (std::uint32_t i = 0; i < asked.n_shared; i++) {
        if (asked.shared[i].begin <= address && address < asked.shared[i].end) {
            return PROGRAMS + asked.program;
        }
    }
    return task;
}

/* Whether the core waits for the request. */
bool Machine::blocks(const By &by, const Touch &touch) const
{
    switch (touch.kind) {
    case Kind::Fetch:
        return true;
    case Kind::Load:
        return touch.is_walk || by.task == KERNEL || platform_.fill_buffers == 0;
    case Kind::Store:
        break;
    }
    return platform_.store_entries == 0;
}

bool Machine::is_load_outstanding(std::uint32_t core, std::uint64_t now) const
{
    return std::ranges::any_of(requests_[core], [now](const RequestPtr &request) {
        return request->kind == Kind::Load && request->is_outstanding(now);
    });
}

std::optional<std::uint64_t> Machine::loads_done(std::uint32_t core) const
{
    std::uint64_t last = 0;
    for (const RequestPtr &request : requests_[core]) {
        if (request->kind != Kind::Load) {
            continue;
        }
        const std::optional<std::uint64_t> done = request->done();
        if (!done) {
            return std::nullopt;
        }
        last = std::max(last, *done);
    }
    return last;
}

void Machine::run_on(std::uint32_t task, std::uint32_t core)
{
    last_core_[task] = core;
    cores_run_on_[task].insert(core);
}

bool Machine::has_run_on(std::uint32_t task, std::uint32_t core) const
{
    const auto found = cores_run_on_.find(task);
    return found != cores_run_on_.end() && found->second.contains(core);
}

bool Machine::has_run_in(std::uint32_t task, std::uint32_t domain) const
{
    for (std::uint32_t core = 0; core < platform_.cores; core++) {
        if (links_.domain_of(core) == domain && has_run_on(task, core)) {
            return true;
        }
    }
    return false;
}

std::optional<std::uint32_t> Machine::ran_last_on(std::uint32_t task) const
{
    const auto found = last_core_.find(task);
    return found == last_core_.end() ? std::nullopt : std::optional{found->second};
}

void Machine::count(const By &by, const Touch &touch, bool is_miss, bool is_join)
{
    laxity_sim_counts &counts = totals_.cores[by.core];
    switch (touch.kind) {
    case Kind::Fetch:
        counts.fetches++;
        counts.fetch_misses += is_miss ? 1 : 0;
        break;
    case Kind::Load:
        counts.loads++;
        counts.load_misses += is_miss ? 1 : 0;
        break;
    case Kind::Store:
        counts.stores++;
        counts.store_misses += is_miss ? 1 : 0;
        break;
    }
    counts.joins += is_join ? 1 : 0;
    counts.fetch_joins += is_join && touch.kind == Kind::Fetch ? 1 : 0;
}

/* Of the core's outstanding requests of the line the one with the highest number. */
Machine::RequestPtr Machine::outstanding_of(const By &by, std::uint64_t line)
{
    RequestPtr last;
    for (const RequestPtr &request : requests_[by.core]) {
        if (request->line == line && request->is_outstanding(by.now)) {
            last = request;
        }
    }
    return last;
}

/* The page of the line has a frame and a home from now on. */
void Machine::settle(const By &by, std::uint64_t line)
{
    frames_->touch(line);
    regions_.touch(line, by.core);
}

Answer Machine::access(const By &by, const Touch &touch, bool has_waited)
{
    if (!regions_.is_cached(touch.line)) {
        return pass_caches(by, touch);
    }
    Cache &first = first_level(by.core, touch.kind);
    Place *const place = first.find(touch.line);
    const bool writes_through = platform_.writes_through && touch.kind == Kind::Store;
    if (place != nullptr && !writes_through) {
        return hit(by, touch, *place, has_waited);
    }
    if (place != nullptr && !has_waited) {
        first.use(*place);
    }
    settle(by, touch.line);
    features_.placed[platform_.placement]++;
    regions_.count(touch.line);
    const std::uint64_t space = touch.line * platform_.line_bytes >> SPACE_SHIFT;
    features_.shared_accesses += space >= PROGRAMS && space != KERNEL ? 1 : 0;
    const RequestPtr on_its_way = outstanding_of(by, touch.line);
    if (on_its_way == nullptr || has_waited) {
        return miss(by, touch, place != nullptr);
    }
    if (writes_through) {
        features_.through_joins += place != nullptr ? 1 : 0;
        return join(by, touch, on_its_way);
    }
    if (const std::optional<Place> victim = allocate_first(by, touch, nullptr)) {
        hand_down(by, *victim, 0);
    }
    return join(by, touch, on_its_way);
}

Answer Machine::hit(const By &by, const Touch &touch, Place &place, bool has_waited)
{
    const RequestPtr on_its_way = outstanding_of(by, touch.line);
    if (!has_waited) {
        first_level(by.core, touch.kind).use(place);
    }
    if (!has_waited && on_its_way != nullptr) {
        place.is_dirty |= touch.kind == Kind::Store;
        return join(by, touch, on_its_way);
    }
    if (touch.kind == Kind::Store && place.is_shared) {
        return upgrade(by, touch, place);
    }
    place.is_dirty |= touch.kind == Kind::Store;
    count(by, touch, false, false);
    return {};
}

Answer Machine::join(const By &by, const Touch &touch, const RequestPtr &request)
{
    if (request->is_merging && touch.kind != Kind::Store) {
        send(by, *request);
    } else if (request->is_merging) {
        note_bytes(by, touch, *request);
    }
    count(by, touch, true, true);
    return {.waits = touch.kind != Kind::Store && blocks(by, touch), .request = request};
}

/* Section 3, "Room"; none: there is. */
std::optional<Answer> Machine::find_no_room(const By &by, const Touch &touch, bool is_upgrade)
{
    if (const std::optional<Answer> owes = pay_debts(by)) {
        features_.upgrades_that_pay += is_upgrade ? 1 : 0;
        return owes;
    }
    const bool is_load = touch.kind == Kind::Load && !blocks(by, touch);
    const bool is_store = touch.kind == Kind::Store && platform_.store_entries > 0;
    std::vector<RequestPtr> alike;
    for (const RequestPtr &request : requests_[by.core]) {
        if (request->kind == touch.kind && request->is_outstanding(by.now)) {
            alike.push_back(request);
        }
    }
    if (is_load && alike.size() >= platform_.fill_buffers) {
        features_.waits_for_fill_buffers++;
        return Answer{.has_no_room = true, .waits = true, .request = alike.front()};
    }
    if (is_store && alike.size() >= platform_.store_entries) {
        features_.waits_for_store_entries++;
        if (alike.front()->is_merging) {
            send(by, *alike.front());
        }
        return Answer{.has_no_room = true, .waits = true, .request = alike.front()};
    }
    if (is_upgrade || !is_channel_full(by, touch)) {
        return std::nullopt;
    }
    features_.waits_for_channels++;
    return Answer{.has_no_room = true, .waits = true, .channel = channel_number(touch.line)};
}

bool Machine::is_channel_full(const By &by, const Touch &touch)
{
    const Channel &channel = channel_of(touch.line);
    if (!regions_.is_cached(touch.line)) {
        return channel.is_full(touch.kind == Kind::Store);
    }
    if (others_hold(by, touch) || levels_hold(by, touch.line)) {
        return false;
    }
    return channel.is_full(true) || (channel.is_full(false) && !merges(by, touch));
}

/* Section 3, "Room" and "Debts"; none: the core owes nothing any more. */
std::optional<Answer> Machine::pay_debts(const By &by)
{
    std::set<Debt> &debts = debts_[by.core];
    while (!debts.empty()) {
        const Debt debt = *debts.begin();
        if (channels[debt.channel].is_full(!debt.is_reads)) {
            (debt.is_reads ? features_.waits_for_owed_reads : features_.waits_for_owed_writes)++;
            features_.owed_by_others += debt.task != by.task ? 1 : 0;
            return Answer{.has_no_room = true, .waits = true, .channel = debt.channel};
        }
        debts.erase(debts.begin());
    }
    return std::nullopt;
}

Machine::RequestPtr Machine::make_request(const By &by, const Touch &touch)
{
    std::vector<RequestPtr> &made = requests_[by.core];
    const std::uint64_t number = made.empty() ? 0 : made.back()->number + 1;
    /* None of those that are done is asked for any more; the last one has the number. */
    std::erase_if(made, [&](const RequestPtr &request) {
        return request->number + 1 < number && !request->is_outstanding(by.now);
    });
    made.push_back(std::make_shared<Request>(Request{
        .number = number,
        .core = by.core,
        .task = by.task,
        .line = touch.line,
        .kind = touch.kind,
        .cause = Cause::Own,
        .bytes = std::vector<bool>(platform_.line_bytes, false),
        .wish = wish(by, touch),
    }));
    return made.back();
}

/* Steps 4 a and b: the line gets a place in the first level. The victim. */
std::optional<Place> Machine::allocate_first(const By &by, const Touch &touch, Request *request)
{
    Cache &first = first_level(by.core, touch.kind);
    if (passes_first(touch)) {
        count_lost(by, touch, request);
        take_lost(first, touch.line, request);
        return std::nullopt;
    }
    const std::optional<Place> victim = first.allocate(touch.line, ALL_WAYS);
    if (Place *const place = first.find(touch.line)) {
        place->is_dirty = touch.kind == Kind::Store;
    }
    if (victim) {
        const std::vector<RequestPtr> requests = requests_[by.core];
        for (const RequestPtr &other : requests) {
            if (other->is_merging && other->line == victim->line) {
                send(by, *other);
            }
        }
        note_lost(first, victim->line, by);
    }
    /* Behind the victim: what merged and was sent for it may have lost the line anew. */
    count_lost(by, touch, request);
    take_lost(first, touch.line, request);
    return victim;
}

/* A miss of the first level that the access makes a request for; NULL: none is made. */
void Machine::count_lost(const By &by, const Touch &touch, const Request *request)
{
    if (request != nullptr && first_level(by.core, touch.kind).lost.contains(touch.line)) {
        laxity_sim_counts &counts = totals_.cores[by.core];
        (touch.kind == Kind::Fetch ? counts.lost_fetches : counts.lost_data)++;
    }
}

/* Steps 3 and 4. is_held: by the first level, through which a store writes. */
Answer Machine::miss(const By &by, const Touch &touch, bool is_held)
{
    if (const std::optional<Answer> no_room = find_no_room(by, touch, false)) {
        return *no_room;
    }
    const RequestPtr request = make_request(by, touch);
    request->at = by.now;
    const std::optional<Place> victim = allocate_first(by, touch, request.get());
    const Copies copies = take_from_others(by, touch, *request);
    if (copies.dirty_on) {
        transfer(by, touch, *request, *copies.dirty_on);
    } else if (!copies.are_held && merges(by, touch)) {
        request->is_merging = true;
        note_bytes(by, touch, *request);
    } else {
        walk(by, *request);
    }
    if (victim) {
        hand_down(by, *victim, 0);
    }
    if (passes_first(touch)) {
        write_back(by, touch.line, 0);
    }
    features_.through_hits += is_held ? 1 : 0;
    count(by, touch, !is_held, false);
    return {.waits = blocks(by, touch), .request = request};
}

bool Machine::levels_hold(const By &by, std::uint64_t line)
{
    for (std::size_t i = 0; i < levels_.size(); i++) {
        if (level(i, by.core).find(line) != nullptr) {
            return true;
        }
    }
    return false;
}

bool Machine::merges(const By &by, const Touch &touch)
{
    return touch.kind == Kind::Store && platform_.merges_stores && platform_.store_entries > 0 &&
           !passes_first(touch) && !others_hold(by, touch) && !levels_hold(by, touch.line);
}

void Machine::note_bytes(const By &by, const Touch &touch, Request &request)
{
    for (std::uint64_t i = 0; i < touch.n_bytes; i++) {
        request.bytes[touch.first_byte + i] = true;
    }
    if (std::ranges::find(request.bytes, false) == request.bytes.end()) {
        request.is_merging = false;
        request.at = by.now;
        totals_.cores[by.core].merged++;
    }
}

/* A request that merges is read after all, for its task, whoever makes it so. */
void Machine::send(const By &by, Request &request)
{
    request.is_merging = false;
    features_.merging_sent++;
    walk({by.core, request.task, by.now}, request);
}

void Machine::send_merging(const By &by)
{
    const std::vector<RequestPtr> requests = requests_[by.core];
    for (const RequestPtr &request : requests) {
        if (request->is_merging) {
            send(by, *request);
        }
    }
}

/* What the cache notes of the line is known from now on; NULL: to nobody. */
void Machine::take_lost(Cache &cache, std::uint64_t line, Request *request)
{
    const auto found = cache.lost.find(line);
    if (found == cache.lost.end()) {
        return;
    }
    if (request != nullptr && request->cause == Cause::Own) {
        request->cause = found->second;
    }
    cache.lost.erase(found);
}

void Machine::note_lost(Cache &cache, std::uint64_t victim, const By &by)
{
    const auto space = static_cast<std::uint32_t>(victim * cache.line_bytes() >> SPACE_SHIFT);
    if (space == KERNEL) {
        return;
    }
    bool is_own = false;
    bool is_here = false; /* a task whose it is runs on the core, or has run last */
    for (std::uint32_t task = 0; task < tasks_.size(); task++) {
        if (task == space || PROGRAMS + tasks_[task]->program == space) {
            is_own |= task == by.task;
            is_here |= ran_last_on(task) == by.core;
        }
    }
    if (space >= PROGRAMS) {
        (is_own    ? features_.shared_own
         : is_here ? features_.shared_reload
                   : features_.shared_lost)++;
    }
    if (is_own) {
        cache.lost.erase(victim);
        return;
    }
    cache.lost[victim] = is_here ? Cause::Reload : Cause::Shared;
}

} // namespace naive
