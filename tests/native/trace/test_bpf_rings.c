/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Made-up slots, as our programs in the kernel leave them. */
#include "../test.h"
#include "schema/streams.h"
#include "trace/bpf/rings.h"
#include "trace/bpf_rings.h"
#include "trace/trace.h"

#include <stdint.h>
#include <string.h>

enum {
    SLOTS = 32,
    EVENTS_MAX = 64,
    CPU = 3,
};

static struct laxity_bpf_slot slots[SLOTS];
static struct laxity_bpf_reader reader;

static struct {
    int64_t times_ns[EVENTS_MAX];
    struct laxity_sched_event last;
    unsigned n_events;
    uint64_t lost;
    unsigned events_before_loss;
    struct laxity_thread_event thread;
    char comm[LAXITY_COMM_BYTES];
} seen;

static void take_event(void *context, const struct laxity_sched_event *event)
{
    (void)context;
    CHECK_EQUAL(event->cpu, CPU);
    if (seen.n_events < EVENTS_MAX) {
        seen.times_ns[seen.n_events] = event->time_ns;
    }
    seen.last = *event;
    seen.n_events++;
}

static void take_thread(void *context, const struct laxity_thread_event *event)
{
    (void)context;
    seen.thread = *event;
    if (event->comm) {
        memcpy(seen.comm, event->comm, sizeof seen.comm);
    }
}

static void take_lost(void *context, int32_t cpu, uint64_t n)
{
    (void)context;
    CHECK_EQUAL(cpu, CPU);
    seen.lost += n;
    seen.events_before_loss = seen.n_events;
}

static const struct laxity_trace_sink sink = {
    .on_event = take_event, .on_thread = take_thread, .on_lost = take_lost
};

static void start_at(uint64_t number)
{
    memset(slots, 0, sizeof slots);
    memset(&seen, 0, sizeof seen);
    reader =
        (struct laxity_bpf_reader){.slots = slots, .n_slots = SLOTS, .cpu = CPU, .next = number};
}

static struct laxity_bpf_slot *take_slot(uint64_t number, int64_t time_ns)
{
    struct laxity_bpf_slot *slot = &slots[number % SLOTS];
    *slot = (struct laxity_bpf_slot){
        .time_ns = time_ns,
        .stamp = (uint32_t)number + 1,
        .tid = 7,
        .other_tid = 8,
        .value = LAXITY_BPF_ABSENT_VALUE,
        .kind = LAXITY_SCHED_KIND_OFF,
        .preempted = LAXITY_ABSENT_FLAG,
    };
    return slot;
}

static void slot_is_an_event(void)
{
    start_at(0);
    struct laxity_bpf_slot *slot = take_slot(0, 100);
    slot->value = 2;
    slot->preempted = 1;
    CHECK_EQUAL(laxity_bpf_read(&reader, &sink), 1);
    CHECK_EQUAL(seen.n_events, 1);
    CHECK_EQUAL(seen.last.time_ns, 100);
    CHECK_EQUAL(seen.last.kind, LAXITY_SCHED_KIND_OFF);
    CHECK_EQUAL(seen.last.tid, 7);
    CHECK_EQUAL(seen.last.other_tid, 8);
    CHECK_EQUAL(seen.last.prev_state_or_vector, 2);
    CHECK_EQUAL(seen.last.preempted, 1);
}

static void value_that_is_not_known_is_absent(void)
{
    start_at(0);
    (void)take_slot(0, 100);
    (void)laxity_bpf_read(&reader, &sink);
    CHECK(seen.last.prev_state_or_vector == LAXITY_ABSENT_STATE);
    CHECK_EQUAL(seen.last.preempted, LAXITY_ABSENT_FLAG);
}

/* Number 1 was taken and is not stamped: its program was interrupted by that of number 2. */
static void reading_ends_at_the_first_slot_without_its_stamp(void)
{
    start_at(0);
    (void)take_slot(0, 100);
    (void)take_slot(2, 120);
    CHECK_EQUAL(laxity_bpf_read(&reader, &sink), 1);
    CHECK_EQUAL(seen.n_events, 1);
    (void)take_slot(1, 130);
    CHECK_EQUAL(laxity_bpf_read(&reader, &sink), 3);
    CHECK_EQUAL(seen.n_events, 3);
    CHECK_EQUAL(seen.times_ns[1], 120);
    CHECK_EQUAL(seen.times_ns[2], 130);
}

/* The stamp of the round before stands there until the slot is filled again. */
static void slot_of_the_round_before_is_not_read_again(void)
{
    start_at(0);
    for (uint64_t number = 0; number < SLOTS; number++) {
        (void)take_slot(number, 100 + (int64_t)number);
    }
    CHECK_EQUAL(laxity_bpf_read(&reader, &sink), SLOTS);
    CHECK_EQUAL(seen.n_events, SLOTS);
    CHECK_EQUAL(laxity_bpf_read(&reader, &sink), SLOTS);
    CHECK_EQUAL(seen.n_events, SLOTS);
}

/* Stamps have 32 bits: number 2^32 - 1 has stamp 0, number 2^32 has 1. */
static void numbers_beyond_32_bits_are_read(void)
{
    const uint64_t first = (UINT64_C(1) << 32) - 1;
    start_at(first);
    /* What the round before has left. */
    (void)take_slot(first - SLOTS, 1);
    (void)take_slot(first + 1 - SLOTS, 2);
    CHECK_EQUAL(laxity_bpf_read(&reader, &sink), first);
    (void)take_slot(first, 100);
    (void)take_slot(first + 1, 110);
    CHECK_EQUAL(laxity_bpf_read(&reader, &sink), first + 2);
    CHECK_EQUAL(seen.n_events, 2);
}

/* 30 slots, each group of three backwards: more than are held back at once. */
static void events_come_in_order_of_time(void)
{
    start_at(5);
    for (uint64_t i = 0; i < 30; i++) {
        (void)take_slot(5 + i, (int64_t)(3 * (i / 3) + 2 - i % 3));
    }
    (void)laxity_bpf_read(&reader, &sink);
    CHECK_EQUAL(seen.n_events, 30);
    for (int64_t i = 0; i < 30; i++) {
        CHECK_EQUAL(seen.times_ns[i], i);
    }
}

static void events_of_one_time_keep_their_order(void)
{
    start_at(0);
    (void)take_slot(0, 100);
    take_slot(1, 100)->kind = LAXITY_SCHED_KIND_ON;
    (void)laxity_bpf_read(&reader, &sink);
    CHECK_EQUAL(seen.last.kind, LAXITY_SCHED_KIND_ON);
}

static void lost_records_are_told_before_the_next_event(void)
{
    start_at(0);
    (void)take_slot(0, 100);
    take_slot(1, 200)->lost = 5;
    take_slot(2, 300)->lost = 5;
    (void)laxity_bpf_read(&reader, &sink);
    CHECK_EQUAL(seen.lost, 5);
    CHECK_EQUAL(seen.events_before_loss, 1);
    CHECK_EQUAL(seen.n_events, 3);
}

/* 5 are told by slot 1; 9 - 5 by none; of the numbers up to 4 two were never stamped. */
static void what_was_lost_last_is_told_at_the_end(void)
{
    start_at(0);
    (void)take_slot(0, 100);
    take_slot(1, 200)->lost = 5;
    (void)laxity_bpf_read(&reader, &sink);
    const struct laxity_bpf_cpu cpu = {.head = 4, .lost = 9};
    laxity_bpf_read_rest(&reader, &cpu, &sink);
    CHECK_EQUAL(seen.lost, 5 + 4 + 2);
    laxity_bpf_read_rest(&reader, &cpu, &sink);
    CHECK_EQUAL(seen.lost, 5 + 4 + 2);
}

static void count_of_lost_records_may_pass_32_bits(void)
{
    start_at(0);
    reader.told_lost = UINT32_MAX;
    take_slot(0, 100)->lost = 2; /* 2^32 + 2, after 2^32 - 1 */
    (void)laxity_bpf_read(&reader, &sink);
    CHECK_EQUAL(seen.lost, 3);
}

static void fork_and_name_tell_of_a_thread(void)
{
    start_at(0);
    const struct laxity_bpf_name fork = {.time_ns = 99, .pid = 20, .tid = 21, .parent_tid = 11};
    laxity_bpf_take_name(&fork, &sink);
    CHECK_EQUAL(seen.thread.pid, 20);
    CHECK_EQUAL(seen.thread.tid, 21);
    CHECK_EQUAL(seen.thread.parent_tid, 11);
    CHECK(seen.thread.comm == NULL);
    const struct laxity_bpf_name name = {
        .time_ns = 110, .pid = 20, .tid = 21, .parent_tid = LAXITY_ABSENT_TID, .comm = "worker"
    };
    laxity_bpf_take_name(&name, &sink);
    CHECK_EQUAL(seen.thread.time_ns, 110);
    CHECK_TEXT(seen.comm, "worker");
}

int main(void)
{
    RUN(slot_is_an_event);
    RUN(value_that_is_not_known_is_absent);
    RUN(reading_ends_at_the_first_slot_without_its_stamp);
    RUN(slot_of_the_round_before_is_not_read_again);
    RUN(numbers_beyond_32_bits_are_read);
    RUN(events_come_in_order_of_time);
    RUN(events_of_one_time_keep_their_order);
    RUN(lost_records_are_told_before_the_next_event);
    RUN(what_was_lost_last_is_told_at_the_end);
    RUN(count_of_lost_records_may_pass_32_bits);
    RUN(fork_and_name_tell_of_a_thread);
    return test_exit_code();
}
