/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "model/memory.hpp"

#include "interface/engine.h"
#include "model/links.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace laxity {

Channel::Channel(const laxity_sim_memory &memory, std::uint32_t domain, std::uint32_t cores)
    : memory_(memory),
      least_ticks_(
          std::uint64_t{std::min({memory.hit_ticks, memory.empty_ticks, memory.conflict_ticks})} +
          memory.response_ticks
      ),
      domain_(domain), channels_(memory.channels), row_lines_(memory.row_lines),
      bank_count_(memory.banks), banks_(memory.banks), granted_to_(cores)
{
    reads_.limit = memory.read_queue;
    writes_.limit = memory.write_queue;
    if (memory.refresh_interval > 0) {
        next_refresh_ = memory.refresh_interval;
    }
}

void Channel::send(const Message &message, std::uint64_t read)
{
    Queue &queue = read == NO_READ ? writes_ : reads_;
    const std::uint64_t row = row_lines_.quotient(channels_.quotient(message.at));
    queue.n_undecided++;
    const Pending pending{
        .row = row,
        .arrival = message.arrival,
        .number = n_sent_++,
        .read = read,
        .granted_to_others = granted_to_others(message.core),
        .core = message.core,
        .bank = static_cast<std::uint32_t>(bank_count_.remainder(row)),
        .is_word = message.is_word,
    };
    queue.is_in_order &= queue.waiting.put_in_order(pending, [&pending](const Pending &other) {
        return other.arrival > pending.arrival;
    });
    find_next();
}

void Channel::find_next()
{
    const std::uint64_t arrival =
        buffer_.size() == 0 ? std::min(reads_.arrival(), writes_.arrival()) : 0;
    const std::uint64_t early = bus_free_ - std::min<std::uint64_t>(bus_free_, memory_.hit_ticks);
    next_ = std::max({arrival, first_, early});
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
        if (queue->arrival() > now) {
            queue = is_turn_of_reads_ ? &writes_ : &reads_;
        }
        if (queue->arrival() > now) {
            return;
        }
        buffer_.put(queue->waiting.take(0));
        is_turn_of_reads_ = queue == &writes_;
    }
}

/* The first whose row is open, else the first. */
std::size_t Channel::choose() const
{
    for (std::size_t i = 0; i < buffer_.size(); i++) {
        const Pending &pending = buffer_[i];
        if (banks_.data()[pending.bank].row == pending.row) {
            return i;
        }
    }
    return 0;
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

Decision Channel::decide(Reads &reads, Links &links)
{
    const std::uint64_t now = next_;
    refresh(now);
    fill_buffer(now);
    const Pending pending = buffer_.take(choose());
    const bool is_read = pending.is_read();
    (is_read ? reads_ : writes_).n_undecided--;

    Bank &bank = banks_[pending.bank];
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
        Read &read = *reads.find(pending.read);
        read.held_up = granted_to_others(pending.core) - pending.granted_to_others +
                       (is_others_row ? excess : 0) + arrival.waited_for_others;
        read.done = arrival.tick;
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
    find_next();
    return {.core = pending.core, .read = pending.read, .is_row_hit = is_hit};
}

std::uint32_t Channel::oldest_core() const
{
    const bool is_of_reads = lacks({.is_of_reads = true});
    const Queue &queue = is_of_reads ? reads_ : writes_;
    const Pending *oldest = nullptr;
    for (std::size_t i = 0; i < buffer_.size(); i++) {
        const Pending &pending = buffer_[i];
        if (pending.is_read() != is_of_reads) {
            continue;
        }
        if (queue.is_in_order) {
            return pending.core; /* so is the buffer, and what waits was sent behind it */
        }
        oldest = oldest == nullptr || pending.number < oldest->number ? &pending : oldest;
    }
    for (std::size_t i = 0; i < queue.waiting.size(); i++) {
        const Pending &pending = queue.waiting[i];
        oldest = oldest == nullptr || pending.number < oldest->number ? &pending : oldest;
    }
    return oldest == nullptr ? UINT32_MAX : oldest->core;
}

} // namespace laxity
