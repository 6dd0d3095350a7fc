/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The caches of all cores and the memory behind them (docs/simulation-model.md, sections 3 to 5).
 */
#ifndef LAXITY_SIM_HIERARCHY_HPP
#define LAXITY_SIM_HIERARCHY_HPP

#include "engine/requests.hpp"
#include "interface/engine.h"
#include "model/cache.hpp"
#include "model/frames.hpp"
#include "model/links.hpp"
#include "model/lost.hpp"
#include "model/memory.hpp"
#include "model/regions.hpp"
#include "model/spaces.hpp"
#include "model/strides.hpp"
#include "model/table.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace laxity {

/* From one byte to another, of a task's lines. */
struct Bytes {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/* One access of a task to a line. */
struct Touch {
    std::uint32_t core;
    std::uint32_t task;
    Kind kind;
    std::uint64_t line;
    std::uint64_t written;                      /* of a store: the bytes of the line, as bits */
    bool is_walk = false;                       /* a load of a page table */
    std::uint64_t instruction = NO_INSTRUCTION; /* of a task's load: its address */
    /* The hierarchy knows what follows. */
    std::uint64_t at = 0;       /* the line's number in memory */
    std::uint32_t instance = 0; /* of memory */
    bool is_cached = true;

    /* A load that is waited for whatever the platform has. */
    [[nodiscard]] bool is_blocking() const
    {
        return is_walk || task == KERNEL;
    }
};

/* What an access must wait for, or may. */
struct Answer {
    enum {
        Done,
        Asked,        /* request: the line comes with it */
        WaitsRequest, /* no room before this request is done: again then */
        WaitsChannel, /* no room before this channel decides: again then */
    } what;
    std::uint64_t request = 0; /* its number */
    Channel *channel = nullptr;
    Room room = {};         /* as long as the channel lacks it, looking again is in vain */
    bool is_joined = false; /* the request was there before */
};

class Hierarchy {
  public:
    /* A cache, and who has taken which line from it. */
    struct Store {
        Store(const laxity_sim_cache &cache_of, std::uint32_t line_bytes, bool keeps_places = false)
            : cache(cache_of, line_bytes, keeps_places),
              space_shift(SPACE_SHIFT - static_cast<unsigned>(std::countr_zero(line_bytes)))
        {
        }

        Cache cache;
        unsigned space_shift; /* of the number of a line */
        Lost lost;
        Table<std::uint64_t> awaited; /* reads, by the lines that come with them */
    };
    /* Of pages, which are its lines. */
    struct Tlb {
        Store pages;
        std::uint64_t last =
            NEVER; /* the one used last; so it is there, and a use changes nothing */
    };
    /* Of room that a core has taken where there was none. */
    struct Debt {
        std::size_t channel;
        bool is_of_reads;

        auto operator<=>(const Debt &other) const = default;
        [[nodiscard]] Room room() const
        {
            return {.is_of_writes = !is_of_reads, .is_of_reads = is_of_reads};
        }
    };
    /* What the last private access of data has met, if further accesses of its kind to its line
     * meet the same. */
    struct Same {
        bool is_known = false;
        Request *merging = nullptr; /* with which the line merges; nullptr: it is there */
    };
    /* What a core has for itself. */
    struct Own {
        Store l1i;
        Store l1d;
        Tlb itlb;
        Tlb dtlb;
        Requests requests{};
        Same same{};
        std::uint64_t absent = NEVER;        /* a line that l1d lacks, as its own core has seen */
        std::vector<std::uint64_t> loaded{}; /* requests of the loads of an instruction */
        std::vector<Debt> debts;             /* in the order in which they are paid */
        Strides strides{};
        laxity_sim_counts counts{};
    };

    Hierarchy(const laxity_sim_platform &platform, std::span<const laxity_sim_task> tasks);

    /* A private access: a hit of a line that is there, or that is on its way for certain; the core
     * need not wait for it. False: nothing is done. */
    [[gnu::always_inline]] bool
    touch_privately(Own &own, Kind kind, std::uint64_t line, Bytes bytes, std::uint64_t now) const
    {
        Place *const place = (kind == Kind::Fetch ? own.l1i : own.l1d).cache.use(line);
        if (place == nullptr) {
            own.absent = kind == Kind::Fetch ? own.absent : line;
            return false;
        }
        if (Request *const pending = own.requests.outstanding(line, now)) [[unlikely]] {
            return join_privately(own, kind, *place, *pending, bytes, now);
        }
        if (kind == Kind::Store) {
            if (place->is_shared() || writes_through_) {
                return false;
            }
            place->set_dirty();
        }
        if (kind != Kind::Fetch) {
            own.same = {.is_known = true, .merging = nullptr};
        }
        count(own, kind);
        return true;
    }

    /* Whether the TLB of this kind has the page of a line, or there is none; uses it. */
    bool use_page(Own &own, Kind kind, std::uint64_t line) const
    {
        Tlb &tlb = kind == Kind::Fetch ? own.itlb : own.dtlb;
        const std::uint64_t page = line >> page_shift_;
        if (page == tlb.last || !tlb.pages.cache.exists()) {
            return true;
        }
        if (tlb.pages.cache.use(page) == nullptr) {
            return false;
        }
        tlb.last = page;
        return true;
    }

    [[nodiscard]] bool has_uncached() const
    {
        return regions_.has_uncached();
    }

    /* An access to memory of the core's own that is not cached: it takes nothing more. False:
     * nothing is done. */
    bool touch_own(Own &own, std::uint32_t core, std::uint64_t line)
    {
        if (!regions_.has_uncached()) {
            return false;
        }
        const Lying &lying = regions_.of(line);
        if (lying.is_cached || lying.instance == Lying::UNDECIDED ||
            regions_.instances()[lying.instance].core != core) {
            return false;
        }
        own.counts.uncached++;
        return true;
    }

    /* Takes the page of a line in that is not there. Returns what the time of its walk goes to. */
    Cause miss_page(std::uint32_t core, std::uint32_t task, Kind kind, std::uint64_t line);

    /* The lowest n_bytes bits: 1 to 64. */
    [[nodiscard]] static std::uint64_t all_of(std::uint64_t n_bytes)
    {
        return UINT64_MAX >> (64U - n_bytes);
    }
    /* Of a request that merges; it is done when all is written. */
    void note_written(Own &own, Request &request, std::uint64_t written, std::uint64_t now) const
    {
        request.written |= written;
        if (is_full(request)) {
            request.is_merging = false;
            own.same = {};
            own.requests.set_done(request, now);
            own.counts.merged++;
        }
    }
    /* Those of a line, as bits. */
    [[nodiscard]] bool is_full(const Request &request) const
    {
        return request.written == all_of(platform_.line_bytes);
    }
    [[nodiscard]] std::uint64_t written_of(std::uint64_t line, Bytes bytes) const
    {
        const std::uint64_t first = line * platform_.line_bytes;
        const std::uint64_t from = std::max(bytes.begin, first) - first;
        const std::uint64_t to = std::min(bytes.end - first, std::uint64_t{platform_.line_bytes});
        return all_of(to - from) << from;
    }

    /* Any access; in the order of all keys. */
    Answer touch(Touch &&touch, std::uint64_t now);

    [[nodiscard]] Own &own(std::uint32_t core)
    {
        return cores_[core];
    }

    /* A channel has decided: counts it, and settles what has waited for it. Returns the cores whose
     * requests these are, as bits. */
    std::uint64_t settle(const Decision &served);

    /* Whether an access of one core may take lines from caches that another one has for itself. */
    [[nodiscard]] bool is_coupling() const
    {
        return is_coupling_;
    }

    /* Sends what merges on a core. */
    void send_merging(std::uint32_t core, std::uint64_t now);

    /* When the last outstanding load of a core is done. */
    [[nodiscard]] std::uint64_t loads_done(std::uint32_t core);

    /* A task goes on on a core. */
    void place(std::uint32_t task, std::uint32_t core);

    [[nodiscard]] Memory &memory()
    {
        return memory_;
    }
    [[nodiscard]] Links &links()
    {
        return links_;
    }
    [[nodiscard]] laxity_sim_counts &counts(std::uint32_t core)
    {
        return cores_[core].counts;
    }

  private:
    struct TaskPlace {
        std::uint32_t program = 0;
        std::uint32_t core = 0;
        std::uint64_t visited = 0;
    };
    /* What was found in other cores' caches. */
    struct Copies {
        bool is_any = false;
        bool is_dirty = false;
        std::uint32_t dirty_core = 0; /* the first that had it so */
        std::uint64_t round_trip = 0; /* on links, the longest to one that had it */
    };

    static void count(Own &own, Kind kind)
    {
        (kind == Kind::Fetch  ? own.counts.fetches
         : kind == Kind::Load ? own.counts.loads
                              : own.counts.stores)++;
    }
    static void count_miss(Own &own, Kind kind)
    {
        (kind == Kind::Fetch  ? own.counts.fetch_misses
         : kind == Kind::Load ? own.counts.load_misses
                              : own.counts.store_misses)++;
    }
    [[nodiscard]] Store &first_level(std::uint32_t core, Kind kind)
    {
        return kind == Kind::Fetch ? cores_[core].l1i : cores_[core].l1d;
    }
    [[nodiscard]] Store &level(std::size_t i, std::uint32_t core)
    {
        return *level_of_[i * cores_.size() + core];
    }
    bool join_privately(
        Own &own, Kind kind, Place &place, Request &request, Bytes bytes, std::uint64_t now
    ) const;
    [[nodiscard]] bool will_merge(const Touch &touch);
    [[nodiscard]] bool is_below(const Touch &touch);
    void count_moved(const Touch &touch);
    [[nodiscard]] bool is_held(const Touch &touch);
    void owe(std::uint32_t core, std::size_t channel, bool is_of_reads)
    {
        if (memory_.channels()[channel].is_overfull(is_of_reads)) {
            note_debt(core, channel, is_of_reads);
        }
    }
    void note_debt(std::uint32_t core, std::size_t channel, bool is_of_reads);
    bool pays(Own &own);
    [[nodiscard]] std::uint32_t limit_of(const Touch &touch) const;
    [[nodiscard]] bool is_brought_by_others(const Touch &touch) const;
    [[nodiscard]] Room needed_of(const Touch &touch) const;
    [[nodiscard]] Answer room(const Touch &touch, std::uint64_t now, bool is_upgrade);
    void wait_for(Request &request, std::uint32_t core, std::uint64_t read);
    Answer touch_cached(const Touch &touch, std::uint64_t now);
    Answer touch_uncached(const Touch &touch, std::uint64_t now);
    Answer join(const Touch &touch, Request &request, std::uint64_t now);
    Request &make(const Touch &touch, Cause cause);
    Place allocate_first(const Touch &touch, std::uint64_t now);
    void allocate_awaited(const Touch &touch, std::uint64_t now);
    Answer ask(const Touch &touch, std::uint64_t now);
    Answer upgrade(const Touch &touch, Place &place, std::uint64_t now);
    Copies look_elsewhere(const Touch &touch);
    template <typename Function> void each_copy(const Touch &touch, Function function);
    void move_up(
        const Request &request,
        std::size_t i,
        std::uint64_t allocated,
        std::uint32_t core,
        std::uint64_t now
    );
    void send(Request &request, std::uint32_t core, std::uint64_t now);
    void prefetch(
        const Request &request, std::uint32_t core, std::uint64_t now, std::uint64_t departure
    );
    void remove_above(std::size_t i, Place &victim, std::uint32_t core, std::uint32_t task);
    Place allocate(
        std::size_t i,
        std::uint64_t line,
        std::uint64_t at,
        std::uint32_t core,
        std::uint32_t task,
        bool is_dirty
    );
    /* Whether somebody asks for what a cache evicts. */
    [[nodiscard]] bool is_handed_down(const Place &victim) const
    {
        return !victim.is_empty() && (victim.is_dirty() || hands_down_clean_);
    }
    void hand_down(
        Place victim,
        std::size_t from_level,
        std::uint32_t core,
        std::uint32_t task,
        std::uint64_t now
    );
    void write_back(const Touch &touch, std::size_t from_level, std::uint64_t now);
    [[nodiscard]] std::uint64_t request_ticks(std::uint32_t instance) const
    {
        return regions_.instances()[instance].memory->request_ticks;
    }
    std::uint32_t instance_of(std::uint64_t line, std::uint32_t core);
    std::uint64_t read(const Request &request, Message message, std::uint64_t now);
    std::uint64_t read_line(const Request &request, const Message &message, std::uint64_t now);
    void write(std::uint32_t instance, Message message);
    [[nodiscard]] std::uint64_t round_trip(std::uint32_t core, std::uint32_t other) const;
    [[nodiscard]] bool has_been_in(std::uint32_t task, std::uint32_t domain) const;
    void await(Store &store, std::uint64_t line, std::uint64_t read, std::uint64_t now);
    [[nodiscard]] std::uint32_t &n_last(std::uint32_t program, std::uint32_t core)
    {
        return n_last_[std::size_t{program} * cores_.size() + core];
    }
    void note_lost(Store &store, const Place &victim, std::uint32_t core, std::uint32_t task);
    static void find_cause(Store &store, std::uint64_t line, Cause &cause);
    static void count_lost(Own &own, Kind kind, Cause cause);
    [[nodiscard]] std::size_t first_common_level(std::uint32_t core, std::uint32_t other) const;

    laxity_sim_platform platform_;
    unsigned page_shift_;      /* of the number of a line */
    std::size_t n_levels_;     /* below the first */
    unsigned n_levels_on_ = 0; /* of these */
    bool wishes_ = false;      /* loads, for it */
    bool is_coupling_ = false;
    bool hands_down_clean_ = false; /* what caches evict, as some level is exclusive */
    bool writes_through_;           /* stores, what they write */
    bool merges_;                   /* stores, if nothing holds their lines */
    Frames frames_;
    Links links_;
    Regions regions_; /* of memory_ */
    Memory memory_;
    std::vector<Own> cores_;
    std::vector<std::vector<Store>> levels_;
    std::vector<Store *> level_of_; /* by level and core */
    std::vector<TaskPlace> tasks_;
    std::uint32_t n_programs_ = 0;
    std::vector<std::uint32_t> n_last_; /* tasks, by program and the core that they were on last */
};

} // namespace laxity

#endif
