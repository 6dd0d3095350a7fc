/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What goes to memories (docs/simulation-model.md, section 3: step 0, reads, writes, debts). */
#include "frames.hpp"
#include "interface/engine.h"
#include "links.hpp"
#include "machine.hpp"
#include "memory.hpp"
#include "regions.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace naive {

/* Step 0. */
Answer Machine::pass_caches(const By &by, const Touch &touch)
{
    const std::optional<std::uint32_t> owner = regions_.owner_of(touch.line);
    if (owner == by.core) {
        totals_.cores[by.core].uncached++;
        features_.uncached_own++;
        return {};
    }
    settle(by, touch.line);
    if (const std::optional<Answer> no_room = find_no_room(by, touch, false)) {
        features_.uncached_no_room++;
        return *no_room;
    }
    const RequestPtr request = make_request(by, touch);
    request->at = by.now;
    if (owner && has_run_on(by.task, *owner)) {
        request->cause = Cause::Moved;
        features_.uncached_moved++;
    }
    const std::uint64_t departs = by.now + request_ticks(touch.line);
    if (touch.kind == Kind::Store) {
        send_write(by, touch.line, true);
        request->at = departs;
    } else {
        request->read = send_read(by, touch.line, departs, touch.kind == Kind::Load);
    }
    totals_.cores[by.core].uncached++;
    count_uncached(by, touch);
    return {.waits = blocks(by, touch), .request = request};
}

void Machine::count_uncached(const By &by, const Touch &touch)
{
    (touch.kind == Kind::Fetch  ? features_.uncached_fetches
     : touch.kind == Kind::Load ? features_.uncached_loads
                                : features_.uncached_stores)++;
    features_.uncached_aliases += regions_.is_alias(touch.line) ? 1 : 0;
    if (const std::optional<std::uint32_t> owner = regions_.owner_of(touch.line)) {
        const bool is_far = links_.domain_of(*owner) != links_.domain_of(by.core);
        (is_far ? features_.uncached_far : features_.uncached_near)++;
    }
}

/* departs: from its core; is_word: of a region that is not cached. */
std::shared_ptr<Read>
Machine::send_read(const By &by, std::uint64_t line, std::uint64_t departs, bool is_word)
{
    const std::uint32_t from = links_.domain_of(by.core);
    const std::uint32_t to = regions_.memory_of(line).domain;
    laxity_sim_counts &counts = totals_.cores[by.core];
    counts.reads += regions_.is_cached(line) ? 1 : 0;
    std::uint64_t away = 0;
    if (from != to) {
        counts.remote++;
        (is_word ? features_.remote_words_read : features_.remote_lines_read)++;
        away = has_run_in(by.task, to) ? links_.ticks_and_back(from, to) : 0;
    }
    Channel &channel = channel_of(line);
    const std::uint64_t arrival = departs + links_.ticks(from, to);
    std::shared_ptr<Read> read =
        channel.send_read({by.core, frames_->physical(line), arrival, is_word}, away);
    if (channel.is_overfull(false)) {
        debts_[by.core].insert({channel_number(line), true, by.task});
    }
    return read;
}

void Machine::send_write(const By &by, std::uint64_t line, bool is_word)
{
    const std::uint32_t from = links_.domain_of(by.core);
    const std::uint32_t to = regions_.memory_of(line).domain;
    laxity_sim_counts &counts = totals_.cores[by.core];
    counts.writes += regions_.is_cached(line) ? 1 : 0;
    if (from != to) {
        counts.remote++;
        (is_word ? features_.remote_words_written : features_.remote_lines_written)++;
    }
    const std::uint64_t departs = by.now + request_ticks(line);
    const std::uint64_t arrival =
        is_word ? departs + links_.ticks(from, to) : links_.bring({from, to, by.core, departs}).at;
    Channel &channel = channel_of(line);
    channel.send_write({by.core, frames_->physical(line), arrival, is_word});
    if (channel.is_overfull(true)) {
        debts_[by.core].insert({channel_number(line), false, by.task});
    }
}

} // namespace naive
