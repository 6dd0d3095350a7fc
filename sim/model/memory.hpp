/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Memory behind all caches: channels with queues, a reordering buffer and banks. There may be
 * several memories. */
#ifndef LAXITY_SIM_MEMORY_HPP
#define LAXITY_SIM_MEMORY_HPP

#include "interface/engine.h"
#include "model/links.hpp"
#include "model/regions.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace laxity {

/* Later than everything; of a completion: not known yet. */
constexpr std::uint64_t NEVER = UINT64_MAX;

/* A read that was sent. */
struct Read {
    std::uint64_t done = NEVER;
    std::uint64_t held_up = 0; /* for other cores; known when done is */
    std::uint64_t away = 0;    /* on links, for a task that has been where they lead to */
};

/* Reads, where each lies until nobody refers to it any more. */
class Reads {
  public:
    /* One of them, which counts who refers to it. */
    struct Counted {
        Read read;
        std::uint32_t n_refs = 0;
        Reads *of = nullptr;
    };

    Reads() = default;
    Reads(const Reads &) = delete;
    Reads &operator=(const Reads &) = delete;

    Counted *take()
    {
        if (free_.empty()) {
            free_.push_back(&all_.emplace_back());
        }
        Counted *const taken = free_.back();
        free_.pop_back();
        *taken = {.read = {}, .n_refs = 0, .of = this};
        return taken;
    }
    void give_back(Counted *counted)
    {
        free_.push_back(counted);
    }

  private:
    std::deque<Counted> all_; /* none moves */
    std::vector<Counted *> free_;
};

/* Shared by those who wait for it; as std::shared_ptr, but without its care for threads. */
class ReadRef {
  public:
    ReadRef() = default;
    explicit ReadRef(Reads::Counted *counted) : counted_(counted)
    {
        counted_->n_refs++;
    }
    ReadRef(const ReadRef &other) : counted_(other.counted_)
    {
        if (counted_ != nullptr) {
            counted_->n_refs++;
        }
    }
    ReadRef(ReadRef &&other) noexcept : counted_(std::exchange(other.counted_, nullptr)) {}
    ReadRef &operator=(ReadRef other) noexcept
    {
        std::swap(counted_, other.counted_);
        return *this;
    }
    ~ReadRef()
    {
        if (counted_ != nullptr && --counted_->n_refs == 0) {
            counted_->of->give_back(counted_);
        }
    }

    explicit operator bool() const
    {
        return counted_ != nullptr;
    }
    Read *operator->() const
    {
        return &counted_->read;
    }

  private:
    Reads::Counted *counted_ = nullptr;
};

/* Of which of its requests a channel is to have room for more. */
struct Room {
    bool is_of_writes = false;
    bool is_of_reads = false;
};

/* Which request a channel has served. */
struct Decision {
    std::uint32_t core;
    bool is_read;
    bool is_row_hit;
};

/* A request of a core, as a channel is sent it. */
struct Message {
    std::uint64_t at; /* number of the line in memory */
    std::uint64_t arrival;
    std::uint32_t core;
    bool is_word = false; /* less than a line */
};

class Channel {
  public:
    /* Of a memory in a domain. */
    Channel(const laxity_sim_memory &memory, std::uint32_t domain, std::uint32_t cores);

    /* Sends a request; a write has no read. */
    void send(const Message &message, ReadRef read);

    /* When it decides next; NEVER: nothing is undecided. */
    [[nodiscard]] std::uint64_t next() const;

    /* Decides, at next(). */
    Decision decide(Links &links);

    /* Whether there is none for one more request of one of these kinds. */
    [[nodiscard]] bool lacks(const Room &room) const
    {
        return (room.is_of_writes && writes_.n_undecided >= writes_.limit) ||
               (room.is_of_reads && reads_.n_undecided >= reads_.limit);
    }

    /* Whether it has more of a kind than it has room for. */
    [[nodiscard]] bool is_overfull(bool is_of_reads) const
    {
        const Queue &queue = is_of_reads ? reads_ : writes_;
        return queue.n_undecided > queue.limit;
    }

    /* Whose request has waited longest, of the kind that is full. */
    [[nodiscard]] std::uint32_t oldest_core() const;

  private:
    struct Pending {
        std::uint64_t row;
        std::uint64_t arrival;
        std::uint64_t number; /* how many were sent before */
        std::uint32_t core;
        bool is_word;
        ReadRef read;
        std::uint64_t granted_to_others; /* when it was sent */
    };
    struct Queue {
        std::deque<Pending> waiting; /* in the order of their arrival */
        std::uint32_t n_undecided = 0;
        std::uint32_t limit = 0;
        bool is_in_order = true; /* nothing has come before what was sent before it */
    };
    struct Bank {
        std::uint64_t row = NEVER;
        std::uint64_t ready = 0;
        std::uint32_t opened_by = 0;
    };

    [[nodiscard]] std::uint64_t granted_to_others(std::uint32_t core) const
    {
        return granted_ - granted_to_[core];
    }
    void refresh(std::uint64_t now);
    void fill_buffer(std::uint64_t now);
    [[nodiscard]] std::size_t choose() const;
    [[nodiscard]] Links::Arrival
    answer(const Pending &pending, std::uint64_t tick, Links &links) const;

    laxity_sim_memory memory_;
    std::uint32_t domain_;
    std::uint64_t n_sent_ = 0;
    Queue reads_;
    Queue writes_;
    std::vector<Pending> buffer_;
    std::vector<Bank> banks_;
    std::vector<std::uint64_t> granted_to_;
    std::uint64_t granted_ = 0;
    std::uint64_t first_ = 0; /* no decision before it */
    std::uint64_t bus_free_ = 0;
    std::uint64_t next_refresh_ = NEVER;
    bool is_turn_of_reads_ = false;
    bool has_decided_ = false;
    bool was_read_ = false;
};

class Memory {
  public:
    Memory(std::span<const Instance> instances, std::uint32_t cores)
    {
        for (const Instance &one : instances) {
            first_channels_.push_back(channels_.size());
            for (std::uint32_t i = 0; i < one.memory->channels; i++) {
                channels_.emplace_back(*one.memory, one.domain, cores);
            }
        }
        first_channels_.push_back(channels_.size());
    }

    /* Of a line in one of the memories, by its number there. */
    [[nodiscard]] std::size_t channel_number_of(std::uint32_t instance, std::uint64_t at) const
    {
        const std::size_t first = first_channels_[instance];
        const std::size_t n = first_channels_[instance + 1] - first;
        return n == 1 ? first : first + at % n;
    }
    [[nodiscard]] Channel &channel_of(std::uint32_t instance, std::uint64_t at)
    {
        return channels_[channel_number_of(instance, at)];
    }
    [[nodiscard]] std::vector<Channel> &channels()
    {
        return channels_;
    }

    ReadRef read(std::uint32_t instance, const Message &message)
    {
        ReadRef read{reads_.take()};
        channel_of(instance, message.at).send(message, read);
        return read;
    }
    void write(std::uint32_t instance, const Message &message)
    {
        channel_of(instance, message.at).send(message, {});
    }

  private:
    Reads reads_; /* before whoever refers to them */
    std::vector<Channel> channels_;
    std::vector<std::size_t> first_channels_; /* of each memory, and behind the last one */
};

} // namespace laxity

#endif
