/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/switch_stream.h"

#include "base/cpus.h"
#include "base/histogram.h"
#include "base/npy.h"
#include "base/port/time.h"
#include "schema/streams.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static const struct laxity_field fields[] = {LAXITY_SWITCHES_FIELDS};

static struct laxity_switch_cpu *seen_of(struct laxity_switch_stream *stream, int32_t cpu)
{
    return &stream->seen[stream->quantity][cpu];
}

static void take_event(void *context, const struct laxity_sched_event *event)
{
    struct laxity_switch_stream *stream = context;
    struct laxity_switch_cpu *cpu = seen_of(stream, event->cpu);
    const bool is_empty = stream->quantity == LAXITY_SWITCHES_QUANTITY_EMPTY;
    if (event->kind == (is_empty ? LAXITY_SCHED_KIND_OFF : LAXITY_SCHED_KIND_ON) &&
        cpu->off_ns != LAXITY_ABSENT_NS) {
        /* Where another thread comes on than was announced, some in between are hidden from us. */
        const bool is_pair = (is_empty ? event->other_tid : event->tid) == cpu->next_tid;
        if (is_pair) {
            cpu->durations.counts[laxity_histogram_bucket(event->time_ns - cpu->off_ns)]++;
        }
        cpu->unpaired += !is_pair;
        cpu->off_ns = LAXITY_ABSENT_NS;
    } else if (event->kind == LAXITY_SCHED_KIND_OFF) {
        cpu->unpaired += cpu->off_ns != LAXITY_ABSENT_NS;
        cpu->off_ns = event->time_ns;
        cpu->next_tid = event->other_tid;
    } else if (event->kind == LAXITY_SCHED_KIND_ON && is_empty) {
        cpu->off_ns = LAXITY_ABSENT_NS;
    }
}

static void take_thread(void *context, const struct laxity_thread_event *event)
{
    (void)context;
    (void)event;
}

static void take_lost(void *context, int32_t cpu, uint64_t n)
{
    struct laxity_switch_stream *stream = context;
    struct laxity_switch_cpu *seen = seen_of(stream, cpu);
    seen->lost += n;
    seen->off_ns = LAXITY_ABSENT_NS;
}

static void take_switches(
    void *context, int32_t cpu, const struct laxity_histogram *durations, uint64_t unpaired
)
{
    struct laxity_switch_stream *stream = context;
    struct laxity_switch_cpu *seen = seen_of(stream, cpu);
    seen->unpaired += unpaired;
    for (unsigned i = 0; i < LAXITY_HISTOGRAM_BUCKETS; i++) {
        seen->durations.counts[i] += durations->counts[i];
    }
}

int laxity_switch_stream_open(
    int dir_fd, const struct laxity_cpus *cpus, struct laxity_switch_stream *out_stream
)
{
    struct laxity_switch_stream *stream = out_stream;
    *stream = (struct laxity_switch_stream){.npy.fd = -1, .cpus = *cpus};
    const unsigned n = laxity_cpus_end(cpus);
    int rc = 0;
    for (unsigned quantity = 0; quantity < LAXITY_SWITCHES_QUANTITY_COUNT; quantity++) {
        stream->seen[quantity] = calloc(n, sizeof *stream->seen[quantity]);
        rc = stream->seen[quantity] ? rc : -ENOMEM;
        for (unsigned cpu = 0; cpu < n && rc == 0; cpu++) {
            stream->seen[quantity][cpu].off_ns = LAXITY_ABSENT_NS;
        }
    }
    if (rc == 0) {
        rc = laxity_npy_create(
            dir_fd, "switches.npy", fields, sizeof fields / sizeof fields[0], &stream->npy
        );
    }
    if (rc) {
        laxity_switch_stream_free(stream);
    }
    return rc;
}

struct laxity_trace_sink laxity_switch_stream_sink(struct laxity_switch_stream *stream)
{
    return (struct laxity_trace_sink){
        .context = stream,
        .on_event = take_event,
        .on_thread = take_thread,
        .on_lost = take_lost,
        .on_switches = take_switches,
    };
}

uint64_t laxity_switch_stream_rows(const struct laxity_switch_stream *stream, unsigned cpu)
{
    const struct laxity_switch_cpu *seen = &stream->seen[LAXITY_SWITCHES_QUANTITY_KERNEL][cpu];
    uint64_t rows = seen->unpaired;
    for (unsigned i = 0; i < LAXITY_HISTOGRAM_BUCKETS; i++) {
        rows += seen->durations.counts[i];
    }
    return rows;
}

static int put_row(struct laxity_switch_stream *stream, const struct laxity_switches_row *row)
{
    return row->count > 0 ? laxity_npy_write(&stream->npy, stream->npy.rows, row, 1) : 0;
}

static int write_cpu(struct laxity_switch_stream *stream, unsigned quantity, unsigned cpu)
{
    const struct laxity_switch_cpu *seen = &stream->seen[quantity][cpu];
    struct laxity_switches_row row = {
        .cpu = (int32_t)cpu,
        .quantity = (uint8_t)quantity,
        .lower_ns = LAXITY_ABSENT_NS,
        .upper_ns = LAXITY_ABSENT_NS,
        .count = seen->unpaired,
    };
    int rc = put_row(stream, &row);
    for (unsigned i = 0; i < LAXITY_HISTOGRAM_BUCKETS && rc == 0; i++) {
        int64_t lower_ns = 0;
        int64_t upper_ns = 0;
        laxity_histogram_edges(i, &lower_ns, &upper_ns);
        row.lower_ns = lower_ns;
        row.upper_ns = upper_ns;
        row.count = seen->durations.counts[i];
        rc = put_row(stream, &row);
    }
    return rc;
}

int laxity_switch_stream_close(struct laxity_switch_stream *stream)
{
    int rc = 0;
    for (unsigned quantity = 0; quantity < LAXITY_SWITCHES_QUANTITY_COUNT; quantity++) {
        for (unsigned cpu = 0; cpu < laxity_cpus_end(&stream->cpus) && rc == 0; cpu++) {
            rc = write_cpu(stream, quantity, cpu);
        }
    }
    const int closed = laxity_npy_close(&stream->npy);
    return rc ? rc : closed;
}

void laxity_switch_stream_free(struct laxity_switch_stream *stream)
{
    for (unsigned quantity = 0; quantity < LAXITY_SWITCHES_QUANTITY_COUNT; quantity++) {
        free(stream->seen[quantity]);
        stream->seen[quantity] = NULL;
    }
}
