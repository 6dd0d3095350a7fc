/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/cpus.h"
#include "base/histogram.h"
#include "base/npy.h"
#include "base/port/time.h"
#include "schema/streams.h"
#include "trace/switch_stream.h"
#include "trace/trace.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ROWS_MAX = 8,
    CPU = 2,
};

/* As in the file. */
struct __attribute__((packed)) row {
    int32_t cpu;
    uint8_t quantity;
    int64_t lower_ns;
    int64_t upper_ns;
    uint64_t count;
};

static struct laxity_switch_stream stream;
static struct laxity_trace_sink sink;
static struct row rows[ROWS_MAX];
static char directory[] = "/tmp/laxity-test-XXXXXX";
static int dir_fd = -1;

static void start(void)
{
    struct laxity_cpus cpus = {0};
    laxity_cpus_add(&cpus, CPU);
    CHECK_EQUAL(laxity_switch_stream_open(dir_fd, &cpus, &stream), 0);
    sink = laxity_switch_stream_sink(&stream);
}

static void put(enum laxity_sched_kind kind, int64_t time_ns)
{
    const struct laxity_sched_event event = {.time_ns = time_ns, .cpu = CPU, .kind = kind};
    sink.on_event(sink.context, &event);
}

/* Writes, reads what was written into `rows`. Returns how many. */
static unsigned finish(void)
{
    CHECK_EQUAL(laxity_switch_stream_close(&stream), 0);
    laxity_switch_stream_free(&stream);
    memset(rows, 0, sizeof rows);
    const int fd = openat(dir_fd, "switches.npy", O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = pread(fd, rows, sizeof rows, LAXITY_NPY_HEADER_BYTES);
    (void)close(fd);
    return bytes < 0 ? 0 : (unsigned)((size_t)bytes / sizeof rows[0]);
}

/* Two of 40 ns, one of 129 ns, whose bucket has two: 128 = 64 * 2 and 130 = 65 * 2. */
static void off_and_the_on_behind_it_are_a_switch(void)
{
    start();
    put(LAXITY_SCHED_KIND_ON, 50); /* recording began within a switch */
    put(LAXITY_SCHED_KIND_OFF, 100);
    put(LAXITY_SCHED_KIND_WAKEUP, 120);
    put(LAXITY_SCHED_KIND_ON, 140);
    put(LAXITY_SCHED_KIND_OFF, 200);
    put(LAXITY_SCHED_KIND_ON, 240);
    put(LAXITY_SCHED_KIND_OFF, 300);
    put(LAXITY_SCHED_KIND_ON, 429);
    CHECK_EQUAL(laxity_switch_stream_rows(&stream, CPU), 3);
    CHECK_EQUAL(finish(), 2);
    CHECK_EQUAL(rows[0].cpu, CPU);
    CHECK_EQUAL(rows[0].quantity, LAXITY_SWITCHES_QUANTITY_KERNEL);
    CHECK_EQUAL(rows[0].lower_ns, 40);
    CHECK_EQUAL(rows[0].upper_ns, 41);
    CHECK_EQUAL(rows[0].count, 2);
    CHECK_EQUAL(rows[1].lower_ns, 128);
    CHECK_EQUAL(rows[1].upper_ns, 130);
    CHECK_EQUAL(rows[1].count, 1);
}

static void off_without_an_on_is_counted_apart(void)
{
    start();
    put(LAXITY_SCHED_KIND_OFF, 100);
    put(LAXITY_SCHED_KIND_OFF, 200);
    put(LAXITY_SCHED_KIND_ON, 210);
    CHECK_EQUAL(laxity_switch_stream_rows(&stream, CPU), 2);
    CHECK_EQUAL(finish(), 2);
    CHECK(rows[0].lower_ns == LAXITY_ABSENT_NS);
    CHECK(rows[0].upper_ns == LAXITY_ABSENT_NS);
    CHECK_EQUAL(rows[0].count, 1);
    CHECK_EQUAL(rows[1].lower_ns, 10);
}

/* Thread 7 announces 8, which is hidden from us, and 9 comes on: that took two switches or more. */
static void on_of_another_thread_than_was_announced_is_counted_apart(void)
{
    start();
    const struct laxity_sched_event off = {
        .time_ns = 100, .cpu = CPU, .kind = LAXITY_SCHED_KIND_OFF, .tid = 7, .other_tid = 8
    };
    sink.on_event(sink.context, &off);
    const struct laxity_sched_event on = {
        .time_ns = 900, .cpu = CPU, .kind = LAXITY_SCHED_KIND_ON, .tid = 9, .other_tid = 8
    };
    sink.on_event(sink.context, &on);
    CHECK_EQUAL(finish(), 1);
    CHECK(rows[0].lower_ns == LAXITY_ABSENT_NS);
    CHECK_EQUAL(rows[0].count, 1);
}

static void no_switch_reaches_over_lost_records(void)
{
    start();
    put(LAXITY_SCHED_KIND_OFF, 100);
    sink.on_lost(sink.context, CPU, 4);
    put(LAXITY_SCHED_KIND_ON, 900);
    CHECK_EQUAL(stream.seen[LAXITY_SWITCHES_QUANTITY_KERNEL][CPU].lost, 4);
    CHECK_EQUAL(laxity_switch_stream_rows(&stream, CPU), 0);
    CHECK_EQUAL(finish(), 0);
}

/* A back-end that tells each record twice: 30 ns from off to off, whatever the switch takes. */
static void empty_measurement_pairs_off_with_off(void)
{
    start();
    stream.quantity = LAXITY_SWITCHES_QUANTITY_EMPTY;
    put(LAXITY_SCHED_KIND_OFF, 100);
    put(LAXITY_SCHED_KIND_OFF, 130);
    put(LAXITY_SCHED_KIND_ON, 500);
    put(LAXITY_SCHED_KIND_ON, 530);
    put(LAXITY_SCHED_KIND_OFF, 600);
    put(LAXITY_SCHED_KIND_OFF, 630);
    CHECK_EQUAL(finish(), 1);
    CHECK_EQUAL(rows[0].quantity, LAXITY_SWITCHES_QUANTITY_EMPTY);
    CHECK_EQUAL(rows[0].lower_ns, 30);
    CHECK_EQUAL(rows[0].count, 2);
}

static void whole_histograms_are_added(void)
{
    static struct laxity_histogram durations;
    durations.counts[laxity_histogram_bucket(50)] = 7;
    start();
    sink.on_switches(sink.context, CPU, &durations, 1);
    sink.on_switches(sink.context, CPU, &durations, 0);
    CHECK_EQUAL(laxity_switch_stream_rows(&stream, CPU), 15);
    CHECK_EQUAL(finish(), 2);
    CHECK_EQUAL(rows[0].count, 1);
    CHECK_EQUAL(rows[1].lower_ns, 50);
    CHECK_EQUAL(rows[1].count, 14);
}

int main(void)
{
    if (!mkdtemp(directory)) {
        return 1;
    }
    dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    RUN(off_and_the_on_behind_it_are_a_switch);
    RUN(off_without_an_on_is_counted_apart);
    RUN(on_of_another_thread_than_was_announced_is_counted_apart);
    RUN(no_switch_reaches_over_lost_records);
    RUN(empty_measurement_pairs_off_with_off);
    RUN(whole_histograms_are_added);
    (void)unlinkat(dir_fd, "switches.npy", 0);
    (void)close(dir_fd);
    (void)rmdir(directory);
    return test_exit_code();
}
