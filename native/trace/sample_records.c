/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/sample_records.h"

#include "trace/perf_records.h"
#include "trace/sched_kinds.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* PERF_SAMPLE_TID | TIME | READ, in perf_event.h's order; the values follow. */
struct sample_body {
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns;
    uint64_t n;
    uint64_t enabled_ns;
    uint64_t running_ns;
};

struct lost_body {
    uint64_t id;
    uint64_t lost;
};

struct taker {
    const struct laxity_sample_sink *sink;
    size_t value_bytes;
    int rc;
};

static void take_sample(struct taker *taker, const unsigned char *body, size_t bytes)
{
    struct sample_body read;
    if (bytes < sizeof read) {
        taker->rc = -EBADMSG;
        return;
    }
    memcpy(&read, body, sizeof read);
    if (read.n > LAXITY_SAMPLE_VALUES_MAX ||
        bytes < sizeof read + (size_t)read.n * taker->value_bytes) {
        taker->rc = -EBADMSG;
        return;
    }
    struct laxity_group_sample sample = {
        .time_ns = (int64_t)read.time_ns,
        .tid = read.tid == UINT32_MAX ? LAXITY_ABSENT_TID : (int32_t)read.tid,
        .enabled_ns = read.enabled_ns,
        .running_ns = read.running_ns,
        .n = (unsigned)read.n,
    };
    for (unsigned i = 0; i < sample.n; i++) {
        memcpy(
            &sample.values[i], body + sizeof read + i * taker->value_bytes, sizeof sample.values[i]
        );
    }
    taker->sink->on_sample(taker->sink->context, &sample);
}

static void take_lost(struct taker *taker, const unsigned char *body, size_t bytes)
{
    struct lost_body lost;
    if (bytes < sizeof lost) {
        taker->rc = -EBADMSG;
        return;
    }
    memcpy(&lost, body, sizeof lost);
    taker->sink->on_lost(taker->sink->context, lost.lost);
}

static void take_record(void *context, const unsigned char *record, size_t bytes)
{
    struct taker *taker = context;
    struct perf_event_header header;
    if (taker->rc) {
        return;
    }
    memcpy(&header, record, sizeof header);
    const unsigned char *body = record + sizeof header;
    switch (header.type) {
    case PERF_RECORD_SAMPLE:
        take_sample(taker, body, bytes - sizeof header);
        break;
    case PERF_RECORD_LOST:
        take_lost(taker, body, bytes - sizeof header);
        break;
    case PERF_RECORD_THROTTLE:
        taker->sink->on_throttled(taker->sink->context);
        break;
    default:
        break;
    }
}

int laxity_sample_records_parse(
    const struct laxity_perf_bytes *ring,
    uint64_t tail,
    uint64_t head,
    int has_lost,
    const struct laxity_sample_sink *sink
)
{
    struct taker taker = {
        .sink = sink,
        .value_bytes = has_lost ? 2 * sizeof(uint64_t) : sizeof(uint64_t),
    };
    const int rc = laxity_perf_records_each(
        ring, tail, head, sizeof(struct perf_event_header), take_record, &taker
    );
    return rc ? rc : taker.rc;
}
