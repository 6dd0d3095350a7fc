/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A channel of the memory (docs/simulation-model.md, section 4). */
#ifndef LAXITY_NAIVE_MEMORY_HPP
#define LAXITY_NAIVE_MEMORY_HPP

#include "interface/engine.h"
#include "links.hpp"
#include "naive.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace naive {

/* Requests of cores and caches wait for it. */
struct Read {
    bool is_decided = false;
    std::uint64_t done = 0;    /* once it is decided */
    std::uint64_t held_up = 0; /* ticks that were others' */
    std::uint64_t away = 0;    /* ticks of the way to where its task has been */
};

/* What a core sends to a channel. */
struct Message {
    std::uint32_t core;
    std::uint64_t line; /* its physical number */
    std::uint64_t arrival;
    bool is_word = false; /* of the line */
};

class Channel {
  public:
    /* domain: in which its memory lies. */
    Channel(const laxity_sim_memory &memory, std::uint32_t domain, Links &links, Features &features)
        : memory_(memory), domain_(domain), links_(links), features_(features), banks_(memory.banks)
    {
    }

    std::shared_ptr<Read> send_read(const Message &message, std::uint64_t away);
    void send_write(const Message &message);

    /* Of what is not decided: how many, and whose request waits longest. */
    [[nodiscard]] std::size_t n_undecided(bool is_write) const;
    [[nodiscard]] std::uint32_t longest_undecided(bool is_write) const;
    /* Whether there is no room for another one; or less than none. */
    [[nodiscard]] bool is_full(bool is_write) const
    {
        return n_undecided(is_write) >= queue(is_write);
    }
    [[nodiscard]] bool is_overfull(bool is_write) const
    {
        return n_undecided(is_write) > queue(is_write);
    }

    /* When the next decision happens; none: there is nothing to decide. */
    [[nodiscard]] std::optional<std::uint64_t> next_decision() const;
    void decide(laxity_sim_totals &totals);

  private:
    struct Request {
        bool is_write;
        Message message;
        std::uint64_t number; /* how many were sent before */
        std::shared_ptr<Read> read;
    };
    struct Bank {
        bool is_open = false;
        std::uint64_t row = 0;
        std::uint32_t opened_by = 0;
        std::uint64_t ready = 0;
    };

    void add(const Request &request);
    void refresh(std::uint64_t now);
    void fill_buffer(std::uint64_t now);
    bool move_arrived(std::vector<Request> &from, std::uint64_t now);
    [[nodiscard]] std::size_t choose() const;
    void bring(const Request &request, std::uint64_t departs);
    [[nodiscard]] std::size_t queue(bool is_write) const
    {
        return is_write ? memory_.write_queue : memory_.read_queue;
    }
    [[nodiscard]] std::uint64_t row_of(const Request &request) const
    {
        return request.message.line / memory_.channels / memory_.row_lines;
    }
    [[nodiscard]] const Bank &bank_of(const Request &request) const
    {
        return banks_[row_of(request) % memory_.banks];
    }
    [[nodiscard]] bool is_row_open(const Request &request) const
    {
        return bank_of(request).is_open && bank_of(request).row == row_of(request);
    }
    [[nodiscard]] std::vector<Request> undecided() const;

    laxity_sim_memory memory_;
    std::uint32_t domain_;
    Links &links_;
    Features &features_;
    std::vector<Bank> banks_;
    std::vector<Request> reads_; /* in the order of their arrival */
    std::vector<Request> writes_;
    std::vector<Request> buffer_;
    std::uint64_t n_sent_ = 0;
    bool is_turn_of_writes_ = true;
    bool has_decided_ = false;
    std::uint64_t last_decision_ = 0;
    bool last_was_write_ = false;
    std::uint64_t bus_free_ = 0;
    std::uint64_t n_refreshes_ = 0;
};

} // namespace naive

#endif
