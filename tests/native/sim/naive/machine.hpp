/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Caches, requests and memory of all cores (docs/simulation-model.md, sections 3 to 5). */
#ifndef LAXITY_NAIVE_MACHINE_HPP
#define LAXITY_NAIVE_MACHINE_HPP

#include "cache.hpp"
#include "frames.hpp"
#include "interface/engine.h"
#include "links.hpp"
#include "memory.hpp"
#include "naive.hpp"
#include "regions.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace naive {

constexpr std::uint64_t ALL_WAYS = ~std::uint64_t{0};

enum class Kind {
    Fetch,
    Load,
    Store
};

struct Request {
    std::uint64_t number;
    std::uint32_t core;
    std::uint32_t task;
    std::uint64_t line;
    Kind kind;
    Cause cause;
    bool is_merging = false;
    std::vector<bool> bytes{}; /* noted, of a line that merges */
    std::uint64_t at = 0;      /* done then, or with the read if that is later */
    std::shared_ptr<Read> read{};
    std::uint64_t held_up_used = 0;      /* of what the read was held up for */
    std::uint64_t away_used = 0;         /* of what it was away for */
    std::optional<std::uint64_t> wish{}; /* the line that shall be prefetched with it */

    /* None: unknown. */
    [[nodiscard]] std::optional<std::uint64_t> done() const;
    [[nodiscard]] bool is_outstanding(std::uint64_t now) const;
    /* What is left of what it was held up for by others, and of what it was away for. */
    [[nodiscard]] std::uint64_t held_up() const;
    [[nodiscard]] std::uint64_t away() const;
};

/* Who does something, and when. */
struct By {
    std::uint32_t core;
    std::uint32_t task;
    std::uint64_t now;
};

/* What of a line is accessed. */
struct Touch {
    Kind kind;
    std::uint64_t line;
    std::uint64_t first_byte = 0;
    std::uint64_t n_bytes = 0;
    bool is_walk = false;                     /* through a page table */
    std::optional<std::uint64_t> loaded_by{}; /* a task's instruction: its address */
};

/* What came of an access. */
struct Answer {
    bool has_no_room = false; /* nothing is done yet: when the wait has ended, it is done again */
    bool waits = false;       /* for the request, or else for a decision of the channel */
    std::shared_ptr<Request> request{};
    std::size_t channel = 0;
};

/* A cache of another core. */
struct Others {
    std::uint32_t core;
    Cache *cache;
    bool is_shared = false; /* by several cores, which are not this one */
};

/* What was found in other cores' caches. */
struct Copies {
    bool are_held = false;
    std::optional<std::uint32_t> dirty_on{}; /* the first core that had it dirty */
};

/* Room in a channel that a core owes. */
struct Debt {
    std::size_t channel;
    bool is_reads;      /* writes come first */
    std::uint32_t task; /* in the course of whose access it was made */

    bool operator<(const Debt &other) const
    {
        return std::tie(channel, is_reads) < std::tie(other.channel, other.is_reads);
    }
};

/* What a core has seen of an instruction that loads. */
struct Strided {
    std::optional<std::uint64_t> instruction{}; /* none: nothing yet */
    std::uint64_t line = 0;
    std::uint64_t stride = 0;
};

class Machine {
  public:
    Machine(const laxity_sim_platform &platform, laxity_sim_totals &totals, Features &features);

    /* The next task: they are added in the order of their numbers. */
    void add(const laxity_sim_task &task)
    {
        tasks_.push_back(&task);
        regions_.add(task);
    }
    /* has_waited: it had no room before. */
    Answer access(const By &by, const Touch &touch, bool has_waited);
    void send_merging(const By &by);
    /* Looks up the page of a task's line. If it is missed: the cause of the walk. */
    std::optional<Cause> miss_page(const By &by, const Touch &touch);
    /* The lines that a walk loads, in this order. */
    [[nodiscard]] std::vector<std::uint64_t> walk_lines(const By &by, std::uint64_t line) const;

    [[nodiscard]] std::uint64_t line_of(std::uint32_t task, std::uint64_t address) const;
    /* Of the first byte of the line. */
    [[nodiscard]] std::uint64_t address_of(std::uint64_t line) const
    {
        return line * platform_.line_bytes % (std::uint64_t{1} << SPACE_SHIFT);
    }
    [[nodiscard]] bool is_load_outstanding(std::uint32_t core, std::uint64_t now) const;
    /* When the last of them is done; none: unknown. */
    [[nodiscard]] std::optional<std::uint64_t> loads_done(std::uint32_t core) const;

    /* From now on the core is the one on which the task runs, or has run last. */
    void run_on(std::uint32_t task, std::uint32_t core);
    [[nodiscard]] std::optional<std::uint32_t> ran_last_on(std::uint32_t task) const;

    std::vector<Channel> channels;

  private:
    using RequestPtr = std::shared_ptr<Request>;

    Cache &first_level(std::uint32_t core, Kind kind)
    {
        return (kind == Kind::Fetch ? l1i_ : l1d_)[core];
    }
    Cache &level(std::size_t i, std::uint32_t core)
    {
        return levels_[i][core / platform_.levels[i].cores];
    }
    std::uint64_t mask_of(std::size_t i, std::uint32_t core);
    Channel &channel_of(std::uint64_t line)
    {
        return channels[channel_number(line)];
    }
    [[nodiscard]] std::size_t channel_number(std::uint64_t line)
    {
        const Memory &memory = regions_.memory_of(line);
        return memory.first_channel + frames_->physical(line) % memory.asked.channels;
    }
    [[nodiscard]] std::uint64_t request_ticks(std::uint64_t line)
    {
        return regions_.memory_of(line).asked.request_ticks;
    }
    /* No store allocates a line in the first level, or makes it dirty. */
    [[nodiscard]] bool passes_first(const Touch &touch) const
    {
        return touch.kind == Kind::Store && (platform_.writes_through || l1d_.front().is_off());
    }
    [[nodiscard]] bool blocks(const By &by, const Touch &touch) const;

    /* What links take from a core to another one and back. */
    [[nodiscard]] std::uint64_t ticks_and_back(std::uint32_t core, std::uint32_t other) const
    {
        return links_.ticks_and_back(links_.domain_of(core), links_.domain_of(other));
    }
    [[nodiscard]] bool has_run_in(std::uint32_t task, std::uint32_t domain) const;
    [[nodiscard]] bool has_run_on(std::uint32_t task, std::uint32_t core) const;

    void settle(const By &by, std::uint64_t line);
    RequestPtr outstanding_of(const By &by, std::uint64_t line);
    Answer pass_caches(const By &by, const Touch &touch);
    void count_uncached(const By &by, const Touch &touch);
    Answer hit(const By &by, const Touch &touch, Place &place, bool has_waited);
    Answer join(const By &by, const Touch &touch, const RequestPtr &request);
    Answer upgrade(const By &by, const Touch &touch, Place &place);
    Answer miss(const By &by, const Touch &touch, bool is_held);
    std::optional<Answer> find_no_room(const By &by, const Touch &touch, bool is_upgrade);
    bool is_channel_full(const By &by, const Touch &touch);
    std::optional<Answer> pay_debts(const By &by);
    [[nodiscard]] std::shared_ptr<Read>
    send_read(const By &by, std::uint64_t line, std::uint64_t departs, bool is_word = false);
    void send_write(const By &by, std::uint64_t line, bool is_word = false);
    [[nodiscard]] std::uint32_t space_of(std::uint32_t task, std::uint64_t address) const;
    RequestPtr make_request(const By &by, const Touch &touch);
    std::optional<Place> allocate_first(const By &by, const Touch &touch, Request *request);
    Copies take_from_others(const By &by, const Touch &touch, Request &request);
    std::vector<Others> others_caches(const By &by, Kind kind);
    void transfer(const By &by, const Touch &touch, Request &request, std::uint32_t from);
    bool others_hold(const By &by, const Touch &touch);
    bool levels_hold(const By &by, std::uint64_t line);
    bool merges(const By &by, const Touch &touch);
    void note_bytes(const By &by, const Touch &touch, Request &request);
    std::optional<std::uint64_t> wish(const By &by, const Touch &touch);
    void walk(const By &by, Request &request);
    void hit_level(const By &by, std::size_t i, Request &request, Cache *allocated_last);
    void move_up(const By &by, std::size_t i, const Request &request, Cache *allocated_last);
    void prefetch(const By &by, const Request &request, std::uint64_t departs);
    void allocate_in_level(const By &by, std::size_t i, std::uint64_t line, bool is_dirty);
    void remove_above(const By &by, std::size_t i, Place &victim);
    void hand_down(const By &by, const Place &victim, std::size_t first);
    void send(const By &by, Request &request);
    void write_back(const By &by, std::uint64_t line, std::size_t first);
    [[nodiscard]] std::size_t first_level_on(std::size_t from);
    void count_lost(const By &by, const Touch &touch, const Request *request);
    void take_lost(Cache &cache, std::uint64_t line, Request *request);
    void note_lost(Cache &cache, std::uint64_t victim, const By &by);
    void count(const By &by, const Touch &touch, bool is_miss, bool is_join);

    laxity_sim_platform platform_;
    laxity_sim_totals &totals_;
    Features &features_;
    std::shared_ptr<Frames> frames_;
    Links links_;
    Regions regions_;
    std::vector<std::vector<Strided>> strides_; /* of each core */
    std::vector<Cache> l1i_;
    std::vector<Cache> l1d_;
    std::vector<Cache> itlb_; /* their lines are pages */
    std::vector<Cache> dtlb_;
    std::vector<std::vector<Cache>> levels_;
    std::vector<std::vector<RequestPtr>> requests_; /* of each core */
    std::vector<std::set<Debt>> debts_;             /* of each core */
    std::vector<const laxity_sim_task *> tasks_;
    std::map<std::uint32_t, std::uint32_t> last_core_;
    std::map<std::uint32_t, std::set<std::uint32_t>> cores_run_on_;
};

} // namespace naive

#endif
