/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Memory behind all caches: channels with queues, a reordering buffer and banks. There may be
 * several memories. */
#ifndef LAXITY_SIM_MEMORY_HPP
#define LAXITY_SIM_MEMORY_HPP

#include "interface/engine.h"
#include "model/links.hpp"
#include "model/regions.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace laxity {

/* Later than everything; of a completion: not known yet. */
constexpr std::uint64_t NEVER = UINT64_MAX;

/* Of a read: none. */
constexpr std::uint64_t NO_READ = 0;

/* A read that was sent. */
struct Read {
    std::uint64_t number = NO_READ;
    std::uint64_t done = 0;     /* NEVER: not known yet */
    std::uint64_t earliest = 0; /* not done before, whenever that is */
    std::uint64_t held_up = 0;  /* for other cores; known when done is */
    std::uint64_t away = 0;     /* on links, for a task that has been where they lead to */
    std::uint64_t cores = 0;    /* whose requests wait for it, as bits */
};

/*
 * Reads by their numbers, which grow. One that was done before the present tick is forgotten when
 * its place is needed: nobody waits for it, and whoever asks for it learns that it is done.
 */
class Reads {
  public:
    /* The number of a new one. */
    std::uint64_t take(std::uint64_t now, std::uint64_t earliest)
    {
        for (unsigned looks = 1; !is_forgotten(place_of(next_), now); next_++, looks++) {
            if (looks % LOOKS == 0) {
                grow();
            }
        }
        place_of(next_) = {.number = next_, .done = NEVER, .earliest = earliest};
        return next_++;
    }

    /* nullptr: it was done before, or is none. */
    [[nodiscard]] Read *find(std::uint64_t number)
    {
        Read &read = place_of(number);
        return read.number != number || number == NO_READ ? nullptr : &read;
    }

    /* When it is done, if it is not yet. */
    [[nodiscard]] std::uint64_t done(std::uint64_t number)
    {
        const Read *const read = find(number);
        return read == nullptr ? 0 : read->done;
    }

  private:
    static constexpr std::size_t LEAST = 64; /* a power of two */
    static constexpr unsigned LOOKS = 4;     /* for a place, before there are made more */

    [[nodiscard]] static bool is_forgotten(const Read &read, std::uint64_t now)
    {
        return read.number == NO_READ || read.done < now;
    }
    [[nodiscard]] Read &place_of(std::uint64_t number)
    {
        return places_.data()[number & (places_.size() - 1)];
    }
    void grow()
    {
        std::vector<Read> before(2 * places_.size());
        before.swap(places_);
        for (const Read &read : before) {
            place_of(read.number) = read; /* one from each place: they do not meet */
        }
    }

    std::vector<Read> places_{LEAST};
    std::uint64_t next_ = 1;
};

/* Divides by one number, which is a power of two more often than not. */
class Divisor {
  public:
    explicit Divisor(std::uint64_t number)
        : number_(number), shift_(static_cast<unsigned>(std::countr_zero(number))),
          is_power_(std::has_single_bit(number))
    {
    }

    [[nodiscard]] std::uint64_t quotient(std::uint64_t of) const
    {
        return is_power_ ? of >> shift_ : of / number_;
    }
    [[nodiscard]] std::uint64_t remainder(std::uint64_t of) const
    {
        return is_power_ ? of & (number_ - 1) : of % number_;
    }

  private:
    std::uint64_t number_;
    unsigned shift_;
    bool is_power_;
};

/* Items in the order in which they came; what goes is near the front. */
template <typename Item> class Row {
  public:
    [[nodiscard]] std::size_t size() const
    {
        return end_ - first_;
    }
    /* The i-th. */
    [[nodiscard]] const Item &operator[](std::size_t i) const
    {
        return items_.data()[(first_ + i) & mask_];
    }
    void put(const Item &item)
    {
        if (size() == items_.size()) {
            grow();
        }
        items_.data()[end_++ & mask_] = item;
    }
    /* Puts an item before those at the end that are behind it. Whether there were none. */
    template <typename IsBehind> bool put_in_order(const Item &item, IsBehind is_behind)
    {
        put(item);
        std::size_t at = end_ - 1;
        for (; at != first_ && is_behind(items_[(at - 1) & mask_]); at--) {
            std::swap(items_[at & mask_], items_[(at - 1) & mask_]);
        }
        return at + 1 == end_;
    }
    /* Takes the i-th out; those before it move up. */
    Item take(std::size_t i)
    {
        Item *const items = items_.data();
        const Item taken = items[(first_ + i) & mask_];
        for (; i > 0; i--) {
            items[(first_ + i) & mask_] = items[(first_ + i - 1) & mask_];
        }
        first_++;
        return taken;
    }

  private:
    static constexpr std::size_t LEAST = 16; /* a power of two */

    void grow()
    {
        std::vector<Item> more(2 * items_.size());
        for (std::size_t i = first_; i != end_; i++) {
            more[i & (more.size() - 1)] = items_[i & mask_];
        }
        items_ = std::move(more);
        mask_ = items_.size() - 1;
    }

    std::vector<Item> items_{LEAST};
    std::size_t mask_ = LEAST - 1;
    std::size_t first_ = 0;
    std::size_t end_ = 0; /* behind the last */
};

/* Of which of its requests a channel is to have room for more. */
struct Room {
    bool is_of_writes = false;
    bool is_of_reads = false;
};

/* Which request a channel has served. */
struct Decision {
    std::uint32_t core;
    std::uint64_t read; /* NO_READ: a write */
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

    /* Sends a request; a write is NO_READ. */
    void send(const Message &message, std::uint64_t read);

    /* No read that is sent so is done before, whatever else is served. */
    [[nodiscard]] std::uint64_t earliest_done(const Message &message) const
    {
        return message.arrival + least_ticks_ +
               (message.is_word ? memory_.word_ticks : memory_.line_ticks);
    }

    /* When it decides next; NEVER: nothing is undecided. */
    [[nodiscard]] std::uint64_t next() const
    {
        return next_;
    }

    /* Decides, at next(). */
    Decision decide(Reads &reads, Links &links);

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
        std::uint64_t read;
        std::uint64_t granted_to_others; /* when it was sent */
        std::uint32_t core;
        std::uint32_t bank;
        bool is_word;

        [[nodiscard]] bool is_read() const
        {
            return read != NO_READ;
        }
    };
    struct Queue {
        Row<Pending> waiting; /* in the order of their arrival */
        std::uint32_t n_undecided = 0;
        std::uint32_t limit = 0;
        bool is_in_order = true; /* nothing has come before what was sent before it */

        [[nodiscard]] std::uint64_t arrival() const
        {
            return waiting.size() == 0 ? NEVER : waiting[0].arrival;
        }
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
    void find_next();
    void refresh(std::uint64_t now);
    void fill_buffer(std::uint64_t now);
    [[nodiscard]] std::size_t choose() const;
    [[nodiscard]] Links::Arrival
    answer(const Pending &pending, std::uint64_t tick, Links &links) const;

    laxity_sim_memory memory_;
    std::uint64_t least_ticks_; /* of a read, but for what it transfers */
    std::uint32_t domain_;
    Divisor channels_;
    Divisor row_lines_;
    Divisor bank_count_;
    std::uint64_t n_sent_ = 0;
    Queue reads_;
    Queue writes_;
    Row<Pending> buffer_;
    std::vector<Bank> banks_;
    std::vector<std::uint64_t> granted_to_;
    std::uint64_t granted_ = 0;
    std::uint64_t next_ = NEVER;
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
            numbers_.push_back({.first = channels_.size(), .count = Divisor{one.memory->channels}});
            for (std::uint32_t i = 0; i < one.memory->channels; i++) {
                channels_.emplace_back(*one.memory, one.domain, cores);
            }
        }
    }

    /* Of a line in one of the memories, by its number there. */
    [[nodiscard]] std::size_t channel_number_of(std::uint32_t instance, std::uint64_t at) const
    {
        const Numbers &numbers = numbers_[instance];
        return numbers.first + numbers.count.remainder(at);
    }
    [[nodiscard]] Channel &channel_of(std::uint32_t instance, std::uint64_t at)
    {
        return channels_[channel_number_of(instance, at)];
    }
    [[nodiscard]] std::vector<Channel> &channels()
    {
        return channels_;
    }
    [[nodiscard]] Reads &reads()
    {
        return reads_;
    }

    /* When the next channel decides; NEVER: none does. */
    [[nodiscard]] std::uint64_t next_decision() const
    {
        std::uint64_t tick = NEVER;
        for (const Channel &channel : channels_) {
            tick = std::min(tick, channel.next());
        }
        return tick;
    }

    /* The number of a read that is sent at `now`. */
    std::uint64_t read(std::uint32_t instance, const Message &message, std::uint64_t now)
    {
        Channel &channel = channel_of(instance, message.at);
        const std::uint64_t read = reads_.take(now, channel.earliest_done(message));
        channel.send(message, read);
        return read;
    }
    void write(std::uint32_t instance, const Message &message)
    {
        channel_of(instance, message.at).send(message, NO_READ);
    }

  private:
    /* Of the channels of one memory. */
    struct Numbers {
        std::size_t first;
        Divisor count;
    };

    Reads reads_;
    std::vector<Channel> channels_;
    std::vector<Numbers> numbers_; /* by memory */
};

} // namespace laxity

#endif
