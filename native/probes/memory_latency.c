/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "memory_latency": how long an access takes, against the size of the array that is used.
 *
 * Per CPU, node of the memory and size, each repetition takes other physical pages and another
 * random order, and times one batch of each case. What follows from the times is computed elsewhere
 * (python/laxity/costs/memory_latency/rows.py).
 *
 * Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", section III.B and
 * figures 4 and 5: 4096 reads and writes at random indices of an increasingly larger array. Chase
 * and streams are ours.
 */
#include "base/cpus.h"
#include "base/error.h"
#include "base/npy.h"
#include "base/port/nodes.h"
#include "base/port/pages.h"
#include "probes/crpd_patterns.h"
#include "probes/machine.h"
#include "probes/memory_patterns.h"
#include "probes/memory_regions.h"
#include "probes/probe.h"
#include "probes/working_set.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    ACCESSES = 4096, /* of a batch, as in the paper */
    /* Streams are counted in these, whatever the line of the processor. */
    STREAM_LINE_BYTES = 64,
    /* Lines that are shuffled or linked between two looks at the clock; some ms where every one
     * misses all caches. */
    LINES_AT_ONCE = 65536,
    /* Steps along the chain before the first batch: twice around a small one; of a large one
     * enough to push what linking left out of the caches that a core has for itself. */
    WARM_STEPS = 65536,
    /* Accesses before a timed batch, so that its code is at hand; they touch 1 of 64 of its lines.
     */
    WARM_ACCESSES = ACCESSES / 64,
    /* A stream over less repeats its passes, or the clock would be in it. */
    STREAM_BYTES = 1 << 20,
    PAGE_BYTES = 4096,
    /* Several times the caches that a core has for itself; larger arrays use all colours anyway. */
    SPARE_BYTES = 16 << 20,
};

_Static_assert((int)LAXITY_NODE_MAX < (int)LAXITY_NODES_MAX, "a --node that no mask has room for");

static const struct laxity_field fields[] = {LAXITY_MEMORY_LATENCY_FIELDS};

struct state {
    struct laxity_memory_region *regions;
    size_t n_regions;
    uint32_t *order; /* of the lines of a chain, while it is linked */
    size_t *turns;   /* indices of the sizes, in the order of this repetition */
    uint32_t indices[ACCESSES];
    /* What is being measured. */
    struct laxity_memory_array array;
    const struct laxity_memory_region *region;
    struct laxity_memory_link *link; /* where the chain was left */
    uint64_t random;
    uint32_t cpu;
    uint32_t repetition;
};

static size_t n_regions(const struct laxity_memory_latency_settings *settings)
{
    return settings->nodes.n == 0 ? 1 : settings->nodes.n;
}

static uint64_t n_cases(const struct laxity_memory_latency_settings *settings)
{
    uint64_t n = 0;
    for (int i = 0; i < LAXITY_MEMORY_CASE_COUNT; i++) {
        n += settings->has_case[i];
    }
    return n;
}

static uint64_t count_rows(const struct laxity_probe_plan *plan)
{
    const struct laxity_memory_latency_settings *settings = plan->settings;
    uint64_t rows = n_cases(settings) * laxity_cpus_count(&plan->cpus);
    if (__builtin_mul_overflow(rows, (uint64_t)n_regions(settings), &rows) ||
        __builtin_mul_overflow(rows, (uint64_t)settings->sizes_bytes.n, &rows) ||
        __builtin_mul_overflow(rows, plan->repetitions, &rows)) {
        return UINT64_MAX / sizeof(struct laxity_memory_latency_row);
    }
    return rows;
}

static size_t largest_bytes(const struct laxity_memory_latency_settings *settings)
{
    return laxity_largest_size(&settings->sizes_bytes, 0);
}

/* One region per node, or a single one where none is asked for; of more than the largest array, so
 * that each repetition can take other pages. */
static int map_regions(struct laxity_probe_run *run, const struct state *state)
{
    const struct laxity_memory_latency_settings *settings = run->plan->settings;
    const size_t largest = largest_bytes(settings);
    const size_t bytes = largest + (largest < SPARE_BYTES / 3 ? 3 * largest : SPARE_BYTES);
    for (size_t i = 0; i < state->n_regions; i++) {
        const int32_t node =
            settings->nodes.n == 0 ? LAXITY_ANY_NODE : (int32_t)settings->nodes.items[i];
        if (laxity_memory_map_region(
                run, bytes, node, settings->has_pages[LAXITY_MEMORY_PAGES_HUGE], &state->regions[i]
            )) {
            return -1;
        }
    }
    return 0;
}

static int setup(struct laxity_probe_run *run)
{
    const struct laxity_memory_latency_settings *settings = run->plan->settings;
    struct state *state = calloc(1, sizeof *state);
    run->state = state;
    if (!state) {
        return laxity_refuse(&run->shared->error, LAXITY_EXIT_LACKING, "memory_latency: no memory");
    }
    const size_t lines = largest_bytes(settings) / (size_t)settings->line_bytes;
    state->random = run->plan->seed;
    state->n_regions = n_regions(settings);
    state->regions = calloc(state->n_regions, sizeof *state->regions);
    state->turns = calloc(settings->sizes_bytes.n, sizeof *state->turns);
    state->order = calloc(lines + 1, sizeof *state->order);
    if (!state->regions || !state->turns || !state->order) {
        return laxity_refuse(
            &run->shared->error, LAXITY_EXIT_LACKING, "memory_latency: no memory; lower --size"
        );
    }
    return map_regions(run, state);
}

static void teardown(struct laxity_probe_run *run)
{
    struct state *state = run->state;
    if (!state) {
        return;
    }
    for (size_t i = 0; state->regions && i < state->n_regions; i++) {
        laxity_pages_unmap(&state->regions[i].pages);
    }
    free(state->regions);
    free(state->turns);
    free(state->order);
    free(state);
    run->state = NULL;
}

/* Returns false if the user wants an end. */
static bool link_chain(struct laxity_probe_run *run)
{
    struct state *state = run->state;
    const size_t n = state->array.bytes / state->array.line_bytes;
    for (size_t from = 0; from < n && !laxity_probe_is_stopped(run); from += LINES_AT_ONCE) {
        const size_t to = n - from < LINES_AT_ONCE ? n : from + LINES_AT_ONCE;
        laxity_memory_shuffle(state->order, from, to, &state->random);
        laxity_probe_pause(run);
    }
    for (size_t from = 0; from < n && !laxity_probe_is_stopped(run); from += LINES_AT_ONCE) {
        const size_t to = n - from < LINES_AT_ONCE ? n : from + LINES_AT_ONCE;
        laxity_memory_link(&state->array, state->order, n, from, to);
        laxity_probe_pause(run);
    }
    state->link = (struct laxity_memory_link *)state->array.start;
    if (laxity_machine.is_simulated) {
        /* Linking is not simulated, and has had each line in the caches of a machine. */
        state->link = laxity_memory_chase(state->link, n);
    }
    return !laxity_probe_is_stopped(run);
}

/* Behind what came before it: on x86-64 and aarch64 the C library reads the clock in program order
 * with loads; stores have to be waited for. */
static int64_t read_clock(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    return laxity_machine_now_ns();
}

/* Gives how many accesses it made; as many bytes as a stream passes over, in its lines. */
static uint64_t stream(const struct state *state, enum laxity_memory_case access_case)
{
    const size_t bytes = state->array.bytes - state->array.bytes % ((size_t)2 * STREAM_LINE_BYTES);
    const size_t half = bytes / 2;
    uint64_t passed = 0;
    do {
        if (access_case == LAXITY_MEMORY_CASE_STREAM_READ) {
            laxity_memory_stream_read(state->array.start, bytes);
            passed += bytes;
        } else if (access_case == LAXITY_MEMORY_CASE_STREAM_WRITE) {
            laxity_memory_stream_write(state->array.start, bytes);
            passed += bytes;
        } else {
            laxity_memory_stream_copy(state->array.start + half, state->array.start, half);
            passed += half;
        }
    } while (passed < STREAM_BYTES);
    return passed / STREAM_LINE_BYTES;
}

/* What is not timed: the batch is prepared, and its code is run once. */
static void prepare_batch(struct state *state, enum laxity_memory_case access_case)
{
    unsigned char *start = state->array.start;
    if (access_case == LAXITY_MEMORY_CASE_READ || access_case == LAXITY_MEMORY_CASE_WRITE) {
        laxity_memory_draw(&state->array, state->indices, ACCESSES, &state->random);
    }
    if (access_case == LAXITY_MEMORY_CASE_READ) {
        laxity_memory_read(start, state->indices, WARM_ACCESSES);
    } else if (access_case == LAXITY_MEMORY_CASE_WRITE) {
        laxity_memory_write(start, state->indices, WARM_ACCESSES);
    } else if (access_case == LAXITY_MEMORY_CASE_CHASE) {
        state->link = laxity_memory_chase(state->link, WARM_STEPS);
    }
}

static uint64_t run_batch(struct state *state, enum laxity_memory_case access_case)
{
    switch (access_case) {
    case LAXITY_MEMORY_CASE_CHASE:
        state->link = laxity_memory_chase(state->link, ACCESSES);
        return ACCESSES;
    case LAXITY_MEMORY_CASE_READ:
        laxity_memory_read(state->array.start, state->indices, ACCESSES);
        return ACCESSES;
    case LAXITY_MEMORY_CASE_WRITE:
        laxity_memory_write(state->array.start, state->indices, ACCESSES);
        return ACCESSES;
    default:
        return stream(state, access_case);
    }
}

static struct laxity_memory_latency_row time_batch(
    const struct laxity_memory_latency_settings *settings,
    struct state *state,
    enum laxity_memory_case access_case
)
{
    prepare_batch(state, access_case);
    const int64_t before_ns = read_clock();
    const int64_t start_ns = read_clock();
    const uint64_t accesses = run_batch(state, access_case);
    const int64_t end_ns = read_clock();
    return (struct laxity_memory_latency_row){
        .time_ns = start_ns,
        .working_set_bytes = state->array.bytes,
        .elapsed_ns = end_ns - start_ns,
        .empty_ns = start_ns - before_ns,
        .accesses = accesses,
        .cpu = (int32_t)state->cpu,
        .node = state->region->node,
        .repetition = state->repetition,
        .line_bytes = (uint16_t)settings->line_bytes,
        .case_ = (uint8_t)access_case,
        .pages = settings->has_pages[LAXITY_MEMORY_PAGES_HUGE],
    };
}

/* Other pages than last time, so that what depends on them is in the spread of the figures. */
static void place_array(struct state *state, size_t bytes, size_t line_bytes)
{
    const size_t spare_pages = (state->region->pages.bytes - bytes) / PAGE_BYTES;
    const size_t page = (size_t)(laxity_crpd_random(&state->random) % (spare_pages + 1));
    state->array = (struct laxity_memory_array){
        .start = state->region->pages.start + page * PAGE_BYTES,
        .bytes = bytes,
        .line_bytes = line_bytes,
    };
}

/* One batch of each case. Returns false if the user wants an end. */
static bool measure_size(struct laxity_probe_run *run, size_t bytes)
{
    const struct laxity_memory_latency_settings *settings = run->plan->settings;
    struct state *state = run->state;
    place_array(state, bytes, (size_t)settings->line_bytes);
    if (!link_chain(run)) {
        return false;
    }
    for (int i = 0; i < LAXITY_MEMORY_CASE_COUNT; i++) {
        if (!settings->has_case[i]) {
            continue;
        }
        const struct laxity_memory_latency_row row =
            time_batch(settings, state, (enum laxity_memory_case)i);
        if (!laxity_probe_add_row(run, &row)) {
            return false;
        }
    }
    laxity_probe_pause(run);
    return true;
}

/* Sizes in random order, so that what changes slowly changes all of them. */
static bool measure_repetition(struct laxity_probe_run *run)
{
    const struct laxity_memory_latency_settings *settings = run->plan->settings;
    struct state *state = run->state;
    for (size_t i = 0; i < settings->sizes_bytes.n; i++) {
        const size_t at = (size_t)(laxity_crpd_random(&state->random) % (i + 1));
        state->turns[i] = state->turns[at];
        state->turns[at] = i;
    }
    for (size_t i = 0; i < settings->sizes_bytes.n; i++) {
        if (!measure_size(run, (size_t)settings->sizes_bytes.items[state->turns[i]])) {
            return false;
        }
    }
    return true;
}

/* Every node in turn. Returns 0, or 1 if the user wants an end. */
static int measure_cpu(struct laxity_probe_run *run, unsigned cpu)
{
    struct state *state = run->state;
    state->cpu = cpu;
    for (uint64_t i = 0; i < run->plan->repetitions; i++) {
        state->repetition = (uint32_t)i;
        for (size_t at = 0; at < state->n_regions; at++) {
            state->region = &state->regions[at];
            if (!measure_repetition(run)) {
                return 1;
            }
        }
    }
    return 0;
}

static int measure(struct laxity_probe_run *run)
{
    return laxity_probe_measure_cpus(run, measure_cpu);
}

static int check(void *from, struct laxity_error *error)
{
    const struct laxity_memory_latency_settings *settings = from;
    const bool *has_pages = settings->has_pages;
    for (size_t i = 0; i < settings->sizes_bytes.n; i++) {
        if (settings->sizes_bytes.items[i] > SIZE_MAX / 4) {
            return laxity_refuse(error, LAXITY_EXIT_USAGE, "--size: more than fits here");
        }
    }
    /* A power of two has one bit; others would put links across two lines. */
    if ((settings->line_bytes & (settings->line_bytes - 1)) != 0) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "--line \"%uB\": not a power of two from 16B to 1KiB; write 64B",
            (unsigned)settings->line_bytes
        );
    }
    if (has_pages[LAXITY_MEMORY_PAGES_ORDINARY] && has_pages[LAXITY_MEMORY_PAGES_HUGE]) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "--pages \"ordinary, huge\": one run measures one kind; name one"
        );
    }
    return 0;
}

const struct laxity_probe laxity_probe_memory_latency = {
    .name = "memory_latency",
    .stream = "memory_latency.npy",
    .fields = fields,
    .n_fields = sizeof fields / sizeof fields[0],
    .row_bytes = sizeof(struct laxity_memory_latency_row),
    .setup = setup,
    .measure = measure,
    .teardown = teardown,
    .count_rows = count_rows,
    .check = check,
};
