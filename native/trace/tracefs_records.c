/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/tracefs_records.h"

#include "base/error.h"
#include "schema/streams.h"
#include "trace/trace.h"
#include "trace/tracefs_format.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* linux/ring_buffer.h: what the 5 bits of an entry's type mean beside a length in words. */
enum {
    TYPE_LONG = 0, /* the length is in the word that follows */
    TYPE_PADDING = 29,
    TYPE_TIME_EXTEND = 30,
    TYPE_TIME_STAMP = 31,
    TYPE_BITS = 5,
    DELTA_BITS = 27,
    WORD_BYTES = 4,
    STAMP_BITS = 59, /* of an absolute time */
    CLONE_THREAD_BIT = 16,
    SHORT_BYTES = 2,
};

/* kernel/trace/ring_buffer.c: flags in the commit word of a page that was read. */
static const uint64_t missed_events = UINT64_C(1) << 31;
static const uint64_t missed_stored = UINT64_C(1) << 30;
static const uint64_t commit_mask = (UINT64_C(1) << 27) - 1;

/*
 * States in which a thread waits (TASK_REPORT). What else sched_switch tells is 0 or, since Linux
 * 4.14, the bit above these: the thread could have gone on.
 */
static const uint64_t waiting_states = 0xff;

/* One record, straightened out. */
struct record {
    const struct laxity_tracepoint *tracepoint;
    const unsigned char *data;
    size_t bytes;
    int64_t time_ns;
    int32_t cpu;
};

static uint64_t read_word(const unsigned char *at, size_t bytes)
{
    uint8_t byte = 0;
    uint16_t half = 0;
    uint32_t word = 0;
    uint64_t whole = 0;
    switch (bytes) {
    case sizeof byte:
        return *at;
    case sizeof half:
        memcpy(&half, at, sizeof half);
        return half;
    case sizeof word:
        memcpy(&word, at, sizeof word);
        return word;
    case sizeof whole:
        memcpy(&whole, at, sizeof whole);
        return whole;
    default:
        return 0;
    }
}

/* Its number where the field is one and within the record, else `otherwise`. */
static int64_t
number_of(const struct record *record, const struct laxity_tracefs_field *field, int64_t otherwise)
{
    const size_t bytes = field->bytes;
    if (bytes == 0 || bytes > sizeof(uint64_t) || (bytes & (bytes - 1)) != 0 ||
        (size_t)field->offset + bytes > record->bytes) {
        return otherwise;
    }
    const uint64_t value = read_word(record->data + field->offset, bytes);
    if (!field->is_signed || bytes == sizeof value) {
        return (int64_t)value;
    }
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)((value ^ sign) - sign);
}

static int32_t tid_of(const struct record *record, const struct laxity_tracefs_field *field)
{
    const int64_t tid = number_of(record, field, LAXITY_ABSENT_TID);
    return tid >= 0 && tid <= INT32_MAX ? (int32_t)tid : LAXITY_ABSENT_TID;
}

/* A text of fixed size, or (4 bytes) one that lies at the end: its offset and length. */
static void text_of(
    const struct record *record, const struct laxity_tracefs_field *field, char *text, size_t bytes
)
{
    size_t at = field->offset;
    size_t length = field->bytes;
    text[0] = '\0';
    if (length == WORD_BYTES && at + length <= record->bytes) {
        const uint64_t place = read_word(record->data + at, WORD_BYTES);
        at = (size_t)(place & UINT16_MAX);
        length = (size_t)(place >> (8 * SHORT_BYTES));
    }
    if (length == 0 || at + length > record->bytes) {
        return;
    }
    laxity_format(text, bytes, "%.*s", (int)length, (const char *)record->data + at);
}

static const struct laxity_tracefs_field *field_of(const struct record *record, unsigned i)
{
    return &record->tracepoint->format.fields[i];
}

static struct laxity_sched_event event_of(const struct record *record, enum laxity_sched_kind kind)
{
    return (struct laxity_sched_event){
        .time_ns = record->time_ns,
        .cpu = record->cpu,
        .kind = kind,
        .tid = tid_of(record, &record->tracepoint->format.common_pid),
        .other_tid = LAXITY_ABSENT_TID,
        .prev_state_or_vector = LAXITY_ABSENT_STATE,
        .preempted = LAXITY_ABSENT_FLAG,
    };
}

/* One record is both: the kernel makes it before the switch. */
static void take_switch(const struct record *record, const struct laxity_trace_sink *sink)
{
    const int32_t prev = tid_of(record, field_of(record, 0));
    const int64_t state = number_of(record, field_of(record, 1), LAXITY_ABSENT_STATE);
    const int32_t next = tid_of(record, field_of(record, 2));
    struct laxity_sched_event event = event_of(record, LAXITY_SCHED_KIND_OFF);
    event.tid = prev;
    event.other_tid = next;
    event.prev_state_or_vector = state;
    event.preempted = ((uint64_t)state & waiting_states) == 0;
    sink->on_event(sink->context, &event);
    event = event_of(record, LAXITY_SCHED_KIND_ON);
    event.tid = next;
    event.other_tid = prev;
    sink->on_event(sink->context, &event);
}

/* The second field is the CPU where the thread is to run. */
static void take_placement(
    const struct record *record, enum laxity_sched_kind kind, const struct laxity_trace_sink *sink
)
{
    struct laxity_sched_event event = event_of(record, kind);
    event.other_tid = event.tid;
    event.tid = tid_of(record, field_of(record, 0));
    event.prev_state_or_vector = number_of(record, field_of(record, 1), LAXITY_ABSENT_STATE);
    sink->on_event(sink->context, &event);
}

static void take_fork(const struct record *record, const struct laxity_trace_sink *sink)
{
    struct laxity_sched_event event = event_of(record, LAXITY_SCHED_KIND_FORK);
    event.other_tid = event.tid;
    event.tid = tid_of(record, field_of(record, 0));
    const uint64_t flags = (uint64_t)number_of(record, field_of(record, 1), 0);
    const struct laxity_thread_event thread = {
        .time_ns = event.time_ns,
        /* A thread is of its maker's process, which the record does not tell. */
        .pid = (flags >> CLONE_THREAD_BIT & 1) ? LAXITY_ABSENT_TID : event.tid,
        .tid = event.tid,
        .parent_tid = event.other_tid,
    };
    sink->on_thread(sink->context, &thread);
    sink->on_event(sink->context, &event);
}

static void take_exit(const struct record *record, const struct laxity_trace_sink *sink)
{
    struct laxity_sched_event event = event_of(record, LAXITY_SCHED_KIND_EXIT);
    event.tid = tid_of(record, field_of(record, 0));
    sink->on_event(sink->context, &event);
}

static void take_rename(const struct record *record, const struct laxity_trace_sink *sink)
{
    char comm[LAXITY_COMM_BYTES];
    text_of(record, field_of(record, 1), comm, sizeof comm);
    const struct laxity_thread_event thread = {
        .time_ns = record->time_ns,
        .pid = LAXITY_ABSENT_TID,
        .tid = tid_of(record, field_of(record, 0)),
        .parent_tid = LAXITY_ABSENT_TID,
        .comm = comm,
    };
    sink->on_thread(sink->context, &thread);
}

static void take_interrupt(
    const struct record *record, enum laxity_sched_kind kind, const struct laxity_trace_sink *sink
)
{
    struct laxity_sched_event event = event_of(record, kind);
    event.prev_state_or_vector = number_of(record, field_of(record, 0), LAXITY_ABSENT_STATE);
    const enum laxity_tracepoint_action action = record->tracepoint->kind->action;
    const bool is_vector =
        action == LAXITY_TRACEPOINT_VECTOR_IN || action == LAXITY_TRACEPOINT_VECTOR_OUT;
    /* What is absent is the smallest value, which has no negative. */
    if (is_vector && event.prev_state_or_vector != LAXITY_ABSENT_STATE) {
        event.prev_state_or_vector = LAXITY_CPU_VECTOR(event.prev_state_or_vector);
    }
    if (kind == LAXITY_SCHED_KIND_IRQ_IN) {
        char name[LAXITY_VECTOR_NAME_BYTES];
        text_of(record, field_of(record, 1), name, sizeof name);
        const char *vector = record->tracepoint->vector;
        sink->on_vector(
            sink->context, event.prev_state_or_vector, vector[0] == '\0' ? name : vector
        );
    }
    sink->on_event(sink->context, &event);
}

static void take(const struct record *record, const struct laxity_trace_sink *sink)
{
    switch (record->tracepoint->kind->action) {
    case LAXITY_TRACEPOINT_SWITCH:
        take_switch(record, sink);
        break;
    case LAXITY_TRACEPOINT_WAKEUP:
        take_placement(record, LAXITY_SCHED_KIND_WAKEUP, sink);
        break;
    case LAXITY_TRACEPOINT_MIGRATE:
        take_placement(record, LAXITY_SCHED_KIND_MIGRATE, sink);
        break;
    case LAXITY_TRACEPOINT_FORK:
        take_fork(record, sink);
        break;
    case LAXITY_TRACEPOINT_EXIT:
        take_exit(record, sink);
        break;
    case LAXITY_TRACEPOINT_RENAME:
        take_rename(record, sink);
        break;
    case LAXITY_TRACEPOINT_IRQ_IN:
    case LAXITY_TRACEPOINT_VECTOR_IN:
        take_interrupt(record, LAXITY_SCHED_KIND_IRQ_IN, sink);
        break;
    case LAXITY_TRACEPOINT_IRQ_OUT:
    case LAXITY_TRACEPOINT_VECTOR_OUT:
        take_interrupt(record, LAXITY_SCHED_KIND_IRQ_OUT, sink);
        break;
    case LAXITY_TRACEPOINT_SOFTIRQ_IN:
        take_interrupt(record, LAXITY_SCHED_KIND_SOFTIRQ_IN, sink);
        break;
    case LAXITY_TRACEPOINT_SOFTIRQ_OUT:
        take_interrupt(record, LAXITY_SCHED_KIND_SOFTIRQ_OUT, sink);
        break;
    }
}

int laxity_tracefs_add(
    struct laxity_tracefs_layout *layout,
    const struct laxity_tracepoint_kind *kind,
    const char *format,
    const char *name
)
{
    if (layout->n == LAXITY_TRACEPOINTS_MAX) {
        return -ENOSPC;
    }
    struct laxity_tracepoint *tracepoint = &layout->tracepoints[layout->n];
    *tracepoint = (struct laxity_tracepoint){.kind = kind};
    const int rc = laxity_tracefs_parse_format(format, kind->fields, &tracepoint->format);
    if (rc) {
        return rc;
    }
    laxity_format(tracepoint->name, sizeof tracepoint->name, "%s", name);
    if (kind->action == LAXITY_TRACEPOINT_VECTOR_IN) {
        const size_t stem_bytes = strlen(name) - strlen("_entry");
        laxity_format(tracepoint->vector, sizeof tracepoint->vector, "%.*s", (int)stem_bytes, name);
    }
    layout->n++;
    layout->by_id[tracepoint->format.id] = (uint8_t)layout->n;
    return 0;
}

/* An entry of the ring buffer: its header is a bit field, so its order is the processor's. */
struct entry {
    unsigned type;
    uint64_t delta;
    size_t bytes; /* of all of it */
    const unsigned char *data;
    size_t data_bytes;
};

static void split_header(uint32_t header, struct entry *entry)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    entry->type = header >> DELTA_BITS;
    entry->delta = header & ((UINT32_C(1) << DELTA_BITS) - 1);
#else
    entry->type = header & ((UINT32_C(1) << TYPE_BITS) - 1);
    entry->delta = header >> TYPE_BITS;
#endif
}

/* Returns 1, 0 at the end of the page's entries, or -EBADMSG. */
static int read_entry(const unsigned char *at, size_t rest, struct entry *entry)
{
    if (rest < WORD_BYTES) {
        return rest == 0 ? 0 : -EBADMSG;
    }
    split_header((uint32_t)read_word(at, WORD_BYTES), entry);
    if (entry->type == TYPE_PADDING && entry->delta == 0) {
        return 0; /* nothing up to the end of the page */
    }
    size_t head_bytes = WORD_BYTES;
    size_t bytes = WORD_BYTES + (size_t)entry->type * WORD_BYTES;
    if (entry->type == TYPE_LONG || entry->type >= TYPE_PADDING) {
        if (rest < 2 * (size_t)WORD_BYTES) {
            return -EBADMSG;
        }
        head_bytes += WORD_BYTES;
        const uint64_t word = read_word(at + WORD_BYTES, WORD_BYTES);
        bytes = head_bytes;
        if (entry->type == TYPE_LONG || entry->type == TYPE_PADDING) {
            bytes = WORD_BYTES + (size_t)word; /* the word counts itself */
        } else {
            entry->delta |= word << DELTA_BITS;
        }
    }
    if (bytes < head_bytes || bytes > rest) {
        return -EBADMSG;
    }
    entry->bytes = bytes;
    entry->data = at + head_bytes;
    entry->data_bytes = bytes - head_bytes;
    return 1;
}

/* The time at an entry, from that of the one before. */
static uint64_t advance(uint64_t time_ns, const struct entry *entry)
{
    if (entry->type == TYPE_PADDING && entry->delta == 1) {
        return time_ns; /* discarded; the kernel puts 1 for a delta of 0 */
    }
    if (entry->type != TYPE_TIME_STAMP) {
        return time_ns + entry->delta;
    }
    /* An absolute time lacks its 5 highest bits. */
    const uint64_t low_bits = (UINT64_C(1) << STAMP_BITS) - 1;
    uint64_t absolute = (entry->delta & low_bits) | (time_ns & ~low_bits);
    if (absolute < time_ns && time_ns - absolute > low_bits / 2) {
        absolute += UINT64_C(1) << STAMP_BITS;
    }
    return absolute;
}

static void take_entry(
    const struct laxity_tracefs_layout *layout,
    const struct entry *entry,
    uint64_t time_ns,
    int32_t cpu,
    const struct laxity_trace_sink *sink
)
{
    if (entry->type >= TYPE_PADDING || entry->data_bytes < SHORT_BYTES) {
        return;
    }
    const unsigned known = layout->by_id[read_word(entry->data, SHORT_BYTES)];
    if (known == 0) {
        return;
    }
    const struct record record = {
        .tracepoint = &layout->tracepoints[known - 1],
        .data = entry->data,
        .bytes = entry->data_bytes,
        .time_ns = (int64_t)time_ns,
        .cpu = cpu,
    };
    take(&record, sink);
}

/* How much the kernel says is missing before a page; the number lies behind the page's entries. */
static uint64_t
missed_before(uint64_t commit, const unsigned char *behind, size_t room, size_t number_bytes)
{
    if ((commit & missed_events) == 0) {
        return 0;
    }
    uint64_t n = 0;
    if ((commit & missed_stored) != 0 && room >= number_bytes) {
        n = read_word(behind, number_bytes);
    }
    return n > 0 && n <= INT64_MAX ? n : 1; /* at least: how many is not told */
}

int laxity_tracefs_page_parse(
    const struct laxity_tracefs_layout *layout,
    const unsigned char *page,
    size_t bytes,
    int32_t cpu,
    const struct laxity_trace_sink *sink,
    uint64_t *out_lost
)
{
    const struct laxity_tracefs_page *header = &layout->page;
    if (bytes < header->data_offset) {
        return -EBADMSG;
    }
    uint64_t time_ns = read_word(page, sizeof time_ns);
    const uint64_t commit = read_word(page + header->commit.offset, header->commit.bytes);
    size_t rest = (size_t)(commit & commit_mask);
    if (rest > bytes - header->data_offset) {
        return -EBADMSG;
    }
    const unsigned char *at = page + header->data_offset;
    const size_t room = bytes - header->data_offset - rest;
    const uint64_t missed = missed_before(commit, at + rest, room, header->commit.bytes);
    if (missed > 0) {
        *out_lost += missed;
        sink->on_lost(sink->context, cpu, missed);
    }
    struct entry entry = {0};
    int found = read_entry(at, rest, &entry);
    while (found > 0) {
        time_ns = advance(time_ns, &entry);
        take_entry(layout, &entry, time_ns, cpu, sink);
        at += entry.bytes;
        rest -= entry.bytes;
        found = read_entry(at, rest, &entry);
    }
    return found;
}
