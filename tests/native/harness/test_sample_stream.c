/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Samples from the rings to counters.npy: nothing is overwritten, nothing written twice. */
#include "../test.h"
#include "base/npy.h"
#include "base/port/atomic64.h"
#include "counters/counters.h"
#include "harness/sample_stream.h"
#include "harness/segment.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TASKS = 2,
    SLOTS = 16,
    TWICE_SLOTS = 2 * SLOTS,
    RING_SLOTS = 16,
    ROW_BYTES = 24, /* i8 + u2 + u2 + i8 + f4 */
    ROWS_MAX = 64,
};

static char directory[] = "/tmp/laxity-test-sample-XXXXXX";
static int dir_fd;
static struct laxity_segment *segment;
static struct laxity_sample_stream stream;

static void fresh_run(void)
{
    const size_t bytes =
        laxity_segment_bytes(TASKS, 0, RING_SLOTS) + laxity_segment_sample_bytes(TASKS, SLOTS);
    free(segment);
    segment = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    memset(segment, 0, bytes);
    segment->n_tasks = TASKS;
    segment->ring_slots = RING_SLOTS;
    segment->counting.sample_slots = SLOTS;
    /* Task 0 counts the events 0 and 2, task 1 only 2. */
    laxity_segment_task(segment, 0)->state.counted_events = 5;
    laxity_segment_task(segment, 1)->state.counted_events = 4;
    stream = (struct laxity_sample_stream){.is_open = false};
}

static void store(uint32_t task, int64_t time_ns)
{
    struct laxity_counts counts;
    laxity_counts_set_absent(&counts);
    counts.values[0] = time_ns * 10;
    counts.values[2] = time_ns * 100;
    counts.scale_ratios[2] = 2.0F;
    laxity_store_sample(segment, task, time_ns, &counts);
}

static struct {
    int64_t time_ns;
    uint16_t task;
    uint16_t event;
    int64_t value;
    float scale_ratio;
} rows[ROWS_MAX];

/* Field by field: the rows of the file have no padding. */
static unsigned read_rows(void)
{
    unsigned char bytes[ROWS_MAX * ROW_BYTES];
    const int fd = openat(dir_fd, "counters.npy", O_RDONLY);
    const ssize_t got = pread(fd, bytes, sizeof bytes, LAXITY_NPY_HEADER_BYTES);
    (void)close(fd);
    const unsigned n = got < 0 ? 0 : (unsigned)got / ROW_BYTES;
    for (unsigned i = 0; i < n; i++) {
        const unsigned char *row = bytes + (size_t)i * ROW_BYTES;
        memcpy(&rows[i].time_ns, row, 8);
        memcpy(&rows[i].task, row + 8, 2);
        memcpy(&rows[i].event, row + 10, 2);
        memcpy(&rows[i].value, row + 12, 8);
        memcpy(&rows[i].scale_ratio, row + 20, 4);
    }
    return n;
}

static unsigned drain_and_read(void)
{
    CHECK_EQUAL(laxity_sample_stream_drain(&stream, segment, dir_fd), 0);
    CHECK_EQUAL(laxity_sample_stream_close(&stream), 0);
    return read_rows();
}

static void sample_has_a_row_per_event_that_its_task_counts(void)
{
    fresh_run();
    store(0, 1);
    store(1, 2);
    CHECK_EQUAL(drain_and_read(), 3);
    CHECK_EQUAL(rows[0].event, 0);
    CHECK_EQUAL(rows[0].value, 10);
    CHECK_EQUAL(rows[1].event, 2);
    CHECK_EQUAL(rows[1].value, 100);
    CHECK(rows[1].scale_ratio == 2.0F);
    CHECK_EQUAL(rows[2].task, 1);
    CHECK_EQUAL(rows[2].time_ns, 2);
    CHECK_EQUAL(laxity_sample_rows(segment), 3);
}

static void full_ring_loses_new_samples_and_overwrites_none(void)
{
    fresh_run();
    for (int64_t time_ns = 1; time_ns <= SLOTS + 3; time_ns++) {
        store(1, time_ns);
    }
    const struct laxity_task *task = laxity_segment_task(segment, 1);
    CHECK_EQUAL(laxity_atomic64_load(&task->state.lost_samples), 3);
    CHECK_EQUAL(drain_and_read(), SLOTS);
    CHECK_EQUAL(rows[0].time_ns, 1);
    CHECK_EQUAL(rows[SLOTS - 1].time_ns, SLOTS);
    /* Once it is drained there is room again, round the end of the ring. */
    store(1, 100);
    CHECK_EQUAL(drain_and_read(), SLOTS + 1);
    CHECK_EQUAL(rows[SLOTS].time_ns, 100);
}

static void ring_of_one_task_is_not_that_of_the_next(void)
{
    fresh_run();
    for (int64_t time_ns = 1; time_ns <= SLOTS; time_ns++) {
        store(0, time_ns);
        store(1, 1000 + time_ns);
    }
    CHECK_EQUAL(drain_and_read(), 3 * SLOTS);
    CHECK_EQUAL(rows[TWICE_SLOTS - 1].time_ns, SLOTS);
    CHECK_EQUAL(rows[TWICE_SLOTS].time_ns, 1001);
}

static void second_drain_process_writes_no_row_twice(void)
{
    fresh_run();
    store(1, 1);
    CHECK_EQUAL(laxity_sample_stream_drain(&stream, segment, dir_fd), 0);
    /* It wrote a row whose sample the segment does not count yet, and half of another, and dies. */
    char torn[ROW_BYTES + ROW_BYTES / 2] = "torn";
    CHECK_EQUAL(
        pwrite(stream.npy.fd, torn, sizeof torn, LAXITY_NPY_HEADER_BYTES + ROW_BYTES), sizeof torn
    );
    (void)close(stream.npy.fd);
    stream = (struct laxity_sample_stream){.is_open = false};
    store(1, 2);
    CHECK_EQUAL(drain_and_read(), 2);
    CHECK_EQUAL(rows[0].time_ns, 1);
    CHECK_EQUAL(rows[1].time_ns, 2);
}

static void sample_of_a_whole_platform_is_of_no_task_and_stays_where_another_process_goes_on(void)
{
    fresh_run();
    segment->counting.n_events = 3;
    const struct laxity_sample sample = {.time_ns = 1, .counts = {.values = {7, 8, 9}}};
    store(1, 1);
    CHECK_EQUAL(laxity_sample_stream_drain(&stream, segment, dir_fd), 0);
    CHECK_EQUAL(laxity_sample_stream_put(&stream, segment, &sample), 0);
    (void)close(stream.npy.fd);
    stream = (struct laxity_sample_stream){.is_open = false};
    store(1, 2);
    /* A row of task 1, which counts one event, then three, then one. */
    CHECK_EQUAL(drain_and_read(), 5);
    CHECK_EQUAL(rows[0].task, 1);
    for (int event = 0; event < 3; event++) {
        CHECK_EQUAL(rows[1 + event].task, UINT16_MAX);
        CHECK_EQUAL(rows[1 + event].event, event);
        CHECK_EQUAL(rows[1 + event].value, 7 + event);
    }
    CHECK_EQUAL(rows[4].time_ns, 2);
    CHECK_EQUAL(laxity_sample_rows(segment), 5);
}

static void run_without_sampling_has_no_file(void)
{
    fresh_run();
    (void)unlinkat(dir_fd, "counters.npy", 0);
    segment->counting.sample_slots = 0;
    CHECK_EQUAL(laxity_sample_stream_drain(&stream, segment, dir_fd), 0);
    CHECK_EQUAL(laxity_sample_stream_close(&stream), 0);
    CHECK_EQUAL(faccessat(dir_fd, "counters.npy", F_OK, 0), -1);
}

int main(void)
{
    if (!mkdtemp(directory)) {
        return 1;
    }
    dir_fd = open(directory, O_RDONLY | O_DIRECTORY);
    RUN(sample_has_a_row_per_event_that_its_task_counts);
    RUN(full_ring_loses_new_samples_and_overwrites_none);
    RUN(ring_of_one_task_is_not_that_of_the_next);
    RUN(second_drain_process_writes_no_row_twice);
    RUN(sample_of_a_whole_platform_is_of_no_task_and_stays_where_another_process_goes_on);
    RUN(run_without_sampling_has_no_file);
    (void)rmdir(directory);
    free(segment);
    return test_exit_code();
}
