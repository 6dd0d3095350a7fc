/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Made-up perf records, byte by byte as linux/perf_event.h lays them out. */
#include "../test.h"
#include "schema/streams.h"
#include "trace/perf_records.h"
#include "trace/trace.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    RING_BYTES = 256,
    EVENTS_MAX = 16,
    CPU = 3,
    TYPE_LOST = 2,
    TYPE_COMM = 3,
    TYPE_EXIT = 4,
    TYPE_FORK = 7,
    TYPE_UNKNOWN = 99,
    TYPE_SWITCH_CPU_WIDE = 15,
    MISC_OUT = 1 << 13,
    MISC_PREEMPT = 1 << 14,
};

static struct {
    unsigned char data[RING_BYTES];
    uint64_t tail;
    uint64_t head;
} ring;

static struct {
    struct laxity_sched_event events[EVENTS_MAX];
    unsigned n_events;
    struct laxity_thread_event threads[EVENTS_MAX];
    char comms[EVENTS_MAX][LAXITY_COMM_BYTES];
    unsigned n_threads;
    uint64_t lost;
    unsigned events_before_loss;
} seen;

static void take_event(void *context, const struct laxity_sched_event *event)
{
    (void)context;
    if (seen.n_events < EVENTS_MAX) {
        seen.events[seen.n_events] = *event;
    }
    seen.n_events++;
}

static void take_thread(void *context, const struct laxity_thread_event *event)
{
    (void)context;
    if (seen.n_threads < EVENTS_MAX) {
        seen.threads[seen.n_threads] = *event;
        if (event->comm) {
            memcpy(seen.comms[seen.n_threads], event->comm, LAXITY_COMM_BYTES);
        }
    }
    seen.n_threads++;
}

static void take_lost(void *context, int32_t cpu, uint64_t n)
{
    (void)context;
    CHECK_EQUAL(cpu, CPU);
    seen.lost += n;
    seen.events_before_loss = seen.n_events;
}

static void start_at(uint64_t position)
{
    memset(&ring, 0, sizeof ring);
    memset(&seen, 0, sizeof seen);
    ring.tail = position;
    ring.head = position;
}

static void put(const void *bytes, size_t n)
{
    const unsigned char *rest = bytes;
    for (size_t i = 0; i < n; i++) {
        ring.data[ring.head++ % RING_BYTES] = rest[i];
    }
}

static void put_header(uint32_t type, uint16_t misc, size_t body_bytes)
{
    const uint16_t size = (uint16_t)(8 + body_bytes + 24);
    put(&type, sizeof type);
    put(&misc, sizeof misc);
    put(&size, sizeof size);
}

static void put_sample(uint32_t tid, uint64_t time_ns)
{
    const uint32_t ids[] = {tid, tid};
    const uint32_t cpu[] = {CPU, 0};
    put(ids, sizeof ids);
    put(&time_ns, sizeof time_ns);
    put(cpu, sizeof cpu);
}

static void put_switch(unsigned misc, uint32_t tid, uint32_t other_tid, uint64_t time_ns)
{
    const uint32_t other[] = {other_tid, other_tid};
    put_header(TYPE_SWITCH_CPU_WIDE, (uint16_t)misc, sizeof other);
    put(other, sizeof other);
    put_sample(tid, time_ns);
}

static void put_lost(uint64_t n)
{
    const uint64_t body[] = {1, n};
    put_header(TYPE_LOST, 0, sizeof body);
    put(body, sizeof body);
    put_sample(7, 300);
}

static int parse(void)
{
    const struct laxity_perf_bytes bytes = {ring.data, RING_BYTES};
    const struct laxity_trace_sink sink = {
        .on_event = take_event, .on_thread = take_thread, .on_lost = take_lost
    };
    uint64_t told = 0;
    const int rc = laxity_perf_records_parse(&bytes, ring.tail, ring.head, CPU, &sink, &told);
    CHECK_EQUAL(told, seen.lost);
    return rc;
}

static void switch_is_an_off_and_an_on(void)
{
    start_at(0);
    put_switch(MISC_OUT | MISC_PREEMPT, 7, 8, 100);
    put_switch(0, 8, 7, 150);
    put_switch(MISC_OUT, 8, 7, 250);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.n_events, 3);
    CHECK_EQUAL(seen.events[0].kind, LAXITY_SCHED_KIND_OFF);
    CHECK_EQUAL(seen.events[0].time_ns, 100);
    CHECK_EQUAL(seen.events[0].cpu, CPU);
    CHECK_EQUAL(seen.events[0].tid, 7);
    CHECK_EQUAL(seen.events[0].other_tid, 8);
    CHECK_EQUAL(seen.events[0].preempted, 1);
    CHECK(seen.events[0].prev_state_or_vector == LAXITY_ABSENT_STATE);
    CHECK_EQUAL(seen.events[1].kind, LAXITY_SCHED_KIND_ON);
    CHECK_EQUAL(seen.events[1].tid, 8);
    CHECK_EQUAL(seen.events[1].preempted, LAXITY_ABSENT_FLAG);
    CHECK_EQUAL(seen.events[2].preempted, 0);
}

static void thread_that_is_being_taken_down_has_no_number(void)
{
    start_at(0);
    put_switch(MISC_OUT, UINT32_MAX, 8, 100);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.events[0].tid, LAXITY_ABSENT_TID);
}

/* A record of 40 bytes that starts 1 ... 39 bytes before the end of the ring is in two pieces. */
static void record_over_the_end_of_the_ring_is_whole(void)
{
    for (uint64_t before = 1; before < 40; before++) {
        start_at((1ULL << 40) + RING_BYTES - before);
        put_switch(MISC_OUT, 7, 8, 0x0102030405060708);
        put_switch(0, 8, 7, 0x0102030405060709);
        CHECK_EQUAL(parse(), 0);
        CHECK_EQUAL(seen.n_events, 2);
        CHECK_EQUAL(seen.events[0].time_ns, 0x0102030405060708);
        CHECK_EQUAL(seen.events[0].other_tid, 8);
        CHECK_EQUAL(seen.events[1].tid, 8);
    }
}

static void lost_records_are_counted_where_they_were(void)
{
    start_at(0);
    put_switch(MISC_OUT, 7, 8, 100);
    put_lost(5);
    put_switch(0, 8, 7, 400);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.lost, 5);
    CHECK_EQUAL(seen.events_before_loss, 1);
    CHECK_EQUAL(seen.n_events, 2);
}

static void unknown_record_is_passed_over(void)
{
    start_at(0);
    const uint64_t body[3] = {1, 2, 3};
    put_header(TYPE_UNKNOWN, 0, sizeof body);
    put(body, sizeof body);
    put_sample(7, 100);
    put_switch(0, 8, 7, 150);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.n_events, 1);
    CHECK_EQUAL(seen.events[0].tid, 8);
}

static void fork_name_and_exit_tell_of_a_thread(void)
{
    start_at(0);
    const uint32_t ids[] = {20, 10, 21, 11}; /* pid, parent's pid, tid, parent's tid */
    const uint64_t time_ns = 99;
    put_header(TYPE_FORK, 0, sizeof ids + sizeof time_ns);
    put(ids, sizeof ids);
    put(&time_ns, sizeof time_ns);
    put_sample(11, 100);
    const uint32_t who[] = {20, 21};
    put_header(TYPE_COMM, 0, sizeof who + 8);
    put(who, sizeof who);
    put("worker\0", 8);
    put_sample(21, 110);
    put_header(TYPE_EXIT, 0, sizeof ids + sizeof time_ns);
    put(ids, sizeof ids);
    put(&time_ns, sizeof time_ns);
    put_sample(21, 120);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.n_threads, 2);
    CHECK_EQUAL(seen.threads[0].tid, 21);
    CHECK_EQUAL(seen.threads[0].pid, 20);
    CHECK_EQUAL(seen.threads[0].parent_tid, 11);
    CHECK(seen.threads[0].comm == NULL);
    CHECK_TEXT(seen.comms[1], "worker");
    CHECK_EQUAL(seen.threads[1].time_ns, 110);
    CHECK_EQUAL(seen.n_events, 2);
    CHECK_EQUAL(seen.events[0].kind, LAXITY_SCHED_KIND_FORK);
    CHECK_EQUAL(seen.events[0].other_tid, 11);
    CHECK_EQUAL(seen.events[1].kind, LAXITY_SCHED_KIND_EXIT);
    CHECK_EQUAL(seen.events[1].time_ns, 120);
}

static void name_without_end_is_cut(void)
{
    start_at(0);
    const uint32_t who[] = {20, 21};
    put_header(TYPE_COMM, 0, sizeof who + 24);
    put(who, sizeof who);
    put("abcdefghijklmnopqrstuvwx", 24);
    put_sample(21, 110);
    CHECK_EQUAL(parse(), 0);
    CHECK_TEXT(seen.comms[0], "abcdefghijklmno");
}

/* Header and sample are 32 bytes: 31 cannot be, 32 can. */
static void size_that_cannot_be_is_refused(void)
{
    for (uint16_t size = 31; size <= 32; size++) {
        start_at(0);
        const uint32_t type = TYPE_UNKNOWN;
        const uint16_t misc = 0;
        put(&type, sizeof type);
        put(&misc, sizeof misc);
        put(&size, sizeof size);
        put_sample(7, 100);
        CHECK_EQUAL(parse(), size == 31 ? -EBADMSG : 0);
    }
    start_at(0);
    put_switch(0, 8, 7, 150);
    ring.head -= 1; /* one byte less than the record says */
    CHECK_EQUAL(parse(), -EBADMSG);
    CHECK_EQUAL(seen.n_events, 0);
}

static void stretch_longer_than_the_ring_is_refused(void)
{
    start_at(0);
    ring.head = RING_BYTES + 1;
    CHECK_EQUAL(parse(), -EBADMSG);
    ring.tail = 5;
    ring.head = 4;
    CHECK_EQUAL(parse(), -EBADMSG);
}

int main(void)
{
    RUN(switch_is_an_off_and_an_on);
    RUN(thread_that_is_being_taken_down_has_no_number);
    RUN(record_over_the_end_of_the_ring_is_whole);
    RUN(lost_records_are_counted_where_they_were);
    RUN(unknown_record_is_passed_over);
    RUN(fork_name_and_exit_tell_of_a_thread);
    RUN(name_without_end_is_cut);
    RUN(size_that_cannot_be_is_refused);
    RUN(stretch_longer_than_the_ring_is_refused);
    return test_exit_code();
}
