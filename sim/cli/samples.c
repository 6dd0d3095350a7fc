/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/samples.h"

#include "base/port/atomic64.h"
#include "base/port/time.h"
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

/* The log stores its samples one by one, and has room for some. */
static bool has_room(
    struct laxity_sim_samples *samples, const struct laxity_sim_platform *platform, int64_t now_ns
)
{
    if (platform->probe_log_entries == 0) {
        return true;
    }
    const int64_t each_ns = (int64_t)LAXITY_NS_PER_S / platform->probe_log_hz;
    while (samples->n_waiting > 0 && samples->leaves_ns <= now_ns) {
        samples->n_waiting--;
        samples->leaves_ns += each_ns;
    }
    if (samples->n_waiting == platform->probe_log_entries) {
        return false;
    }
    samples->leaves_ns = samples->n_waiting == 0 ? now_ns + each_ns : samples->leaves_ns;
    samples->n_waiting++;
    return true;
}

/* Whether the sample is logged; one that is not, for want of room, is lost. */
static bool is_logged(struct laxity_sim_run *simulation, const struct laxity_sample *of_all)
{
    struct laxity_sim_samples *samples = &simulation->samples;
    const struct laxity_sim_settings *settings = simulation->settings;
    const int64_t count = of_all->counts.values[settings->above.event];
    if (!settings->above.is_asked) {
        return true;
    }
    if (count - samples->logged_count < settings->above.count) {
        return false;
    }
    if (!has_room(samples, &settings->platform, of_all->time_ns)) {
        /* As many as would have been stored: one of each task. */
        for (uint32_t i = 0; i < simulation->segment->n_tasks; i++) {
            struct laxity_task *task = laxity_segment_task(simulation->segment, i);
            laxity_atomic64_increment(&task->state.lost_samples);
        }
        return false;
    }
    samples->logged_count = count;
    return true;
}

int laxity_sim_samples_put(
    struct laxity_sim_run *simulation, const struct laxity_sim_sample *sample, bool is_t0
)
{
    struct laxity_sim_samples *samples = &simulation->samples;
    struct laxity_segment *segment = simulation->segment;
    struct laxity_sample row = {.time_ns = sample->time_ns};
    struct laxity_sample of_all = {.time_ns = sample->time_ns};
    if (is_t0) {
        count_platform(simulation, sample, &samples->at_t0);
        return 0;
    }
    count_platform(simulation, sample, &of_all.counts);
    for (uint32_t i = 0; i < segment->counting.n_events; i++) {
        of_all.counts.values[i] -= samples->at_t0.values[i];
    }
    if (!is_logged(simulation, &of_all)) {
        return 0;
    }
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        count(simulation, &sample->tasks[i], &row.counts);
        laxity_store_sample(segment, i, row.time_ns, &row.counts);
    }
    const int rc = laxity_sample_stream_drain(&samples->stream, segment, simulation->launch.dir_fd);
    return rc ? rc : laxity_sample_stream_put(&samples->stream, segment, &of_all);
}

int laxity_sim_samples_mark(
    struct laxity_sim_run *simulation,
    uint32_t task,
    int64_t time_ns,
    const struct laxity_sim_taken *taken
)
{
    struct laxity_sim_samples *samples = &simulation->samples;
    struct laxity_segment *segment = simulation->segment;
    struct laxity_sample row = {.time_ns = time_ns};
    if (segment->counting.sample_slots == 0 || simulation->settings->above.is_asked) {
        return 0;
    }
    count(simulation, taken, &row.counts);
    laxity_store_sample(segment, task, row.time_ns, &row.counts);
    return laxity_sample_stream_drain(&samples->stream, segment, simulation->launch.dir_fd);
}
