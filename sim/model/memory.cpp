/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "model/memory.hpp"

#include "interface/engine.h"
#include "model/links.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace laxity {

Channel::Channel(const laxity_sim_memory &memory, std::uint32_t domain, std::uint32_t cores)
    : memory_(memory), domain_(domain), banks_(memory.banks), granted_to_(cores)
{
    reads_.limit = memory.read_queue;
    writes_.limit = memory.write_queue;
    if (memory.refresh_interval > 0) {
        next_refresh_ = memory.refresh_interval;
    }
}

void Channel::send(const Message &message, ReadRef read)
{
    Queue &queue = read ? reads_ : writes_;
    queue.n_undecided++;
    Pending pending{
        .row = message.at / memory_.channels / memory_.row_lines,
        .arrival = message.arrival,
        .number = n_sent_++,
        .core = message.core,
        .is_word = message.is_word,
        .read = std::move(read),
        .granted_to_others = granted_to_others(message.core),
    };
    /* Nearly always it is the last one. */
    auto place = queue.waiting.end();
    while (place != queue.waiting.begin() && std::prev(place)->arrival > message.arrival) {
        place--;
    }
    queue.is_in_order &= place == queue.waiting.end();
    queue.waiting.insert(place, std::move(pending));
}

std::uint64_t Channel::next() const
{
    std::uint64_t arrival = buffer_.empty() ? NEVER : 0;
    for (const Queue *queue : {&reads_, &writes_}) {
        if (!queue->waiting.empty()) {
            arrival = std::min(arrival, queue->waiting.front().arrival);
        }
    }
    const std::uint64_t early = bus_free_ - std::min<std::uint64_t>(bus_free_, memory_.hit_ticks);
    return std::max({arrival, first_, early});
}

void Channel::refresh(std::uint64_t now)
{
    if (next_refresh_ > now) {
        return;
    }
    /* There may have been very many since the last decision: the last one is what is felt. */
    const std::uint64_t last = now - (now - next_refresh_) % memory_.refresh_interval;
    bus_free_ = std::max(bus_free_, last + memory_.refresh_ticks);
    for (Bank &bank : banks_) {
        bank.row = NEVER;
    }
    next_refresh_ = last + memory_.refresh_interval;
}

void Channel::fill_buffer(std::uint64_t now)
{
    while (buffer_.size() < memory_.reorder) {
        Queue *queue = is_turn_of_reads_ ? &reads_ : &writes_;
        if (queue->waiting.empty() || queue->waiting.front().arrival > now) {
            queue = is_turn_of_reads_ ? &writes_ : &reads_;
        }
        if (queue->waiting.empty() || queue->waiting.front().arrival > now) {
            return;
        }
        buffer_.push_back(std::move(queue->waiting.front()));
        queue->waiting.pop_front();
        is_turn_of_reads_ = queue == &writes_;
    }
}

/* The first whose row is open, else the first. */
std::size_t Channel::choose() const
{
    const auto is_open = [this](const Pending &pending) {
        return banks_[pending.row % banks_.size()].row == pending.row;
    };
    const auto open = std::ranges::find_if(buffer_, is_open);
    return open == buffer_.end() ? 0 : static_cast<std::size_t>(open - buffer_.begin());
}

/* What was read goes back; a word waits for no line on the link. */
Links::Arrival Channel::answer(const Pending &pending, std::uint64_t tick, Links &links) const
{
    const std::uint32_t to = links.domain_of(pending.core);
    if (pending.is_word) {
        return {.tick = tick + links.ticks(domain_, to), .waited_for_others = 0};
    }
    return links.carry(domain_, to, tick, pending.core);
}

Decision Channel::decide(Links &links)
{
    const std::uint64_t now = next();
    refresh(now);
    fill_buffer(now);
    const std::size_t chosen = choose();
    const Pending pending = std::move(buffer_[chosen]);
    buffer_.erase(buffer_.begin() + static_cast<std::ptrdiff_t>(chosen));
    const bool is_read{pending.read};
    (is_read ? reads_ : writes_).n_undecided--;

    Bank &bank = banks_[pending.row % banks_.size()];
    const bool is_hit = bank.row == pending.row;
    const bool is_conflict = !is_hit && bank.row != NEVER;
    std::uint64_t latency = is_hit ? memory_.hit_ticks : memory_.empty_ticks;
    latency = is_conflict ? memory_.conflict_ticks : latency;
    const std::uint64_t turnaround =
        has_decided_ && was_read_ != is_read ? memory_.turnaround_ticks : 0;
    const std::uint64_t data =
        std::max((is_hit ? now : std::max(now, bank.ready)) + latency, bus_free_ + turnaround);
    const std::uint64_t end = data + (pending.is_word ? memory_.word_ticks : memory_.line_ticks);
    if (is_read) {
        const bool is_others_row = is_conflict && bank.opened_by != pending.core;
        const std::uint64_t excess = latency > memory_.hit_ticks ? latency - memory_.hit_ticks : 0;
        const Links::Arrival arrival = answer(pending, end + memory_.response_ticks, links);
        pending.read->held_up = granted_to_others(pending.core) - pending.granted_to_others +
                                (is_others_row ? excess : 0) + arrival.waited_for_others;
        pending.read->done = arrival.tick;
    }
    const std::uint64_t granted = end - std::max(now, bus_free_);
    granted_ += granted;
    granted_to_[pending.core] += granted;
    bank.opened_by = is_hit ? bank.opened_by : pending.core;
    bank.row = pending.row;
    bank.ready = end;
    bus_free_ = end;
    first_ = now + 1;
    has_decided_ = true;
    was_read_ = is_read;
    return {.core = pending.core, .is_read = is_read, .is_row_hit = is_hit};
}

std::uint32_t Channel::oldest_core() const
{
    const bool is_of_reads = lacks({.is_of_reads = true});
    const Pending *oldest = nullptr;
    for (const Pending &pending : buffer_) {
        if (bool{pending.read} == is_of_reads &&
            (oldest == nullptr || pending.number < oldest->number)) {
            oldest = &pending;
        }
    }
    const Queue &queue = is_of_reads ? reads_ : writes_;
    if (queue.is_in_order && oldest != nullptr) {
        return oldest->core; /* what waits was sent behind it */
    }
    for (const Pending &pending : queue.waiting) {
        if (oldest == nullptr || pending.number < oldest->number) {
            oldest = &pending;
        }
    }
    return oldest == nullptr ? UINT32_MAX : oldest->core;
}

} // namespace laxity
