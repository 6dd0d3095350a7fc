/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/samples.h"

#include "cli/events.h"
#include "cli/settings.h"
#include "cli/simulation.h"
#include "counters/counters.h"
#include "harness/sample_stream.h"
#include "harness/segment.h"
#include "interface/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* All members of the counts are numbers of one kind. */
    NUMBERS = sizeof(struct laxity_sim_counts) / sizeof(uint64_t),
};

union numbers {
    struct laxity_sim_counts counts;
    uint64_t each[NUMBERS];
};

static void count(
    const struct laxity_sim_run *simulation,
    const struct laxity_sim_taken *taken,
    struct laxity_counts *out_counts
)
{
    const struct laxity_sim_settings *settings = simulation->settings;
    laxity_sim_events_count(
        &simulation->segment->counting,
        &settings->platform,
        settings->instructions.cycle_ticks,
        taken,
        out_counts
    );
}

/* What all cores have counted, for whomever. */
static void count_platform(
    const struct laxity_sim_run *simulation,
    const struct laxity_sim_sample *sample,
    struct laxity_counts *out_counts
)
{
    struct laxity_sim_taken all = {0};
    union numbers sums = {.counts = {0}};
    for (uint32_t i = 0; i < simulation->n_programs; i++) {
        all.exec_ticks += sample->tasks[i].exec_ticks;
    }
    for (uint32_t core = 0; core < simulation->settings->platform.cores; core++) {
        const union numbers of_core = {.counts = sample->cores[core]};
        for (size_t i = 0; i < NUMBERS; i++) {
            sums.each[i] += of_core.each[i];
        }
    }
    all.counts = sums.counts;
    count(simulation, &all, out_counts);
}

int laxity_sim_samples_put(
    struct laxity_sim_run *simulation, const struct laxity_sim_sample *sample, bool is_t0
)
{
    struct laxity_sim_samples *samples = &simulation->samples;
    struct laxity_segment *segment = simulation->segment;
    struct laxity_sample row = {.time_ns = sample->time_ns};
    if (is_t0) {
        count_platform(simulation, sample, &samples->at_t0);
        return 0;
    }
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        count(simulation, &sample->tasks[i], &row.counts);
        laxity_store_sample(segment, i, row.time_ns, &row.counts);
    }
    const int rc = laxity_sample_stream_drain(&samples->stream, segment, simulation->launch.dir_fd);
    count_platform(simulation, sample, &row.counts);
    for (uint32_t i = 0; i < segment->counting.n_events; i++) {
        row.counts.values[i] -= samples->at_t0.values[i];
    }
    return rc ? rc : laxity_sample_stream_put(&samples->stream, segment, &row);
}
