/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Memory behind all caches: channels with queues, a reordering buffer and banks. */
#ifndef LAXITY_SIM_MEMORY_HPP
#define LAXITY_SIM_MEMORY_HPP

#include "interface/engine.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace laxity {

/* Later than everything; of a completion: not known yet. */
constexpr std::uint64_t NEVER = UINT64_MAX;

/* A read that was sent. */
struct Read {
    std::uint64_t done = NEVER;
    std::uint64_t held_up = 0; /* for other cores; known when done is */
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

class Channel {
  public:
    Channel(const laxity_sim_memory &memory, std::uint32_t cores);

    /* Sends a request; a write has no read. */
    void send(std::uint64_t line, std::uint64_t arrival, std::uint32_t core, ReadRef read);

    /* When it decides next; NEVER: nothing is undecided. */
    [[nodiscard]] std::uint64_t next() const;

    /* Decides, at next(). */
    Decision decide();

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
        std::uint32_t core;
        ReadRef read;
        std::uint64_t granted_to_others; /* when it was sent */
    };
    struct Queue {
        std::deque<Pending> waiting;
        std::uint32_t n_undecided = 0;
        std::uint32_t limit = 0;
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

    laxity_sim_memory memory_;
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
    Memory(const laxity_sim_memory &memory, std::uint32_t cores)
        : channels_(memory.channels, Channel{memory, cores})
    {
    }

    [[nodiscard]] std::size_t channel_number_of(std::uint64_t line) const
    {
        return channels_.size() == 1 ? 0 : line % channels_.size();
    }
    [[nodiscard]] Channel &channel_of(std::uint64_t line)
    {
        return channels_[channel_number_of(line)];
    }
    [[nodiscard]] std::vector<Channel> &channels()
    {
        return channels_;
    }

    ReadRef read(std::uint64_t line, std::uint64_t arrival, std::uint32_t core)
    {
        ReadRef read{reads_.take()};
        channel_of(line).send(line, arrival, core, read);
        return read;
    }
    void write(std::uint64_t line, std::uint64_t arrival, std::uint32_t core)
    {
        channel_of(line).send(line, arrival, core, {});
    }

  private:
    Reads reads_; /* before whoever refers to them */
    std::vector<Channel> channels_;
};

} // namespace laxity

#endif
