/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "memory.hpp"

#include "interface/engine.h"
#include "links.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace naive {

std::shared_ptr<Read> Channel::send_read(const Message &message, std::uint64_t away)
{
    auto read = std::make_shared<Read>(Read{.away = away});
    add({false, message, n_sent_++, read});
    return read;
}

void Channel::send_write(const Message &message)
{
    add({true, message, n_sent_++, nullptr});
}

/* Behind those that arrive earlier or together with it. */
void Channel::add(const Request &request)
{
    std::vector<Request> &kind = request.is_write ? writes_ : reads_;
    const auto behind = std::ranges::find_if(kind, [&](const Request &other) {
        return other.message.arrival > request.message.arrival;
    });
    features_.overtakes += behind != kind.end() ? 1 : 0;
    kind.insert(behind, request);
}

std::vector<Channel::Request> Channel::undecided() const
{
    std::vector<Request> all = buffer_;
    all.insert(all.end(), reads_.begin(), reads_.end());
    all.insert(all.end(), writes_.begin(), writes_.end());
    return all;
}

std::size_t Channel::n_undecided(bool is_write) const
{
    std::size_t n = 0;
    for (const Request &request : undecided()) {
        n += request.is_write == is_write ? 1 : 0;
    }
    return n;
}

std::uint32_t Channel::longest_undecided(bool is_write) const
{
    std::uint64_t first = n_sent_;
    std::uint32_t core = 0;
    for (const Request &request : undecided()) {
        if (request.is_write == is_write && request.number < first) {
            first = request.number;
            core = request.message.core;
        }
    }
    return core;
}

std::optional<std::uint64_t> Channel::next_decision() const
{
    const std::vector<Request> all = undecided();
    if (all.empty()) {
        return std::nullopt;
    }
    std::uint64_t when = all.front().message.arrival;
    for (const Request &request : all) {
        when = std::min(when, request.message.arrival);
    }
    if (has_decided_) {
        when = std::max(when, last_decision_ + 1);
    }
    if (bus_free_ > memory_.hit_ticks) {
        when = std::max(when, bus_free_ - memory_.hit_ticks);
    }
    return when;
}

void Channel::refresh(std::uint64_t now)
{
    while (memory_.refresh_interval > 0 && (n_refreshes_ + 1) * memory_.refresh_interval <= now) {
        const std::uint64_t begin = (n_refreshes_ + 1) * memory_.refresh_interval;
        bus_free_ = std::max(bus_free_, begin + memory_.refresh_ticks);
        for (Bank &bank : banks_) {
            bank.is_open = false;
        }
        n_refreshes_++;
    }
}

/* Puts the first of `from` that has arrived into the buffer, if there is one. */
bool Channel::move_arrived(std::vector<Request> &from, std::uint64_t now)
{
    const auto first = std::ranges::find_if(from, [now](const Request &request) {
        return request.message.arrival <= now;
    });
    if (first == from.end()) {
        return false;
    }
    buffer_.push_back(*first);
    from.erase(first);
    return true;
}

void Channel::fill_buffer(std::uint64_t now)
{
    while (buffer_.size() < memory_.reorder) {
        if (move_arrived(is_turn_of_writes_ ? writes_ : reads_, now)) {
            is_turn_of_writes_ = !is_turn_of_writes_;
        } else if (!move_arrived(is_turn_of_writes_ ? reads_ : writes_, now)) {
            return; /* the turn stays: what was taken was of the other kind, or nothing was */
        }
    }
}

std::size_t Channel::choose() const
{
    for (std::size_t i = 0; i < buffer_.size(); i++) {
        if (is_row_open(buffer_[i])) {
            return i;
        }
    }
    return 0;
}

/* What has been read, to its core. */
void Channel::bring(const Request &request, std::uint64_t departs)
{
    const std::uint32_t core = request.message.core;
    const std::uint32_t to = links_.domain_of(core);
    Read &read = *request.read;
    read.is_decided = true;
    if (request.message.is_word) {
        read.done = departs + links_.ticks(domain_, to);
        return;
    }
    const Brought brought = links_.bring({domain_, to, core, departs});
    read.done = brought.at;
    read.held_up += brought.is_behind_others ? brought.waited : 0;
    features_.held_up_by_links += brought.is_behind_others ? 1 : 0;
}

void Channel::decide(laxity_sim_totals &totals)
{
    const std::uint64_t now = next_decision().value_or(0); /* it is called at that tick */
    refresh(now);
    fill_buffer(now);
    const std::size_t chosen = choose();
    const Request request = buffer_[chosen];
    buffer_.erase(buffer_.begin() + static_cast<std::ptrdiff_t>(chosen));
    Bank &bank = banks_[row_of(request) % memory_.banks];
    const bool is_hit = is_row_open(request);
    const std::uint64_t latency = is_hit         ? memory_.hit_ticks
                                  : bank.is_open ? memory_.conflict_ticks
                                                 : memory_.empty_ticks;
    const bool is_turn_around = has_decided_ && request.is_write != last_was_write_;
    const std::uint64_t data = std::max(
        (is_hit ? now : std::max(now, bank.ready)) + latency,
        bus_free_ + (is_turn_around ? memory_.turnaround_ticks : 0)
    );
    const std::uint64_t end =
        data + (request.message.is_word ? memory_.word_ticks : memory_.line_ticks);
    const std::uint64_t granted = end - std::max(now, bus_free_);
    const std::uint32_t core = request.message.core;
    if (request.read != nullptr) {
        bring(request, end + memory_.response_ticks);
        if (!is_hit && bank.is_open && bank.opened_by != core) {
            request.read->held_up += latency - memory_.hit_ticks;
        }
    }
    for (const Request &other : undecided()) {
        if (other.read != nullptr && other.message.core != core) {
            other.read->held_up += granted;
        }
    }
    if (!is_hit) {
        bank.is_open = true;
        bank.row = row_of(request);
        bank.opened_by = core;
    }
    bank.ready = end;
    bus_free_ = end;
    has_decided_ = true;
    last_decision_ = now;
    last_was_write_ = request.is_write;
    totals.cores[core].row_hits += is_hit ? 1 : 0;
}

} // namespace naive
