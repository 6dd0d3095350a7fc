/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The kernel's ring: the first two bytes say where reading starts, the rest are the records; of
 * switches, and then of samples. */
#include "schema/streams.h"
#include "trace/perf_records.h"
#include "trace/sample_records.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    RING_BYTES = 4096,
    CPU = 1,
};

static void require(const bool holds)
{
    if (!holds) {
        abort();
    }
}

static void take_event(void *const context, const struct laxity_sched_event *const event)
{
    (void)context;
    require(event->cpu == CPU && (int)event->kind < (int)LAXITY_SCHED_KIND_COUNT);
    require((event->kind == LAXITY_SCHED_KIND_OFF) == (event->preempted != LAXITY_ABSENT_FLAG));
}

static void take_thread(void *const context, const struct laxity_thread_event *const event)
{
    (void)context;
    require(!event->comm || strlen(event->comm) < LAXITY_COMM_BYTES);
}

static void take_lost(void *const context, const int32_t cpu, const uint64_t n)
{
    uint64_t *const lost = context;
    require(cpu == CPU);
    *lost += n;
}

static void take_sample(void *const context, const struct laxity_group_sample *const sample)
{
    (void)context;
    require(sample->n <= LAXITY_SAMPLE_VALUES_MAX);
}

static void take_lost_samples(void *const context, const uint64_t n)
{
    uint64_t *const lost = context;
    *lost += n;
}

static void take_throttled(void *const context)
{
    require(context != NULL);
}

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *const data, const size_t size)
{
    if (size < 2 || size - 2 > RING_BYTES) {
        return -1;
    }
    static unsigned char ring[RING_BYTES];
    const uint64_t tail = data[0] | (uint64_t)data[1] << 8;
    for (size_t i = 2; i < size; i++) {
        ring[(tail + i - 2) % RING_BYTES] = data[i];
    }
    uint64_t lost = 0;
    uint64_t told = 0;
    const struct laxity_trace_sink sink = {
        .context = &lost, .on_event = take_event, .on_thread = take_thread, .on_lost = take_lost
    };
    const struct laxity_perf_bytes bytes = {ring, RING_BYTES};
    (void)laxity_perf_records_parse(&bytes, tail, tail + size - 2, CPU, &sink, &told);
    require(lost == told);
    const struct laxity_sample_sink samples = {
        .context = &lost,
        .on_sample = take_sample,
        .on_lost = take_lost_samples,
        .on_throttled = take_throttled,
    };
    for (int has_lost = 0; has_lost < 2; has_lost++) {
        (void)laxity_sample_records_parse(&bytes, tail, tail + size - 2, has_lost, &samples);
    }
    return 0;
}
