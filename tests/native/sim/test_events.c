/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What jobs have counted, as events. */
#include "../test.h"
#include "cli/events.h"
#include "counters/counters.h"
#include "harness/segment.h"
#include "interface/engine.h"
#include "schema/platform.h"

#include <stdint.h>

static int64_t count(enum laxity_model_event event, const struct laxity_sim_counts *counts)
{
    const struct laxity_sim_platform platform = {.line_bytes = 32};
    const struct laxity_sim_taken taken = {.exec_ticks = 100, .counts = *counts};
    struct laxity_counting counting = {.n_events = 1};
    struct laxity_counts out;
    counting.events[0].config = event;
    laxity_sim_events_count(&counting, &platform, 11, &taken, &out);
    return out.values[0];
}

static void refills_are_misses_without_those_that_joined(void)
{
    const struct laxity_sim_counts counts = {
        .fetch_misses = 10,
        .load_misses = 6,
        .store_misses = 5,
        .joins = 7,
        .fetch_joins = 3,
    };
    /* 10 - 3; 6 + 5 - (7 - 3) */
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_L1I_REFILL, &counts), 7);
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_L1D_REFILL, &counts), 7);
}

/* A store to a line that others have, too, finds it: it is no miss from the beginning. */
static void upgrades_are_no_refills_and_take_none_away(void)
{
    const struct laxity_sim_counts counts = {.stores = 4, .upgrades = 3};
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_L1D_REFILL, &counts), 0);
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_L1D_ACCESS, &counts), 4);
}

static void cycles_are_whole_ones(void)
{
    const struct laxity_sim_counts counts = {.reads = 2, .writes = 1};
    /* 100 ticks of 11 a cycle; 3 lines of 32 bytes. */
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_CYCLES, &counts), 9);
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_BUS_ACCESS, &counts), 3);
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_MEM_READ_BYTES, &counts), 64);
}

static void walks_are_refills_of_their_tlb(void)
{
    const struct laxity_sim_counts counts = {
        .fetch_walks = 3, .data_walks = 5, .mispredictions = 7
    };
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_ITLB_REFILL, &counts), 3);
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_DTLB_REFILL, &counts), 5);
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_BRANCH_MISSES, &counts), 7);
}

static void extrinsic_misses_are_lines_that_others_evicted(void)
{
    const struct laxity_sim_counts counts = {.lost_fetches = 2, .lost_data = 3};
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_L1I_EXTRINSIC, &counts), 2);
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_L1D_EXTRINSIC, &counts), 3);
}

static void lines_that_moved_are_told_apart_by_what_brought_them(void)
{
    const struct laxity_sim_counts counts = {
        .moved_fetches = 2, .moved_loads = 3, .moved_stores = 5
    };
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_MOVED_FETCH, &counts), 2);
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_MOVED_LOAD, &counts), 3);
    CHECK_EQUAL(count(LAXITY_MODEL_EVENT_MOVED_STORE, &counts), 5);
}

int main(void)
{
    RUN(refills_are_misses_without_those_that_joined);
    RUN(upgrades_are_no_refills_and_take_none_away);
    RUN(walks_are_refills_of_their_tlb);
    RUN(cycles_are_whole_ones);
    RUN(extrinsic_misses_are_lines_that_others_evicted);
    RUN(lines_that_moved_are_told_apart_by_what_brought_them);
    return test_exit_code();
}
