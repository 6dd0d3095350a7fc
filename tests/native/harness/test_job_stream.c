/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Rows made from records: the worked examples of design section 4 and what happens to them when the
 * drain process or the disk fails. Times are in units of T = 1000 ns, t0 = 5000.
 */
#include "../test.h"
#include "base/npy.h"
#include "base/port/time.h"
#include "harness/job_rows.h"
#include "harness/job_stream.h"
#include "harness/release.h"
#include "harness/segment.h"
#include "harness/stop_on.h"
#include "schema/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    T = 1000,
    T0 = 5000,
    SLOTS = 16
};

static char directory[] = "/tmp/laxity-test-job-XXXXXX";
static int dir_fd;
static struct laxity_segment *segment;
static struct laxity_job_stream stream;

static struct laxity_task *fresh_run(enum laxity_overrun overrun, int64_t deadline_ns)
{
    const size_t bytes = laxity_segment_bytes(1, 0, SLOTS);
    free(segment);
    segment = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    memset(segment, 0, bytes);
    segment->n_tasks = 1;
    segment->ring_slots = SLOTS;
    segment->snapshots = LAXITY_SNAPSHOTS_ALL;
    segment->last_release_ns = INT64_MIN;
    segment->duration_ns = LAXITY_ABSENT_NS;
    laxity_atomic64_store_ns(&segment->run.t0_ns, T0);
    struct laxity_task *task = laxity_segment_task(segment, 0);
    task->config.period_ns = T;
    task->config.deadline_ns = deadline_ns;
    task->config.overrun = overrun;
    return task;
}

static void start_job(struct laxity_task *task, uint64_t job, int64_t start_ns)
{
    struct laxity_job_record *record =
        &laxity_segment_ring(segment, 0)[laxity_atomic64_load(&task->state.head) & (SLOTS - 1)];
    record->job = job;
    record->ordinal = laxity_atomic64_load(&task->state.head);
    record->state = LAXITY_RECORD_CLAIMED;
    laxity_atomic64_store_ns(&task->state.job_start_ns, start_ns);
}

static void run_job(struct laxity_task *task, uint64_t job, int64_t start_ns, int64_t finish_ns)
{
    start_job(task, job, start_ns);
    struct laxity_job_record *record =
        &laxity_segment_ring(segment, 0)[laxity_atomic64_load(&task->state.head) & (SLOTS - 1)];
    record->start_ns = start_ns;
    record->finish_ns = finish_ns;
    record->minor_faults = 1;
    record->state = LAXITY_RECORD_DONE;
    laxity_atomic64_increment(&task->state.head);
    laxity_atomic64_store_ns(&task->state.job_start_ns, 0);
}

static void write_rows(int64_t end_ns, enum laxity_end end)
{
    CHECK_EQUAL(laxity_job_stream_open(segment, dir_fd, &stream), 0);
    CHECK_EQUAL(laxity_job_stream_end_task(&stream, 0, end_ns, end), 0);
    CHECK_EQUAL(laxity_job_stream_close(&stream, dir_fd), 0);
}

/* Column by hand: status stands behind 10 columns of 76 bytes... found from the layout instead. */
static unsigned column_offset(const char *name)
{
    const struct laxity_job_layout layout = laxity_job_layout_of(segment);
    unsigned offset = 0;
    for (unsigned i = 0; i < layout.n_fields && strcmp(layout.fields[i].name, name) != 0; i++) {
        offset += layout.fields[i].bytes;
    }
    return offset;
}

static uint64_t read_rows(unsigned char *rows, size_t rows_max)
{
    const struct laxity_job_layout layout = laxity_job_layout_of(segment);
    const int fd = openat(dir_fd, "jobs.npy", O_RDONLY);
    const ssize_t got = pread(fd, rows, rows_max * layout.row_bytes, LAXITY_NPY_HEADER_BYTES);
    (void)close(fd);
    return got < 0 ? 0 : (uint64_t)got / layout.row_bytes;
}

/* Statuses as digits, "0" done ... "4" pending; and the job numbers must count from 0 without a
 * hole. */
static const char *statuses(void)
{
    static char text[64];
    static unsigned char rows[64 * LAXITY_JOB_ROW_BYTES_MAX];
    const uint32_t row_bytes = laxity_job_layout_of(segment).row_bytes;
    const uint64_t n = read_rows(rows, 63);
    const unsigned status_at = column_offset("status");
    for (uint64_t i = 0; i < n; i++) {
        text[i] = (char)('0' + rows[i * row_bytes + status_at]);
    }
    text[n] = '\0';
    return text;
}

static uint64_t job_of_row(uint64_t index)
{
    static unsigned char rows[64 * LAXITY_JOB_ROW_BYTES_MAX];
    uint64_t job = UINT64_MAX;
    if (index < read_rows(rows, 63)) {
        const uint32_t row_bytes = laxity_job_layout_of(segment).row_bytes;
        memcpy(&job, rows + index * row_bytes + column_offset("job"), sizeof job);
    }
    return job;
}

static void skip_example_of_the_design_has_8_rows(void)
{
    /* C = 3.5 T, D = T, -t 2: job 0 runs 0..3.5 T, job 4 runs 4..7.5 T. */
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    run_job(task, 0, T0, T0 + 3500);
    run_job(task, 4, T0 + 4 * T, T0 + 7500);
    write_rows(T0 + 7500, LAXITY_END_JOBS);
    CHECK_TEXT(statuses(), "12221222");
    CHECK_EQUAL(task->drain.counts[LAXITY_STATUS_MISSED], 2);
    CHECK_EQUAL(task->drain.counts[LAXITY_STATUS_SKIPPED], 6);
    CHECK_EQUAL(task->drain.not_met, 8);
    CHECK_EQUAL(task->drain.released, 8);
}

static void queue_example_of_the_design_has_7_rows(void)
{
    /* C = 3.5 T, D = 4 T: job 0 met (3.5 T), job 1 missed (7 T > 5 T), 2-6 pending at 7 T. */
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_QUEUE, INT64_C(4) * T);
    run_job(task, 0, T0, T0 + 3500);
    run_job(task, 1, T0 + 3500, T0 + 7000);
    write_rows(T0 + 7000, LAXITY_END_JOBS);
    CHECK_TEXT(statuses(), "0144444");
    /* Not met: job 1, and pending jobs whose deadline has come: job 2 at 6 T, job 3 at 7 T. */
    CHECK_EQUAL(task->drain.not_met, 3);
}

static void duration_covers_releases_strictly_before_its_end(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    run_job(task, 0, T0, T0 + 10);
    run_job(task, 1, T0 + T, T0 + T + 10);
    write_rows(T0 + 2 * T, LAXITY_END_DURATION); /* r_2 = T0 + 2 T is not covered */
    CHECK_TEXT(statuses(), "00");
}

static void abort_after_the_duration_covers_no_later_release(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    segment->duration_ns = INT64_C(2) * T;
    start_job(task, 0, T0);
    write_rows(T0 + INT64_C(50) * T, LAXITY_END_TIMEOUT); /* killed 48 T after the end */
    CHECK_TEXT(statuses(), "32");                         /* r_0 and r_1 lie before T0 + 2 T */
}

static void job_that_never_ended_is_aborted_with_its_cause(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    run_job(task, 0, T0, T0 + 10);
    start_job(task, 1, T0 + T + 5);
    write_rows(T0 + 3 * T + 1, LAXITY_END_TIMEOUT); /* r_2 and r_3 passed meanwhile */
    CHECK_TEXT(statuses(), "0322");
    static unsigned char rows[4 * LAXITY_JOB_ROW_BYTES_MAX];
    (void)read_rows(rows, 4);
    const unsigned char *aborted = rows + laxity_job_layout_of(segment).row_bytes;
    CHECK_EQUAL(aborted[column_offset("cause")], LAXITY_END_TIMEOUT);
    int64_t start_ns = 0;
    int64_t finish_ns = 0;
    memcpy(&start_ns, aborted + column_offset("start_ns"), sizeof start_ns);
    memcpy(&finish_ns, aborted + column_offset("finish_ns"), sizeof finish_ns);
    CHECK_EQUAL(start_ns, T0 + T + 5);
    CHECK_EQUAL(finish_ns, LAXITY_ABSENT_NS);
    CHECK_EQUAL(task->drain.not_met, 3);
}

static void job_that_is_only_waited_for_leaves_no_row(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    run_job(task, 0, T0, T0 + 10);
    start_job(task, 1, T0 + T);
    laxity_atomic64_store_ns(
        &task->state.job_start_ns, 0
    ); /* its record is claimed, the task sleeps */
    write_rows(T0 + T, LAXITY_END_KILLED);
    CHECK_TEXT(statuses(), "0");
    CHECK_EQUAL(task->drain.not_met, 0);
}

static void job_killed_after_its_finish_is_no_aborted_job(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    run_job(task, 0, T0, T0 + 10);
    run_job(task, 1, T0 + T, T0 + T + 10);
    laxity_atomic64_store(
        &task->state.head, 1
    ); /* the record says done, the ring does not know it yet */
    laxity_atomic64_store_ns(&task->state.job_start_ns, T0 + T);
    write_rows(T0 + 2 * T, LAXITY_END_KILLED);
    CHECK_TEXT(statuses(), "00");
    CHECK_EQUAL(task->drain.next_ordinal, 2);
}

static void last_lap_of_the_ring_is_not_taken_for_a_running_job(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    for (uint64_t job = 0; job < SLOTS; job++) {
        run_job(task, job, T0 + (int64_t)job * T, T0 + (int64_t)job * T + 10);
    }
    laxity_atomic64_store_ns(
        &task->state.job_start_ns, T0
    ); /* killed between the ring's word and the end of the job */
    write_rows(T0 + (int64_t)SLOTS * T, LAXITY_END_KILLED);
    CHECK_TEXT(statuses(), "0000000000000000");
}

static void lost_records_leave_no_invented_rows(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    run_job(task, 0, T0, T0 + 10);
    run_job(task, 5, T0 + 5 * T, T0 + 5 * T + 10);
    laxity_segment_ring(segment, 0)[1].ordinal = 4; /* jobs with ordinals 1-3 found the ring full */
    write_rows(T0 + 6 * T, LAXITY_END_DURATION);
    CHECK_TEXT(statuses(), "00");
    CHECK_EQUAL(task->drain.lost_records, 3);
}

static void faults_of_the_first_job_are_not_counted(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    for (uint64_t job = 0; job < 3; job++) { /* one fault each */
        run_job(task, job, T0 + (int64_t)job * T, T0 + (int64_t)job * T + 10);
    }
    write_rows(T0 + 3 * T, LAXITY_END_DURATION);
    CHECK_EQUAL(task->drain.faults_minor, 2);
}

static void keeping_misses_counts_the_others(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    segment->keep = LAXITY_KEEP_MISSES;
    run_job(task, 0, T0, T0 + 10);
    run_job(task, 1, T0 + T, T0 + 2 * T + 1);
    run_job(task, 3, T0 + 3 * T, T0 + 3 * T + 10);
    write_rows(T0 + 4 * T, LAXITY_END_DURATION);
    CHECK_TEXT(statuses(), "12");
    CHECK_EQUAL(task->drain.counts[LAXITY_STATUS_DONE], 2);
    CHECK_EQUAL(task->drain.released, 4);
}

static void keeping_a_tail_keeps_the_last_rows_in_order(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    segment->keep = LAXITY_KEEP_TAIL;
    segment->keep_rows = 4;
    for (uint64_t job = 0; job < 10; job++) {
        run_job(task, job, T0 + (int64_t)job * T, T0 + (int64_t)job * T + 10);
    }
    write_rows(T0 + 10 * T, LAXITY_END_DURATION);
    CHECK_TEXT(statuses(), "0000");
    for (uint64_t i = 0; i < 4; i++) {
        CHECK_EQUAL(job_of_row(i), 6 + i);
    }
    CHECK_EQUAL(task->drain.released, 10);
}

static void second_drain_process_goes_on_where_the_first_one_died(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    run_job(task, 0, T0, T0 + 10);
    CHECK_EQUAL(laxity_job_stream_open(segment, dir_fd, &stream), 0);
    CHECK_EQUAL(laxity_job_stream_drain(&stream, 0), 0);
    /* It dies while it writes a row that the segment does not count yet. */
    CHECK_EQUAL(
        pwrite(stream.npy.fd, "torn", 4, LAXITY_NPY_HEADER_BYTES + stream.layout.row_bytes), 4
    );
    (void)close(stream.npy.fd);
    run_job(task, 1, T0 + T, T0 + T + 10);
    write_rows(T0 + 2 * T, LAXITY_END_DURATION);
    CHECK_TEXT(statuses(), "00");
    CHECK_EQUAL(job_of_row(1), 1);
}

static void rows_that_found_the_disk_full_are_written_later(void)
{
    const struct rlimit full = {LAXITY_NPY_HEADER_BYTES + 10, RLIM_INFINITY};
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    (void)signal(SIGXFSZ, SIG_IGN);
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    run_job(task, 0, T0, T0 + 10);
    CHECK_EQUAL(laxity_job_stream_open(segment, dir_fd, &stream), 0);
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &full), 0);
    CHECK_EQUAL(laxity_job_stream_drain(&stream, 0), -EFBIG);
    run_job(task, 1, T0 + T, T0 + T + 10);
    CHECK_EQUAL(laxity_job_stream_drain(&stream, 0), -EFBIG);
    (void)close(stream.npy.fd); /* the process gives up; the segment stays */
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &none), 0);
    write_rows(T0 + 2 * T, LAXITY_END_DURATION);
    CHECK_TEXT(statuses(), "00");
    CHECK_EQUAL(task->drain.released, 2);
}

static void log_columns_carry_the_header_of_the_workload(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    task->state.n_log_names = 2;
    (void)snprintf(task->state.log_names[0], LAXITY_NAME_BYTES, "success(exp:1)");
    (void)snprintf(task->state.log_names[1], LAXITY_NAME_BYTES, "bytes");
    run_job(task, 0, T0, T0 + 10);
    laxity_segment_ring(segment, 0)[0].log_values[0] = 1.5F;
    laxity_segment_ring(segment, 0)[0].log_values[1] = 64.0F;
    write_rows(T0 + T, LAXITY_END_DURATION);
    static unsigned char rows[LAXITY_JOB_ROW_BYTES_MAX];
    CHECK_EQUAL(read_rows(rows, 1), 1);
    float value = 0;
    memcpy(&value, rows + column_offset("success(exp:1)"), sizeof value);
    CHECK(value == 1.5F);
    memcpy(&value, rows + column_offset("bytes"), sizeof value);
    CHECK(value == 64.0F);
}

static void column_of_what_is_not_measured_does_not_exist(void)
{
    (void)fresh_run(LAXITY_OVERRUN_SKIP, T);
    const unsigned all = laxity_job_layout_of(segment).n_fields;
    segment->snapshots = LAXITY_SNAPSHOTS_CPU;
    CHECK_EQUAL(laxity_job_layout_of(segment).n_fields, all - 4); /* preemptions ... major_faults */
    segment->snapshots = LAXITY_SNAPSHOTS_NONE;
    CHECK_EQUAL(laxity_job_layout_of(segment).n_fields, all - 5); /* and exec_ns */
    (void)snprintf(segment->ticks_name, sizeof segment->ticks_name, "tsc");
    CHECK_EQUAL(laxity_job_layout_of(segment).n_fields, all - 3); /* and two of ticks */
}

static void run_own_job(struct laxity_task *task, int64_t release_ns, int64_t finish_ns)
{
    const uint64_t job = laxity_atomic64_load(&task->state.head);
    laxity_segment_ring(segment, 0)[job & (SLOTS - 1)].release_ns = release_ns;
    run_job(task, job, finish_ns - 10, finish_ns);
}

static void jobs_of_an_own_program_have_their_own_releases_and_no_skipped_ones(void)
{
    /* D = T: due at T0 + 2000 and missed by 1; not known; due at T0 + 7000, which is met. The
     * period has no part in it, and the end of the run skips nothing. */
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    task->config.is_own_program = 1;
    run_own_job(task, T0 + 1000, T0 + 2001);
    run_own_job(task, LAXITY_ABSENT_NS, T0 + 5000);
    run_own_job(task, T0 + 6000, T0 + 7000);
    write_rows(T0 + 9000, LAXITY_END_EXIT);
    CHECK_TEXT(statuses(), "100");
    CHECK_EQUAL(job_of_row(1), 1); /* in its place by its start */
    CHECK_EQUAL(task->drain.released, 3);
    CHECK_EQUAL(task->drain.not_met, 1);
    CHECK_EQUAL(task->drain.faults_minor, 2);
    uint64_t counted[LAXITY_QUANTITY_COUNT] = {0};
    for (unsigned quantity = 0; quantity < LAXITY_QUANTITY_COUNT; quantity++) {
        for (unsigned i = 0; i < LAXITY_HISTOGRAM_BUCKETS; i++) {
            counted[quantity] += task->drain.histograms[quantity].counts[i];
        }
    }
    CHECK_EQUAL(counted[LAXITY_QUANTITY_RESPONSE_TIME], 2);
    CHECK_EQUAL(counted[LAXITY_QUANTITY_RELEASE_LATENCY], 2);
    CHECK_EQUAL(counted[LAXITY_QUANTITY_START_TO_FINISH], 3);
}

static void rows_without_release_are_sorted_by_their_start(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    task->config.is_own_program = 1;
    run_own_job(task, T0 + 3000, T0 + 3100);
    run_own_job(task, T0 + 2000, T0 + 3200); /* a release before that of the job before it */
    run_own_job(task, LAXITY_ABSENT_NS, T0 + 4000);
    write_rows(T0 + 9000, LAXITY_END_EXIT);
    CHECK_EQUAL(job_of_row(0), 1);
    CHECK_EQUAL(job_of_row(1), 0);
    CHECK_EQUAL(job_of_row(2), 2);
}

static void skipped_job_counts_nothing_which_is_not_zero(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    struct laxity_event *event = &segment->counting.events[0];
    segment->counting.n_events = 1;
    (void)snprintf(event->name, sizeof event->name, "cycles");
    (void)snprintf(event->ratio_name, sizeof event->ratio_name, "cycles_scale_ratio");
    const unsigned without = laxity_job_layout_of(segment).n_fields; /* no task counts it */
    task->state.counted_events = 1;
    CHECK_EQUAL(laxity_job_layout_of(segment).n_fields, without + 2);
    run_job(task, 0, T0, T0 + T + 10);
    laxity_segment_ring(segment, 0)[0].counts.values[0] = 42;
    laxity_segment_ring(segment, 0)[0].counts.scale_ratios[0] = 1.0F;
    write_rows(T0 + 2 * T, LAXITY_END_DURATION);
    CHECK_TEXT(statuses(), "12");
    static unsigned char rows[2 * LAXITY_JOB_ROW_BYTES_MAX];
    (void)read_rows(rows, 2);
    int64_t counts[2];
    float ratios[2];
    for (unsigned i = 0; i < 2; i++) {
        const unsigned char *row = rows + (size_t)i * laxity_job_layout_of(segment).row_bytes;
        memcpy(&counts[i], row + column_offset("cycles"), sizeof counts[i]);
        memcpy(&ratios[i], row + column_offset("cycles_scale_ratio"), sizeof ratios[i]);
    }
    CHECK_EQUAL(counts[0], 42);
    CHECK_EQUAL(counts[1], INT64_MIN);
    CHECK(ratios[0] == 1.0F && isnan(ratios[1]));
}

static void found_job_is(uint64_t job, int64_t finish_ns)
{
    CHECK_EQUAL(segment->stop_job.is_found, 1);
    CHECK_EQUAL(segment->stop_job.job, job);
    CHECK_EQUAL(segment->stop_job.finish_ns, finish_ns);
}

static void run_stops_on_the_first_miss_that_is_seen(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    segment->stop_on.kind = LAXITY_STOP_ON_MISS;
    run_job(task, 0, T0, T0 + T); /* at its deadline: met */
    run_job(task, 1, T0 + T, T0 + 2 * T + 1);
    run_job(task, 3, T0 + 3 * T, T0 + 4 * T + 9);
    CHECK_EQUAL(laxity_job_stream_open(segment, dir_fd, &stream), 0);
    CHECK_EQUAL(laxity_job_stream_drain(&stream, 0), 0);
    found_job_is(1, T0 + 2 * T + 1);
    CHECK_EQUAL(segment->stop_job.abs_deadline_ns, T0 + 2 * T);
    CHECK(!laxity_stop_on_is_told(segment));
    int fds[2];
    CHECK_EQUAL(pipe(fds), 0);
    laxity_stop_on_tell(segment, fds[1]);
    laxity_stop_on_tell(segment, fds[1]); /* told once */
    CHECK(laxity_stop_on_is_told(segment));
    uint64_t words[2];
    CHECK_EQUAL(read(fds[0], words, sizeof words), sizeof words[0]);
    (void)close(fds[0]);
    (void)close(fds[1]);
    run_job(task, 4, T0 + 4 * T, T0 + 5 * T + 1);
    CHECK_EQUAL(laxity_job_stream_drain(&stream, 0), 0);
    found_job_is(1, T0 + 2 * T + 1);
    CHECK_EQUAL(laxity_job_stream_close(&stream, dir_fd), 0);
}

static void run_stops_on_a_response_time_above_the_limit_not_at_it(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, LAXITY_ABSENT_NS);
    segment->stop_on = (struct laxity_stop_on){LAXITY_STOP_ON_RESPONSE, 300};
    run_job(task, 0, T0 + 100, T0 + 300);
    write_rows(T0 + T, LAXITY_END_JOBS);
    CHECK_EQUAL(segment->stop_job.is_found, 0);
    task = fresh_run(LAXITY_OVERRUN_SKIP, LAXITY_ABSENT_NS);
    segment->stop_on = (struct laxity_stop_on){LAXITY_STOP_ON_RESPONSE, 300};
    run_job(task, 0, T0 + 100, T0 + 301);
    write_rows(T0 + T, LAXITY_END_JOBS);
    found_job_is(0, T0 + 301);
    CHECK_EQUAL(segment->stop_job.seen_ns, 0); /* the run was over anyway */
}

static void of_two_tasks_seen_together_the_job_that_finished_first_counts(void)
{
    (void)fresh_run(LAXITY_OVERRUN_SKIP, T);
    segment->stop_on.kind = LAXITY_STOP_ON_MISS;
    const struct laxity_job_row later = {
        .task = 0, .job = 5, .finish_ns = 900, .status = LAXITY_STATUS_MISSED
    };
    const struct laxity_job_row earlier = {
        .task = 1, .job = 2, .finish_ns = 800, .status = LAXITY_STATUS_MISSED
    };
    laxity_stop_on_judge(segment, &later);
    laxity_stop_on_judge(segment, &earlier);
    found_job_is(2, 800);
    CHECK_EQUAL(segment->stop_job.task, 1);
}

static void run_that_stops_on_nothing_finds_nothing(void)
{
    struct laxity_task *task = fresh_run(LAXITY_OVERRUN_SKIP, T);
    run_job(task, 0, T0, T0 + T + 1);
    write_rows(T0 + 2 * T, LAXITY_END_JOBS);
    CHECK_EQUAL(segment->stop_job.is_found, 0);
}

int main(void)
{
    if (!mkdtemp(directory)) {
        return 1;
    }
    dir_fd = open(directory, O_RDONLY | O_DIRECTORY);
    RUN(skip_example_of_the_design_has_8_rows);
    RUN(queue_example_of_the_design_has_7_rows);
    RUN(duration_covers_releases_strictly_before_its_end);
    RUN(abort_after_the_duration_covers_no_later_release);
    RUN(job_that_never_ended_is_aborted_with_its_cause);
    RUN(job_that_is_only_waited_for_leaves_no_row);
    RUN(job_killed_after_its_finish_is_no_aborted_job);
    RUN(last_lap_of_the_ring_is_not_taken_for_a_running_job);
    RUN(lost_records_leave_no_invented_rows);
    RUN(faults_of_the_first_job_are_not_counted);
    RUN(keeping_misses_counts_the_others);
    RUN(keeping_a_tail_keeps_the_last_rows_in_order);
    RUN(second_drain_process_goes_on_where_the_first_one_died);
    RUN(rows_that_found_the_disk_full_are_written_later);
    RUN(log_columns_carry_the_header_of_the_workload);
    RUN(column_of_what_is_not_measured_does_not_exist);
    RUN(jobs_of_an_own_program_have_their_own_releases_and_no_skipped_ones);
    RUN(rows_without_release_are_sorted_by_their_start);
    RUN(skipped_job_counts_nothing_which_is_not_zero);
    RUN(run_stops_on_the_first_miss_that_is_seen);
    RUN(run_stops_on_a_response_time_above_the_limit_not_at_it);
    RUN(of_two_tasks_seen_together_the_job_that_finished_first_counts);
    RUN(run_that_stops_on_nothing_finds_nothing);
    static const char *const files[] = {"jobs.npy", "histogram.npy", "threads.npy"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        (void)unlinkat(dir_fd, files[i], 0);
    }
    (void)rmdir(directory);
    free(segment);
    return test_exit_code();
}
