/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "engine/hierarchy.hpp"

#include "interface/engine.h"
#include "model/cache.hpp"
#include "model/frames.hpp"
#include "model/lost.hpp"
#include "model/memory.hpp"
#include "model/strides.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace laxity {

Hierarchy::Hierarchy(const laxity_sim_platform &platform, std::span<const laxity_sim_task> tasks)
    : platform_(platform),
      page_shift_(static_cast<unsigned>(std::countr_zero(PAGE_BYTES / platform.line_bytes))),
      n_levels_(platform.n_levels),
      writes_through_(platform.writes_through || platform.l1d.size_bytes == 0),
      merges_(platform.merges_stores && platform.store_entries > 0 && !writes_through_),
      frames_(platform), links_(platform), regions_(platform_, tasks, links_),
      memory_(regions_.instances(), platform.cores)
{
    for (const laxity_sim_task &task : tasks) {
        tasks_.push_back({.program = task.program});
        n_programs_ = std::max(n_programs_, task.program + 1);
    }
    n_last_.resize(std::size_t{n_programs_} * platform.cores);
    for (std::uint32_t core = 0; core < platform.cores; core++) {
        cores_.push_back({
            .l1i = Store{platform.l1i, platform.line_bytes},
            .l1d = Store{platform.l1d, platform.line_bytes},
            .itlb = {.pages = Store{platform.itlb, PAGE_BYTES}},
            .dtlb = {.pages = Store{platform.dtlb, PAGE_BYTES}},
            .debts = {},
        });
    }
    for (std::uint32_t i = 0; i < platform.n_levels; i++) {
        const laxity_sim_level &level = platform.levels[i];
        wishes_ = level.prefetch == LAXITY_SIM_PREFETCH_STRIDE;
        n_levels_on_ += level.cache.size_bytes > 0 ? 1 : 0;
        hands_down_clean_ |= level.cache.size_bytes > 0 && level.inclusion == LAXITY_SIM_EXCLUSIVE;
        is_coupling_ |= level.cache.size_bytes > 0 && level.inclusion == LAXITY_SIM_INCLUSIVE &&
                        std::min(level.cores, platform.cores) > 1;
        const std::uint32_t n = (platform.cores + level.cores - 1) / level.cores;
        std::vector<Store> &stores = levels_.emplace_back();
        const bool keeps_places =
            std::ranges::any_of(level.way_masks, [](std::uint64_t mask) { return mask != 0; });
        for (std::uint32_t instance = 0; instance < n; instance++) {
            stores.emplace_back(level.cache, platform.line_bytes, keeps_places);
        }
        for (std::uint32_t core = 0; core < platform.cores; core++) {
            level_of_.push_back(&stores[core / level.cores]); /* none moves */
        }
    }
}

std::uint64_t Hierarchy::settle(const Decision &served)
{
    counts(served.core).row_hits += served.is_row_hit ? 1 : 0;
    const Read *const read = memory_.reads().find(served.read);
    if (read == nullptr) {
        return 0;
    }
    for (std::uint64_t left = read->cores; left != 0; left &= left - 1) {
        cores_[static_cast<std::size_t>(std::countr_zero(left))].requests.settle_all(*read);
    }
    return read->cores;
}

std::uint64_t Hierarchy::loads_done(std::uint32_t core)
{
    std::uint64_t done = 0;
    for (const Request &request : cores_[core].requests.all()) {
        if (request.kind == Kind::Load) {
            done = std::max(done, request.done);
        }
    }
    return done;
}

void Hierarchy::place(std::uint32_t task, std::uint32_t core)
{
    TaskPlace &place = tasks_[task];
    n_last(place.program, place.core) -= place.visited == 0 ? 0 : 1;
    n_last(place.program, core)++;
    place.core = core;
    place.visited |= std::uint64_t{1} << core;
}

void Hierarchy::note_lost(Store &store, const Place &victim, std::uint32_t core, std::uint32_t task)
{
    if (victim.is_empty()) {
        return;
    }
    const std::uint64_t line = victim.line();
    const std::uint64_t space = line >> store.space_shift;
    const std::uint64_t program = space - PROGRAM_SPACES;
    const bool is_program = program < n_programs_;
    if (space == task || (is_program && task != KERNEL && tasks_[task].program == program)) {
        (void)store.lost.take(line);
    } else if (is_program) {
        const bool is_here = n_last(static_cast<std::uint32_t>(program), core) > 0;
        store.lost.set(line, is_here ? Cause::Reload : Cause::Shared);
    } else if (space < tasks_.size()) { /* not the kernel, nor beyond the last address */
        store.lost.set(line, tasks_[space].core == core ? Cause::Reload : Cause::Shared);
    }
}

void Hierarchy::find_cause(Store &store, std::uint64_t line, Cause &cause)
{
    const Cause lost = store.lost.take(line);
    cause = cause == Cause::Own ? lost : cause;
}

/* A miss of the first level. */
void Hierarchy::count_lost(Own &own, Kind kind, Cause cause)
{
    const std::uint64_t lost = cause == Cause::Own ? 0 : 1;
    (kind == Kind::Fetch ? own.counts.lost_fetches : own.counts.lost_data) += lost;
}

void Hierarchy::send_merging(std::uint32_t core, std::uint64_t now)
{
    for (Request &request : cores_[core].requests.all()) {
        if (request.is_merging) {
            send(request, core, now);
        }
    }
}

/* Calls the function with each cache of another core that may hold the line, and is not this
 * core's, too. */
template <typename Function> void Hierarchy::each_copy(const Touch &touch, Function function)
{
    if (touch.task == KERNEL) {
        return;
    }
    std::uint64_t others = tasks_[touch.task].visited & ~(std::uint64_t{1} << touch.core);
    for (; others != 0; others &= others - 1) {
        const auto other = static_cast<std::uint32_t>(std::countr_zero(others));
        function(first_level(other, touch.kind).cache, touch.line, other);
        const std::size_t n = first_common_level(touch.core, other);
        for (std::size_t i = 0; i < n; i++) {
            function(level(i, other).cache, touch.at, other);
        }
    }
}

/* Step c. */
[[gnu::always_inline]] inline Hierarchy::Copies Hierarchy::look_elsewhere(const Touch &touch)
{
    Copies copies;
    each_copy(touch, [&](Cache &cache, std::uint64_t at, std::uint32_t other) {
        Place *const place = cache.find(touch.line, at);
        if (place == nullptr) {
            return;
        }
        copies.is_any = true;
        copies.dirty_core = !copies.is_dirty && place->is_dirty() ? other : copies.dirty_core;
        copies.is_dirty |= place->is_dirty();
        copies.round_trip = std::max(copies.round_trip, round_trip(touch.core, other));
        if (touch.kind == Kind::Load) {
            place->set_shared();
            place->set_clean();
        } else if (touch.kind == Kind::Store) {
            cache.remove(touch.line, at);
        }
    });
    return copies;
}

/* Whether a level of its core holds the line. */
bool Hierarchy::is_below(const Touch &touch)
{
    for (std::size_t i = 0; i < n_levels_; i++) {
        if (level(i, touch.core).cache.find(touch.line, touch.at) != nullptr) {
            return true;
        }
    }
    return false;
}

/* The task has left the line on another core, and may have brought it along since. */
void Hierarchy::count_moved(const Touch &touch)
{
    laxity_sim_counts &counted = counts(touch.core);
    const std::uint64_t brought = is_below(touch) ? 0 : 1;
    (touch.kind == Kind::Fetch  ? counted.moved_fetches
     : touch.kind == Kind::Load ? counted.moved_loads
                                : counted.moved_stores) += brought;
}

/* Whether a cache holds the line that memory need not be asked for it. */
bool Hierarchy::is_held(const Touch &touch)
{
    if (is_below(touch)) {
        return true;
    }
    bool is_found = false;
    each_copy(touch, [&touch, &is_found](Cache &cache, std::uint64_t at, std::uint32_t) {
        is_found |= cache.find(touch.line, at) != nullptr;
    });
    return is_found;
}

bool Hierarchy::will_merge(const Touch &touch)
{
    return touch.kind == Kind::Store && merges_ && !is_held(touch);
}

/* A core has sent a channel something. If that was more than it has room for, others wait who find
 * none; so shall the core, or those who only hit in a level might go on so for ever. */
void Hierarchy::note_debt(std::uint32_t core, std::size_t channel, bool is_of_reads)
{
    std::vector<Debt> &debts = cores_[core].debts;
    const Debt debt{.channel = channel, .is_of_reads = is_of_reads};
    const auto place = std::ranges::lower_bound(debts, debt);
    if (place == debts.end() || *place != debt) {
        debts.insert(place, debt);
    }
}

/* Whether a core owes nothing any more. */
bool Hierarchy::pays(Own &own)
{
    const auto unpaid = std::ranges::find_if(own.debts, [this](const Debt &debt) {
        return memory_.channels()[debt.channel].lacks(debt.room());
    });
    own.debts.erase(own.debts.begin(), unpaid);
    return own.debts.empty();
}

/* Whether an access may find its line when it has waited: tasks that have been on one core only
 * have what they do not share for themselves. The kernel shares all. */
bool Hierarchy::is_brought_by_others(const Touch &touch) const
{
    const std::uint64_t space = touch.line >> cores_[touch.core].l1d.space_shift;
    return space >= PROGRAM_SPACES || !std::has_single_bit(tasks_[touch.task].visited);
}

/* How many requests of its kind may be outstanding before it is made; 0: any number. */
std::uint32_t Hierarchy::limit_of(const Touch &touch) const
{
    if (touch.kind == Kind::Store) {
        return platform_.store_entries;
    }
    return touch.kind == Kind::Fetch || touch.is_blocking() ? 0 : platform_.fill_buffers;
}

/* Of the channel of its line. */
Room Hierarchy::needed_of(const Touch &touch) const
{
    const bool is_store = touch.kind == Kind::Store;
    if (!touch.is_cached) {
        return {.is_of_writes = is_store, .is_of_reads = !is_store};
    }
    /* What merges is never read; in the end it is written. */
    return {.is_of_writes = true, .is_of_reads = !is_store || !merges_};
}

/* Step 3. */
[[gnu::always_inline]] inline Answer
Hierarchy::room(const Touch &touch, std::uint64_t now, bool is_upgrade)
{
    Own &own = cores_[touch.core];
    if (!own.debts.empty() && !pays(own)) {
        /* Nobody else brings a line to the first level: who has come here will do so again. */
        const Debt &debt = own.debts.front();
        Channel &channel = memory_.channels()[debt.channel];
        return {.what = Answer::WaitsChannel, .channel = &channel, .room = debt.room()};
    }
    const std::uint32_t limit = limit_of(touch);
    if (limit > 0 && own.requests.count(touch.kind) >= limit) {
        Request &first = own.requests.first(touch.kind);
        if (first.is_merging) {
            send(first, touch.core, now);
        }
        return {.what = Answer::WaitsRequest, .request = first.number};
    }
    Channel &channel = memory_.channel_of(touch.instance, touch.at);
    const Room needed = needed_of(touch);
    if (is_upgrade || !channel.lacks(needed) || (touch.is_cached && is_held(touch))) {
        return {.what = Answer::Done};
    }
    return {
        .what = Answer::WaitsChannel,
        .channel = &channel,
        .room = is_brought_by_others(touch) ? Room{} : needed,
    };
}

[[gnu::always_inline]] inline Request &Hierarchy::make(const Touch &touch, Cause cause)
{
    Own &own = cores_[touch.core];
    std::uint64_t wish = touch.line;
    if (wishes_ && touch.is_cached && touch.kind == Kind::Load &&
        touch.instruction != NO_INSTRUCTION) {
        wish = own.strides.note(touch.instruction, touch.line).value_or(wish);
    }
    Request &request = own.requests.make(touch.kind, touch.line);
    request.at = touch.at;
    request.instance = touch.instance;
    request.task = touch.task;
    request.cause = cause;
    request.wish = wish;
    return request;
}

/* A request is done when a read is, if that is not done yet, and not before. */
void Hierarchy::wait_for(Request &request, std::uint32_t core, std::uint64_t number)
{
    Requests &requests = cores_[core].requests;
    Read *const read = memory_.reads().find(number);
    if (read == nullptr) {
        requests.set_done(request, request.earliest);
    } else if (read->done != NEVER) {
        requests.settle(request, *read);
    } else {
        request.read = number;
        request.pending_until = std::max(request.earliest, read->earliest);
        read->cores |= std::uint64_t{1} << core;
    }
}

/* A line that is there comes with a request. It is outstanding for certain if it merges, as only
 * its own core sends it, and as long as its read cannot be done. What waits for it, or sends it,
 * needs its turn. */
bool Hierarchy::join_privately(
    Own &own, Kind kind, Place &place, Request &request, Bytes bytes, std::uint64_t now
) const
{
    const bool is_certain =
        request.is_merging || request.done != NEVER || now < request.pending_until;
    const bool must_wait =
        kind == Kind::Fetch ||
        (kind == Kind::Load && (request.is_merging || platform_.fill_buffers == 0));
    if (!is_certain || must_wait || (kind == Kind::Store && writes_through_)) {
        return false;
    }
    own.same = {};
    if (kind == Kind::Load) {
        own.loaded.push_back(request.number);
    } else {
        place.set_dirty();
    }
    count(own, kind);
    count_miss(own, kind);
    own.counts.joins++;
    if (request.is_merging) {
        own.same = {.is_known = true, .merging = &request};
        note_written(own, request, written_of(request.line, bytes), now);
    }
    return true;
}

Answer Hierarchy::join(const Touch &touch, Request &request, std::uint64_t now)
{
    counts(touch.core).joins++;
    counts(touch.core).fetch_joins += touch.kind == Kind::Fetch ? 1 : 0;
    if (request.is_merging) {
        if (touch.kind != Kind::Store) {
            send(request, touch.core, now);
        } else {
            note_written(cores_[touch.core], request, touch.written, now);
        }
    }
    return {.what = Answer::Asked, .request = request.number, .is_joined = true};
}

/* Steps a and b for what is replaced, without its write-back. */
[[gnu::always_inline]] inline Place Hierarchy::allocate_first(const Touch &touch, std::uint64_t now)
{
    Store &first = first_level(touch.core, touch.kind);
    if (!first.cache.exists()) {
        return Place{};
    }
    const bool is_dirty = touch.kind == Kind::Store;
    cores_[touch.core].absent = NEVER;
    const Place victim = first.cache.allocate(touch.line, touch.line, 0, is_dirty);
    if (!victim.is_empty()) {
        for (Request &request : cores_[touch.core].requests.all()) {
            if (request.is_merging && request.line == victim.line()) {
                send(request, touch.core, now);
            }
        }
        note_lost(first, victim, touch.core, touch.task);
    }
    return victim;
}

/* The first level that is one core's and the other one's, too; else how many there are. */
std::size_t Hierarchy::first_common_level(std::uint32_t core, std::uint32_t other) const
{
    std::size_t i = 0;
    while (i < n_levels_ && core / platform_.levels[i].cores != other / platform_.levels[i].cores) {
        i++;
    }
    return i;
}

std::uint64_t Hierarchy::round_trip(std::uint32_t core, std::uint32_t other) const
{
    return links_.round_trip(links_.domain_of(core), links_.domain_of(other));
}

bool Hierarchy::has_been_in(std::uint32_t task, std::uint32_t domain) const
{
    return task != KERNEL && (tasks_[task].visited & links_.cores_of(domain)) != 0;
}

/* Step 0, where the memory is not the core's own. */
Answer Hierarchy::touch_uncached(const Touch &touch, std::uint64_t now)
{
    const Answer answer = room(touch, now, false);
    if (answer.what != Answer::Done) {
        return answer;
    }
    counts(touch.core).uncached++;
    const std::uint32_t core = regions_.instances()[touch.instance].core;
    const bool is_left_behind = core != Instance::NOBODY && touch.task != KERNEL &&
                                (tasks_[touch.task].visited >> core & 1U) != 0;
    Request &request = make(touch, is_left_behind ? Cause::Moved : Cause::Own);
    const std::uint64_t sent = now + request_ticks(touch.instance);
    const bool is_word = touch.kind != Kind::Fetch;
    const Message message{.at = touch.at, .arrival = sent, .core = touch.core, .is_word = is_word};
    if (touch.kind == Kind::Store) {
        cores_[touch.core].requests.set_done(request, sent);
        write(touch.instance, message);
    } else {
        wait_for(request, touch.core, read(request, message, now));
    }
    return {.what = Answer::Asked, .request = request.number};
}

/* Step 4. */
[[gnu::always_inline]] inline Answer Hierarchy::ask(const Touch &touch, std::uint64_t now)
{
    Own &own = cores_[touch.core];
    const bool goes_through = touch.kind == Kind::Store && writes_through_;
    const Place victim = goes_through ? Place{} : allocate_first(touch, now);
    Store &first = first_level(touch.core, touch.kind);
    Cause cause = Cause::Own;
    find_cause(first, touch.line, cause);
    count_lost(own, touch.kind, cause);
    const Copies copies = look_elsewhere(touch);
    if (copies.is_any) {
        count_moved(touch);
        cause = cause == Cause::Own ? Cause::Moved : cause;
        /* What merged and was sent for the victim may have taken the line away again. */
        Place *const place = first.cache.find(touch.line);
        if (touch.kind == Kind::Load && place != nullptr) {
            place->set_shared();
        }
    }
    Request &request = make(touch, cause);
    if (copies.is_dirty) {
        counts(touch.core).transfers++;
        own.requests.set_done(
            request, now + platform_.transfer_ticks + round_trip(touch.core, copies.dirty_core)
        );
        if (touch.kind == Kind::Load) {
            write_back(touch, first_common_level(touch.core, copies.dirty_core), now);
        }
    } else if (!copies.is_any && will_merge(touch)) {
        request.is_merging = true;
        note_written(cores_[touch.core], request, touch.written, now);
    } else if (goes_through && n_levels_on_ == 0) {
        own.requests.set_done(request, now + request_ticks(touch.instance));
    } else {
        send(request, touch.core, now);
    }
    if (is_handed_down(victim)) {
        hand_down(victim, 0, touch.core, touch.task, now);
    }
    if (goes_through) {
        write_back(touch, 0, now);
    }
    return {.what = Answer::Asked, .request = request.number};
}

/* A store to a line that others may hold, too. */
Answer Hierarchy::upgrade(const Touch &touch, Place &place, std::uint64_t now)
{
    const Copies copies = look_elsewhere(touch);
    place.set_unshared();
    place.set_dirty();
    counts(touch.core).upgrades++;
    Request &request = make(touch, Cause::Moved);
    cores_[touch.core].requests.set_done(
        request, now + platform_.upgrade_ticks + copies.round_trip
    );
    return {.what = Answer::Asked, .request = request.number};
}

/* Step 2: a line that is on its way, and that the first level has evicted in the meantime. */
void Hierarchy::allocate_awaited(const Touch &touch, std::uint64_t now)
{
    const Place victim = allocate_first(touch, now);
    Cause unused = Cause::Own;
    find_cause(first_level(touch.core, touch.kind), touch.line, unused);
    if (is_handed_down(victim)) {
        hand_down(victim, 0, touch.core, touch.task, now);
    }
}

Answer Hierarchy::touch(Touch &&touch, std::uint64_t now)
{
    touch.at = frames_.physical(touch.line);
    cores_[touch.core].requests.forget_done(now);
    if (regions_.is_plain()) {
        return touch_cached(touch, now);
    }
    const Lying &lying = regions_.used(touch.line, links_.domain_of(touch.core));
    touch.instance = lying.instance;
    touch.is_cached = lying.is_cached;
    return touch.is_cached ? touch_cached(touch, now) : touch_uncached(touch, now);
}

/* Steps 1 to 3. */
Answer Hierarchy::touch_cached(const Touch &touch, std::uint64_t now)
{
    Own &own = cores_[touch.core];
    const bool is_absent = touch.kind != Kind::Fetch && touch.line == own.absent;
    Place *const place =
        is_absent ? nullptr : first_level(touch.core, touch.kind).cache.use(touch.line);
    Request *const pending = own.requests.outstanding(touch.line, now);
    /* What goes through may find its line, and goes on all the same. */
    const bool goes_through = touch.kind == Kind::Store && writes_through_;
    const bool is_hit = place != nullptr && !goes_through;
    const bool is_upgrade =
        is_hit && pending == nullptr && touch.kind == Kind::Store && place->is_shared();
    if (pending == nullptr && (!is_hit || is_upgrade)) {
        const Answer answer = room(touch, now, is_upgrade);
        if (answer.what != Answer::Done) {
            return answer;
        }
    }
    count(own, touch.kind);
    if (is_upgrade) {
        return upgrade(touch, *place, now);
    }
    if (is_hit && touch.kind == Kind::Store) {
        place->set_dirty();
    }
    if (is_hit && pending == nullptr) {
        return {.what = Answer::Done};
    }
    if (place == nullptr || pending != nullptr) {
        count_miss(own, touch.kind);
    }
    if (pending == nullptr) {
        return ask(touch, now);
    }
    if (place == nullptr && !goes_through) {
        allocate_awaited(touch, now);
    }
    return join(touch, *pending, now);
}

} // namespace laxity
