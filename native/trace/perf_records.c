/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/perf_records.h"

#include "schema/streams.h"
#include "trace/trace.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* At the end of every record: the fields of the event's sample_type, in perf_event.h's order. */
struct sample_id {
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns;
    uint32_t cpu;
    uint32_t reserved;
};

struct pid_tid {
    uint32_t pid;
    uint32_t tid;
};

struct task_body { /* of FORK and EXIT */
    uint32_t pid;
    uint32_t parent_pid;
    uint32_t tid;
    uint32_t parent_tid;
    uint64_t time_ns;
};

struct lost_body {
    uint64_t id;
    uint64_t lost;
};

/* One record, straightened out. `body` excludes header and sample_id. */
struct record {
    struct perf_event_header header;
    const unsigned char *body;
    size_t body_bytes;
    struct sample_id sample;
    int32_t cpu;
};

enum {
    RECORD_BYTES_MAX = UINT16_MAX + 1
};

static void copy_out(const struct laxity_perf_bytes *ring, uint64_t at, void *out, size_t bytes)
{
    const size_t offset = (size_t)(at & (ring->bytes - 1));
    const size_t until_end = (size_t)ring->bytes - offset;
    const size_t first = bytes < until_end ? bytes : until_end;
    memcpy(out, ring->data + offset, first);
    memcpy((unsigned char *)out + first, ring->data, bytes - first);
}

/* perf says -1 of a thread that is already being taken down. */
static int32_t tid_of(uint32_t tid)
{
    return tid == UINT32_MAX ? LAXITY_ABSENT_TID : (int32_t)tid;
}

static struct laxity_sched_event event_of(const struct record *record, enum laxity_sched_kind kind)
{
    return (struct laxity_sched_event){
        .time_ns = (int64_t)record->sample.time_ns,
        .cpu = record->cpu,
        .kind = kind,
        .tid = tid_of(record->sample.tid),
        .other_tid = LAXITY_ABSENT_TID,
        .prev_state_or_vector = LAXITY_ABSENT_STATE,
        .preempted = LAXITY_ABSENT_FLAG,
    };
}

static void take_switch(const struct record *record, const struct laxity_trace_sink *sink)
{
    const unsigned misc = record->header.misc;
    const int is_off = (misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
    struct laxity_sched_event event =
        event_of(record, is_off ? LAXITY_SCHED_KIND_OFF : LAXITY_SCHED_KIND_ON);
    struct pid_tid other;
    if (record->body_bytes >= sizeof other) {
        memcpy(&other, record->body, sizeof other);
        event.other_tid = tid_of(other.tid);
    }
    if (is_off) {
        event.preempted = (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
    }
    sink->on_event(sink->context, &event);
}

static void take_task(
    const struct record *record, enum laxity_sched_kind kind, const struct laxity_trace_sink *sink
)
{
    struct task_body body;
    if (record->body_bytes < sizeof body) {
        return;
    }
    memcpy(&body, record->body, sizeof body);
    struct laxity_sched_event event = event_of(record, kind);
    event.tid = tid_of(body.tid);
    if (kind == LAXITY_SCHED_KIND_FORK) {
        event.other_tid = tid_of(body.parent_tid);
        const struct laxity_thread_event thread = {
            .time_ns = event.time_ns,
            .pid = tid_of(body.pid),
            .tid = event.tid,
            .parent_tid = event.other_tid,
        };
        sink->on_thread(sink->context, &thread);
    }
    sink->on_event(sink->context, &event);
}

static void take_comm(const struct record *record, const struct laxity_trace_sink *sink)
{
    struct pid_tid who;
    if (record->body_bytes < sizeof who) {
        return;
    }
    memcpy(&who, record->body, sizeof who);
    char comm[LAXITY_COMM_BYTES] = {0};
    size_t bytes = record->body_bytes - sizeof who;
    bytes = bytes < sizeof comm - 1 ? bytes : sizeof comm - 1;
    memcpy(comm, record->body + sizeof who, bytes);
    const struct laxity_thread_event thread = {
        .time_ns = (int64_t)record->sample.time_ns,
        .pid = tid_of(who.pid),
        .tid = tid_of(who.tid),
        .parent_tid = LAXITY_ABSENT_TID,
        .comm = comm,
    };
    sink->on_thread(sink->context, &thread);
}

static void
take_lost(const struct record *record, const struct laxity_trace_sink *sink, uint64_t *out_lost)
{
    struct lost_body body;
    if (record->body_bytes < sizeof body) {
        return;
    }
    memcpy(&body, record->body, sizeof body);
    *out_lost += body.lost;
    sink->on_lost(sink->context, record->cpu, body.lost);
}

static void
take(const struct record *record, const struct laxity_trace_sink *sink, uint64_t *out_lost)
{
    switch (record->header.type) {
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
        take_switch(record, sink);
        break;
    case PERF_RECORD_FORK:
        take_task(record, LAXITY_SCHED_KIND_FORK, sink);
        break;
    case PERF_RECORD_EXIT:
        take_task(record, LAXITY_SCHED_KIND_EXIT, sink);
        break;
    case PERF_RECORD_COMM:
        take_comm(record, sink);
        break;
    case PERF_RECORD_LOST:
        take_lost(record, sink, out_lost);
        break;
    default:
        break;
    }
}

int laxity_perf_records_each(
    const struct laxity_perf_bytes *ring,
    uint64_t tail,
    uint64_t head,
    size_t least_bytes,
    void (*take_record)(void *context, const unsigned char *record, size_t bytes),
    void *context
)
{
    unsigned char bytes[RECORD_BYTES_MAX];
    if (head < tail || head - tail > ring->bytes) {
        return -EBADMSG;
    }
    while (tail < head) {
        struct perf_event_header header;
        if (head - tail < sizeof header) {
            return -EBADMSG;
        }
        copy_out(ring, tail, &header, sizeof header);
        if (header.size < least_bytes || header.size < sizeof header || header.size > head - tail) {
            return -EBADMSG;
        }
        copy_out(ring, tail, bytes, header.size);
        take_record(context, bytes, header.size);
        tail += header.size;
    }
    return 0;
}

/* Where the records of one CPU go. */
struct taker {
    int32_t cpu;
    const struct laxity_trace_sink *sink;
    uint64_t *out_lost;
};

static void take_bytes(void *context, const unsigned char *bytes, size_t size)
{
    const struct taker *taker = context;
    struct record record = {.cpu = taker->cpu};
    memcpy(&record.header, bytes, sizeof record.header);
    record.body = bytes + sizeof record.header;
    record.body_bytes = size - sizeof record.header - sizeof record.sample;
    memcpy(&record.sample, bytes + size - sizeof record.sample, sizeof record.sample);
    take(&record, taker->sink, taker->out_lost);
}

int laxity_perf_records_parse(
    const struct laxity_perf_bytes *ring,
    uint64_t tail,
    uint64_t head,
    int32_t cpu,
    const struct laxity_trace_sink *sink,
    uint64_t *out_lost
)
{
    struct taker taker = {.cpu = cpu, .sink = sink, .out_lost = out_lost};
    const size_t least_bytes = sizeof(struct perf_event_header) + sizeof(struct sample_id);
    return laxity_perf_records_each(ring, tail, head, least_bytes, take_bytes, &taker);
}
