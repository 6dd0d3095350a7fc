/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The naive engine: docs/simulation-model.md as a program, one action after the other, as plain as
 * can be. It shares no code of the model with the engine that it judges.
 */
#ifndef LAXITY_NAIVE_HPP
#define LAXITY_NAIVE_HPP

#include "interface/engine.h"

#include <array>
#include <cstdint>

namespace naive {

/* What of the model a run has made use of, and no count or job tells. */
struct Features {
    std::uint64_t waits_for_fill_buffers = 0;
    std::uint64_t waits_for_store_entries = 0;
    std::uint64_t waits_for_channels = 0;
    std::uint64_t waits_for_owed_writes = 0;
    std::uint64_t waits_for_owed_reads = 0;
    std::uint64_t owed_by_others = 0; /* tasks or the kernel than the one that waits */
    std::uint64_t upgrades_that_pay = 0;
    std::uint64_t shared_accesses = 0; /* of lines in spaces of programs, that missed l1 */
    std::uint64_t shared_own = 0;      /* such lines evicted by tasks of the program */
    std::uint64_t shared_reload = 0;
    std::uint64_t shared_lost = 0;
    std::uint64_t stores_into_shared = 0; /* that ended programs */
    std::uint64_t waits_for_operands = 0;
    std::uint64_t hits_on_the_way = 0; /* in a level that waits for a read itself */
    std::uint64_t merging_sent = 0;
    std::uint64_t written_back_hits = 0;
    std::uint64_t written_back_misses = 0;
    std::uint64_t stops_waiting_for_loads = 0;
    std::uint64_t switches = 0;
    std::uint64_t held_up_ticks = 0;
    std::uint64_t used_up = 0;       /* budgets of reservations */
    std::uint64_t wrongly_taken = 0; /* predictions */
    std::uint64_t wrongly_not_taken = 0;
    std::uint64_t pages_lost = 0; /* to other tasks, and walked for again */
    std::uint64_t ticks = 0;      /* of the observer */
    std::uint64_t called_off = 0; /* its answers */
    std::uint64_t forbidden = 0;  /* cores that executed a task */
    std::uint64_t interrupts = 0;
    std::uint64_t reads = 0;                   /* interrupts that read counters */
    std::uint64_t interrupts_before_stops = 0; /* of cores that were asked to stop meanwhile */
    std::uint64_t handed_down_clean = 0;       /* to exclusive levels */
    std::uint64_t handed_down_held = 0;        /* clean, to exclusive levels that have them */
    std::uint64_t exclusive_hits = 0;          /* that moved up */
    std::uint64_t exclusive_stays = 0;         /* hits, but nothing above could have the line */
    std::uint64_t dirty_to_first = 0;          /* lines that moved up */
    std::uint64_t dirty_to_level = 0;
    std::uint64_t dirty_to_nowhere = 0;
    std::uint64_t removed_above = 0; /* inclusive levels */
    std::uint64_t removed_above_dirty = 0;
    std::uint64_t stride_prefetches = 0;
    std::uint64_t through_hits = 0; /* stores that were written through */
    std::uint64_t through_joins = 0;
    std::array<std::uint64_t, 4> placed{}; /* accesses that missed l1, of each placement */
    std::uint64_t uncached_fetches = 0;    /* not of the core's own memory */
    std::uint64_t uncached_loads = 0;
    std::uint64_t uncached_stores = 0;
    std::uint64_t uncached_own = 0;   /* of the core's own memory */
    std::uint64_t uncached_near = 0;  /* of another core's memory in the same domain */
    std::uint64_t uncached_far = 0;   /* of another core's memory in another domain */
    std::uint64_t uncached_moved = 0; /* of the memory of a core on which the task had run */
    std::uint64_t uncached_no_room = 0;
    std::uint64_t uncached_aliases = 0; /* accesses through them */
    std::uint64_t cached_aliases = 0;   /* that missed l1 */
    std::uint64_t cached_others = 0;    /* that missed l1, of further regions */
    std::uint64_t remote_lines_read = 0;
    std::uint64_t remote_lines_written = 0;
    std::uint64_t remote_words_read = 0;
    std::uint64_t remote_words_written = 0;
    std::uint64_t waits_for_links = 0; /* of lines */
    std::uint64_t held_up_by_links = 0;
    std::uint64_t away_ticks = 0; /* that went to moved */
    std::uint64_t overtakes = 0;  /* of requests that arrive before one that was sent before */
    std::array<std::uint64_t, 3> homes_touched{}; /* in domains 0, 1 and above */
    std::uint64_t homes_interleaved = 0;
    std::uint64_t placed_in_domains = 0; /* accesses that missed l1, of pages of the main memory */
    std::uint64_t copies_in_other_groups = 0; /* in levels that a group in another domain shares */
    std::uint64_t written_to_common_levels = 0; /* dirty lines of other cores' caches */
    std::uint64_t written_behind_levels = 0;    /* likewise, as they have none in common */
    std::uint64_t transfers_between_domains = 0;
    std::uint64_t upgrades_between_domains = 0;
};

} // namespace naive

/* As laxity_simulate(). */
naive::Features naive_simulate(
    const laxity_sim_platform *platform,
    const laxity_sim_task *tasks,
    std::uint32_t n_tasks,
    std::int64_t limit_ns,
    const laxity_sim_listener *listener,
    laxity_sim_totals *out_totals
);

#endif
