/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The ring of marks, what the drain process makes of it, and the table that a simulated platform
 * watches. */
#include "../test.h"
#include "base/npy.h"
#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "harness/mark_ring.h"
#include "harness/mark_stream.h"
#include "harness/mark_table.h"
#include "harness/marks.h"
#include "harness/segment.h"
#include "schema/streams.h"

#include <laxity/marks.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    JOB_SLOTS = 16,
    ROW_BYTES = 27, /* 8 + 2 + 4 + 8 + 1 + 4 */
    VALUE_AT = 14,  /* behind time_ns, task, probe */
    THREADS = 4,
    MARKS_PER_THREAD = 20000,
    MARKS_IN_ALL = THREADS * MARKS_PER_THREAD,
};

static char directory[] = "/tmp/laxity-test-marks-XXXXXX";
static int dir_fd;
static struct laxity_segment *segment;
static struct laxity_mark_ring *ring;

static struct laxity_mark_stream fresh_run(uint32_t n_tasks)
{
    const size_t bytes = laxity_segment_bytes(n_tasks, 0, JOB_SLOTS);
    free(segment);
    segment = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    memset(segment, 0, bytes);
    segment->n_tasks = n_tasks;
    segment->ring_slots = JOB_SLOTS;
    ring = laxity_segment_marks(segment, 0);
    (void)unlinkat(dir_fd, "probe.npy", 0);
    return (struct laxity_mark_stream){.segment = segment, .dir_fd = dir_fd};
}

static bool push(int64_t value)
{
    return laxity_mark_push(ring, LAXITY_MARK_KIND_PROBE, 1, value, 5, 1000 + value);
}

/* Rows of probe.npy, -1 if there is no such file. */
static int64_t row_count(void)
{
    const int fd = openat(dir_fd, "probe.npy", O_RDONLY);
    if (fd < 0) {
        return -1;
    }
    const off_t end = lseek(fd, 0, SEEK_END);
    (void)close(fd);
    return (end - LAXITY_NPY_HEADER_BYTES) / ROW_BYTES;
}

static int64_t value_in_row(int64_t row)
{
    int64_t value = -1;
    const int fd = openat(dir_fd, "probe.npy", O_RDONLY);
    (void)!pread(fd, &value, sizeof value, LAXITY_NPY_HEADER_BYTES + row * ROW_BYTES + VALUE_AT);
    (void)close(fd);
    return value;
}

static void no_mark_makes_no_file(void)
{
    struct laxity_mark_stream stream = fresh_run(1);
    CHECK_EQUAL(laxity_mark_stream_drain(&stream, true), 0);
    CHECK_EQUAL(laxity_mark_stream_close(&stream), 0);
    CHECK_EQUAL(row_count(), -1);
}

static void marks_come_out_in_their_order(void)
{
    struct laxity_mark_stream stream = fresh_run(1);
    for (int64_t i = 0; i < 600; i++) { /* more than two batches of 256 */
        CHECK(push(i));
    }
    CHECK_EQUAL(laxity_mark_stream_drain(&stream, false), 0);
    CHECK_EQUAL(laxity_mark_stream_close(&stream), 0);
    CHECK_EQUAL(row_count(), 600);
    CHECK_EQUAL(value_in_row(0), 0);
    CHECK_EQUAL(value_in_row(599), 599);
    CHECK_EQUAL(laxity_lost_marks(segment, 0), 0);
}

static void full_ring_loses_the_next_mark_and_counts_it(void)
{
    struct laxity_mark_stream stream = fresh_run(1);
    for (int64_t i = 0; i < LAXITY_MARK_SLOTS; i++) {
        CHECK(push(i));
    }
    CHECK(!push(LAXITY_MARK_SLOTS));
    CHECK_EQUAL(laxity_mark_stream_drain(&stream, false), 0);
    CHECK(push(LAXITY_MARK_SLOTS + 1)); /* there is room again */
    CHECK_EQUAL(laxity_mark_stream_drain(&stream, true), 0);
    CHECK_EQUAL(laxity_mark_stream_close(&stream), 0);
    CHECK_EQUAL(row_count(), LAXITY_MARK_SLOTS + 1);
    CHECK_EQUAL(value_in_row(LAXITY_MARK_SLOTS), LAXITY_MARK_SLOTS + 1);
    CHECK_EQUAL(laxity_lost_marks(segment, 0), 1);
}

/* The count of lost marks has 32 bits and wraps in two minutes of marking without end. */
static void lost_count_that_wraps_goes_on(void)
{
    struct laxity_mark_stream stream = fresh_run(1);
    ring->lost = UINT32_MAX;
    CHECK_EQUAL(laxity_mark_stream_drain(&stream, false), 0);
    ring->lost = 4; /* 5 more */
    CHECK_EQUAL(laxity_mark_stream_drain(&stream, false), 0);
    CHECK_EQUAL(laxity_lost_marks(segment, 0), (int64_t)UINT32_MAX + 5);
}

static void positions_wrap_at_two_to_the_32(void)
{
    struct laxity_mark_stream stream = fresh_run(1);
    /* As if 2^32 - 2 places had been passed over. */
    ring->head = UINT32_MAX - 1;
    ring->tail = UINT32_MAX - 1;
    ring->account.holes = UINT32_MAX - 1;
    for (int64_t i = 0; i < LAXITY_MARK_SLOTS; i++) {
        CHECK(push(i));
    }
    CHECK(!push(0));
    CHECK_EQUAL(laxity_mark_stream_drain(&stream, true), 0);
    CHECK_EQUAL(laxity_mark_stream_close(&stream), 0);
    CHECK_EQUAL(row_count(), LAXITY_MARK_SLOTS);
    CHECK_EQUAL(value_in_row(LAXITY_MARK_SLOTS - 1), LAXITY_MARK_SLOTS - 1);
}

static void mark_whose_writer_died_in_it_is_lost_and_the_next_is_kept(void)
{
    struct laxity_mark_stream stream = fresh_run(1);
    CHECK(push(0));
    ring->head++; /* taken, never published */
    CHECK(push(2));
    CHECK_EQUAL(laxity_mark_stream_drain(&stream, false), 0);
    CHECK_EQUAL(laxity_atomic64_load(&ring->account.taken), 1); /* it may still come */
    CHECK_EQUAL(laxity_mark_stream_drain(&stream, true), 0);
    CHECK_EQUAL(laxity_mark_stream_close(&stream), 0);
    CHECK_EQUAL(row_count(), 2);
    CHECK_EQUAL(value_in_row(1), 2);
    CHECK_EQUAL(laxity_lost_marks(segment, 0), 1);
}

/* The first one wrote rows and died before it committed them: they are written again, once. */
static void second_drain_process_goes_on_where_the_first_died(void)
{
    struct laxity_mark_stream first = fresh_run(2);
    CHECK(push(0));
    CHECK_EQUAL(laxity_mark_stream_drain(&first, false), 0);
    static const unsigned char uncommitted[ROW_BYTES];
    CHECK_EQUAL(laxity_npy_write(&first.npy, 1, uncommitted, 1), 0);
    CHECK(push(1));
    ring->tail = 0; /* committed, and died before it told the writers */
    struct laxity_mark_stream second = {.segment = segment, .dir_fd = dir_fd};
    ring = laxity_segment_marks(segment, 1);
    CHECK(push(2));
    CHECK_EQUAL(laxity_mark_stream_drain(&second, true), 0);
    CHECK_EQUAL(laxity_mark_stream_close(&second), 0);
    CHECK_EQUAL(row_count(), 3);
    for (int64_t i = 0; i < 3; i++) {
        CHECK_EQUAL(value_in_row(i), i);
    }
    CHECK_EQUAL(laxity_segment_marks(segment, 0)->tail, 2);
    (void)close(first.npy.fd);
}

static void *push_many(void *argument)
{
    const int64_t thread = *(const int64_t *)argument;
    uint64_t kept = 0;
    for (int64_t i = 0; i < MARKS_PER_THREAD; i++) {
        kept += push(thread * MARKS_PER_THREAD + i);
    }
    *(uint64_t *)argument = kept;
    return NULL;
}

static void threads_that_mark_at_once_lose_none_unseen(void)
{
    struct laxity_mark_stream stream = fresh_run(1);
    pthread_t threads[THREADS];
    uint64_t numbers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK_EQUAL(pthread_create(&threads[i], NULL, push_many, &numbers[i]), 0);
    }
    for (unsigned i = 0; i < 100; i++) {
        CHECK_EQUAL(laxity_mark_stream_drain(&stream, false), 0);
    }
    uint64_t kept = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
        kept += numbers[i];
    }
    CHECK_EQUAL(laxity_mark_stream_drain(&stream, true), 0);
    CHECK_EQUAL(laxity_mark_stream_close(&stream), 0);
    CHECK_EQUAL(row_count(), kept);
    CHECK_EQUAL(kept + laxity_lost_marks(segment, 0), MARKS_IN_ALL);
    /* Each kept mark came out once, and whole. */
    static unsigned char is_seen[MARKS_IN_ALL];
    for (int64_t row = 0; row < row_count(); row++) {
        const int64_t value = value_in_row(row);
        if (value < 0 || value >= MARKS_IN_ALL || is_seen[value]) {
            test_fail(__FILE__, __LINE__, "row %lld holds %lld", (long long)row, (long long)value);
            return;
        }
        is_seen[value] = 1;
    }
}

static void hooks_write_into_the_ring_that_was_opened(void)
{
    struct laxity_mark_stream stream = fresh_run(1);
    const int64_t before_ns = laxity_now_ns();
    laxity_phase(9); /* no ring yet: nothing happens */
    laxity_marks_open(ring);
    laxity_phase(3);
    laxity_probe(4, -5);
    laxity_marks_open(NULL);
    laxity_probe(4, 1);
    CHECK_EQUAL(ring->head, 2);
    const struct laxity_mark *phase = laxity_mark_at(ring, 0);
    const struct laxity_mark *probe = laxity_mark_at(ring, 1);
    CHECK(phase && probe);
    CHECK_EQUAL(phase->kind, LAXITY_MARK_KIND_PHASE);
    CHECK_EQUAL(phase->id, 3);
    CHECK_EQUAL(phase->value, LAXITY_ABSENT_NS);
    CHECK_EQUAL(phase->tid, gettid());
    CHECK(phase->time_ns >= before_ns && phase->time_ns <= probe->time_ns);
    CHECK_EQUAL(probe->kind, LAXITY_MARK_KIND_PROBE);
    CHECK_EQUAL(probe->value, -5);
    CHECK_EQUAL(laxity_mark_stream_drain(&stream, true), 0);
    CHECK_EQUAL(laxity_mark_stream_close(&stream), 0);
    CHECK_EQUAL(row_count(), 2);
}

static unsigned touched(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < LAXITY_MARK_TABLE_BYTES; i++) {
        count += laxity_mark_table[i];
        laxity_mark_table[i] = 0;
    }
    return count;
}

/* What a simulated platform decodes; a change here breaks its decoder. */
static void address_of_the_store_tells_the_mark(void)
{
    (void)touched();
    laxity_phase(255);
    CHECK_EQUAL(laxity_mark_table[255], 1);
    CHECK_EQUAL(touched(), 1);
    laxity_phase(256); /* 0x100: bytes 0, 1, 0, 0 */
    CHECK_EQUAL(laxity_mark_table[768], 1);
    CHECK_EQUAL(laxity_mark_table[512 + 0], 1);
    CHECK_EQUAL(laxity_mark_table[512 + 1], 1);
    CHECK_EQUAL(touched(), 3);
    laxity_probe(255, -2); /* 0xfe, then seven times 0xff */
    CHECK_EQUAL(laxity_mark_table[256 + 255], 1);
    CHECK_EQUAL(laxity_mark_table[512 + 0xfe], 1);
    CHECK_EQUAL(laxity_mark_table[512 + 0xff], 1);
    CHECK_EQUAL(touched(), 3);
    laxity_probe(UINT32_MAX, 0);
    CHECK_EQUAL(laxity_mark_table[769], 1);
    CHECK_EQUAL(laxity_mark_table[512 + 0xff], 1);
    CHECK_EQUAL(laxity_mark_table[512], 1);
    CHECK_EQUAL(touched(), 3);
}

int main(void)
{
    if (!mkdtemp(directory)) {
        return 1;
    }
    dir_fd = open(directory, O_RDONLY | O_DIRECTORY);
    RUN(no_mark_makes_no_file);
    RUN(marks_come_out_in_their_order);
    RUN(full_ring_loses_the_next_mark_and_counts_it);
    RUN(lost_count_that_wraps_goes_on);
    RUN(positions_wrap_at_two_to_the_32);
    RUN(mark_whose_writer_died_in_it_is_lost_and_the_next_is_kept);
    RUN(second_drain_process_goes_on_where_the_first_died);
    RUN(threads_that_mark_at_once_lose_none_unseen);
    RUN(hooks_write_into_the_ring_that_was_opened);
    RUN(address_of_the_store_tells_the_mark);
    (void)unlinkat(dir_fd, "probe.npy", 0);
    (void)rmdir(directory);
    free(segment);
    return test_exit_code();
}
