/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/events.h"

#include "base/error.h"
#include "counters/counters.h"
#include "counters/event.h"
#include "harness/segment.h"
#include "interface/engine.h"
#include "schema/platform.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char *const names[] = {LAXITY_MODEL_EVENT_WORDS};

int laxity_sim_events_resolve(struct laxity_event *events, unsigned n, struct laxity_error *error)
{
    for (unsigned i = 0; i < n; i++) {
        uint64_t code = 0;
        while (code < LAXITY_MODEL_EVENT_COUNT && strcmp(events[i].name, names[code]) != 0) {
            code++;
        }
        if (code == LAXITY_MODEL_EVENT_COUNT) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "event \"%.60s\": the model has no counterpart; leave it out",
                events[i].name
            );
        }
        events[i].config = code;
        events[i].scope = LAXITY_SCOPE_CORE;
        events[i].excludes_kernel = true;
        laxity_format(events[i].platform_event, sizeof events[i].platform_event, "model");
    }
    return 0;
}

void laxity_sim_events_begin(struct laxity_segment *segment)
{
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        laxity_segment_task(segment, i)->state.counted_events =
            (UINT32_C(1) << segment->counting.n_events) - 1;
    }
}

static uint64_t count_of(
    enum laxity_model_event event,
    const struct laxity_sim_platform *platform,
    uint32_t cycle_ticks,
    const struct laxity_sim_taken *taken
)
{
    const struct laxity_sim_counts *counts = &taken->counts;
    const uint32_t last = platform->n_levels == 0 ? 0 : platform->n_levels - 1;
    switch (event) {
    case LAXITY_MODEL_EVENT_CYCLES:
        return taken->exec_ticks / cycle_ticks;
    case LAXITY_MODEL_EVENT_INSTRUCTIONS:
        return counts->instructions;
    case LAXITY_MODEL_EVENT_L1I_ACCESS:
        return counts->fetches;
    case LAXITY_MODEL_EVENT_L1I_REFILL:
        return counts->fetch_misses - counts->fetch_joins;
    case LAXITY_MODEL_EVENT_L1I_EXTRINSIC:
        return counts->lost_fetches;
    case LAXITY_MODEL_EVENT_L1D_EXTRINSIC:
        return counts->lost_data;
    case LAXITY_MODEL_EVENT_L1D_ACCESS:
        return counts->loads + counts->stores;
    case LAXITY_MODEL_EVENT_L1D_REFILL:
        return counts->load_misses + counts->store_misses - (counts->joins - counts->fetch_joins);
    case LAXITY_MODEL_EVENT_L2_ACCESS:
        return counts->levels[0].lookups;
    case LAXITY_MODEL_EVENT_L2_REFILL:
        return counts->levels[0].misses;
    case LAXITY_MODEL_EVENT_LLC_ACCESS:
        return counts->levels[last].lookups;
    case LAXITY_MODEL_EVENT_LLC_REFILL:
        return counts->levels[last].misses;
    case LAXITY_MODEL_EVENT_MEM_READ_BYTES:
        return counts->reads * platform->line_bytes;
    case LAXITY_MODEL_EVENT_MEM_WRITE_BYTES:
        return counts->writes * platform->line_bytes;
    case LAXITY_MODEL_EVENT_BUS_ACCESS:
        return counts->reads + counts->writes;
    case LAXITY_MODEL_EVENT_UNCACHED_ACCESS:
        return counts->uncached;
    case LAXITY_MODEL_EVENT_REMOTE_ACCESS:
        return counts->remote;
    case LAXITY_MODEL_EVENT_MOVED_FETCH:
        return counts->moved_fetches;
    case LAXITY_MODEL_EVENT_MOVED_LOAD:
        return counts->moved_loads;
    case LAXITY_MODEL_EVENT_MOVED_STORE:
        return counts->moved_stores;
    case LAXITY_MODEL_EVENT_BRANCH_MISSES:
        return counts->mispredictions;
    case LAXITY_MODEL_EVENT_ITLB_REFILL:
        return counts->fetch_walks;
    case LAXITY_MODEL_EVENT_DTLB_REFILL:
        return counts->data_walks;
    }
    return 0;
}

void laxity_sim_events_count(
    const struct laxity_counting *counting,
    const struct laxity_sim_platform *platform,
    uint32_t cycle_ticks,
    const struct laxity_sim_taken *taken,
    struct laxity_counts *out_counts
)
{
    for (uint32_t i = 0; i < counting->n_events; i++) {
        const enum laxity_model_event event = (enum laxity_model_event)counting->events[i].config;
        out_counts->values[i] = (int64_t)count_of(event, platform, cycle_ticks, taken);
        out_counts->scale_ratios[i] = 1;
    }
}
