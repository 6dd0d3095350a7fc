/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Made-up samples of a group, word by word as linux/perf_event.h lays them out. */
#include "../test.h"
#include "trace/perf_records.h"
#include "trace/sample_records.h"
#include "trace/sched_kinds.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    RING_BYTES = 256,
    SAMPLES_MAX = 4,
    TYPE_LOST = 2,
    TYPE_THROTTLE = 5,
    TYPE_UNTHROTTLE = 6,
    TYPE_SAMPLE = 9,
    PID = 40,
    TID = 41,
};

static struct {
    unsigned char data[RING_BYTES];
    uint64_t tail;
    uint64_t head;
} ring;

static struct {
    struct laxity_group_sample samples[SAMPLES_MAX];
    unsigned n;
    uint64_t lost;
    unsigned throttled;
} seen;

static void take_sample(void *context, const struct laxity_group_sample *sample)
{
    (void)context;
    CHECK(seen.n < SAMPLES_MAX);
    seen.samples[seen.n++] = *sample;
}

static void take_lost(void *context, uint64_t n)
{
    (void)context;
    seen.lost += n;
}

static void take_throttled(void *context)
{
    (void)context;
    seen.throttled++;
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
        ring.data[(ring.head + i) % RING_BYTES] = rest[i];
    }
    ring.head += n;
}

/* `size` as the header says, whatever follows. */
static void put_header(uint32_t type, uint16_t size)
{
    const uint16_t misc = 0;
    put(&type, sizeof type);
    put(&misc, sizeof misc);
    put(&size, sizeof size);
}

static void put_words(const uint64_t *words, size_t n)
{
    put(words, n * sizeof *words);
}

static void put_thread(uint32_t pid, uint32_t tid)
{
    put(&pid, sizeof pid);
    put(&tid, sizeof tid);
}

static int parse(int has_lost)
{
    const struct laxity_perf_bytes bytes = {ring.data, RING_BYTES};
    const struct laxity_sample_sink sink = {
        .on_sample = take_sample, .on_lost = take_lost, .on_throttled = take_throttled
    };
    return laxity_sample_records_parse(&bytes, ring.tail, ring.head, has_lost, &sink);
}

/* 8 header + 8 thread + 8 time + 8 number + 16 times + 2 values = 64 bytes. */
static void put_sample_of_two(uint32_t tid)
{
    const uint64_t words[] = {1000, 2, 500, 250, 7, 9};
    put_header(TYPE_SAMPLE, 64);
    put_thread(PID, tid);
    put_words(words, 6);
}

static void sample_has_its_values_in_the_order_of_the_group(void)
{
    start_at(0);
    put_sample_of_two(TID);
    CHECK_EQUAL(parse(0), 0);
    CHECK_EQUAL(seen.n, 1);
    CHECK_EQUAL(seen.samples[0].time_ns, 1000);
    CHECK_EQUAL(seen.samples[0].tid, TID);
    CHECK_EQUAL(seen.samples[0].enabled_ns, 500);
    CHECK_EQUAL(seen.samples[0].running_ns, 250);
    CHECK_EQUAL(seen.samples[0].n, 2);
    CHECK_EQUAL(seen.samples[0].values[0], 7);
    CHECK_EQUAL(seen.samples[0].values[1], 9);
}

/* Then each value has a word behind it: 64 + 2 * 8 = 80 bytes. */
static void what_an_event_has_lost_is_no_value(void)
{
    start_at(0);
    const uint64_t words[] = {1000, 2, 500, 250, 7, 3, 9, 4};
    put_header(TYPE_SAMPLE, 80);
    put_thread(PID, TID);
    put_words(words, 8);
    CHECK_EQUAL(parse(1), 0);
    CHECK_EQUAL(seen.n, 1);
    CHECK_EQUAL(seen.samples[0].values[0], 7);
    CHECK_EQUAL(seen.samples[0].values[1], 9);
}

static void sample_across_the_end_of_the_ring_is_whole(void)
{
    start_at(RING_BYTES - 28);
    put_sample_of_two(TID);
    CHECK_EQUAL(parse(0), 0);
    CHECK_EQUAL(seen.n, 1);
    CHECK_EQUAL(seen.samples[0].values[1], 9);
}

static void thread_that_ends_has_no_number(void)
{
    start_at(0);
    put_sample_of_two(UINT32_MAX);
    CHECK_EQUAL(parse(0), 0);
    CHECK_EQUAL(seen.samples[0].tid, LAXITY_ABSENT_TID);
}

static void losses_and_throttling_are_told(void)
{
    start_at(0);
    const uint64_t lost[] = {77, 5};
    const uint64_t throttled[] = {1000, 77, 77};
    put_header(TYPE_LOST, 24);
    put_words(lost, 2);
    put_header(TYPE_THROTTLE, 32);
    put_words(throttled, 3);
    put_header(TYPE_UNTHROTTLE, 32);
    put_words(throttled, 3);
    put_sample_of_two(TID);
    CHECK_EQUAL(parse(0), 0);
    CHECK_EQUAL(seen.lost, 5);
    CHECK_EQUAL(seen.throttled, 1);
    CHECK_EQUAL(seen.n, 1);
}

/* Two values need 64 bytes; with three announced, 72. */
static void sample_that_is_shorter_than_its_values_is_refused(void)
{
    start_at(0);
    const uint64_t words[] = {1000, 3, 500, 250, 7, 9};
    put_header(TYPE_SAMPLE, 64);
    put_thread(PID, TID);
    put_words(words, 6);
    CHECK_EQUAL(parse(0), -EBADMSG);
    CHECK_EQUAL(seen.n, 0);
}

static void more_values_than_a_group_can_have_are_refused(void)
{
    start_at(0);
    const uint64_t words[] = {1000, LAXITY_SAMPLE_VALUES_MAX + 1, 500, 250};
    put_header(TYPE_SAMPLE, 248);
    put_thread(PID, TID);
    put_words(words, 4);
    ring.head = 248;
    CHECK_EQUAL(parse(0), -EBADMSG);
    CHECK_EQUAL(seen.n, 0);
}

static void size_beyond_what_is_there_is_refused(void)
{
    start_at(0);
    put_header(TYPE_SAMPLE, 72);
    put_thread(PID, TID);
    CHECK_EQUAL(parse(0), -EBADMSG);
}

int main(void)
{
    RUN(sample_has_its_values_in_the_order_of_the_group);
    RUN(what_an_event_has_lost_is_no_value);
    RUN(sample_across_the_end_of_the_ring_is_whole);
    RUN(thread_that_ends_has_no_number);
    RUN(losses_and_throttling_are_told);
    RUN(sample_that_is_shorter_than_its_values_is_refused);
    RUN(more_values_than_a_group_can_have_are_refused);
    RUN(size_beyond_what_is_there_is_refused);
    return test_exit_code();
}
