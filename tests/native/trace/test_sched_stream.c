/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Events of a made-up back-end → sched.npy and threads.npy. */
#include "../test.h"
#include "base/npy.h"
#include "schema/streams.h"
#include "trace/sched_stream.h"
#include "trace/thread_table.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    SCHED_ROW_BYTES = 38,
    SEQ_OFFSET = 8,
    FULL_BUFFER = 32768,
    ROWS_MAX = 8,
};

static char directory[] = "/tmp/laxity-test-sched-XXXXXX";
static int dir_fd;
static struct laxity_sched_stream *stream;
static struct laxity_trace_sink sink;

static void open_stream(void)
{
    (void)unlinkat(dir_fd, "threads.npy", 0);
    CHECK_EQUAL(laxity_sched_stream_open(dir_fd, stream), 0);
    sink = laxity_sched_stream_sink(stream);
}

static void happen(enum laxity_sched_kind kind, int32_t cpu, int32_t tid, int64_t time_ns)
{
    const struct laxity_sched_event event = {
        .time_ns = time_ns, .cpu = cpu, .kind = kind, .tid = tid
    };
    sink.on_event(sink.context, &event);
}

static void name_thread(int32_t pid, int32_t tid, const char *comm, int64_t time_ns)
{
    const struct laxity_thread_event event = {
        .time_ns = time_ns, .pid = pid, .tid = tid, .comm = comm
    };
    sink.on_thread(sink.context, &event);
}

static void fork_thread(int32_t pid, int32_t tid, int32_t parent_tid, int64_t time_ns)
{
    const struct laxity_thread_event event = {
        .time_ns = time_ns, .pid = pid, .tid = tid, .parent_tid = parent_tid
    };
    sink.on_thread(sink.context, &event);
}

static size_t read_rows(const char *name, size_t row_bytes, void *out, size_t room)
{
    const int fd = openat(dir_fd, name, O_RDONLY);
    CHECK(fd >= 0);
    const ssize_t got = pread(fd, out, room * row_bytes, LAXITY_NPY_HEADER_BYTES);
    (void)close(fd);
    return got < 0 ? 0 : (size_t)got / row_bytes;
}

static void lost_records_leave_a_gap_in_the_numbers_of_their_cpu(void)
{
    open_stream();
    happen(LAXITY_SCHED_KIND_OFF, 0, 7, 100);
    happen(LAXITY_SCHED_KIND_OFF, 1, 7, 100);
    sink.on_lost(sink.context, 0, 5);
    happen(LAXITY_SCHED_KIND_ON, 0, 8, 150);
    happen(LAXITY_SCHED_KIND_ON, 1, 8, 150);
    sink.on_lost(sink.context, 1, 2);
    CHECK_EQUAL(stream->cpus[0].rows, 2);
    CHECK_EQUAL(stream->cpus[0].lost, 5);
    CHECK_EQUAL(stream->cpus[1].lost, 2);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
    unsigned char rows[ROWS_MAX * SCHED_ROW_BYTES];
    CHECK_EQUAL(read_rows("sched.npy", SCHED_ROW_BYTES, rows, ROWS_MAX), 4);
    const uint64_t expected[] = {0, 0, 6, 1}; /* CPU 0: 0, then 5 lost, then 6 */
    for (size_t i = 0; i < 4; i++) {
        uint64_t seq = 0;
        memcpy(&seq, &rows[i * SCHED_ROW_BYTES + SEQ_OFFSET], sizeof seq);
        CHECK_EQUAL(seq, expected[i]);
    }
}

static void rows_are(const int64_t times_ns[], const uint64_t seqs[], size_t n)
{
    unsigned char rows[ROWS_MAX * SCHED_ROW_BYTES];
    CHECK_EQUAL(read_rows("sched.npy", SCHED_ROW_BYTES, rows, ROWS_MAX), n);
    for (size_t i = 0; i < n; i++) {
        int64_t time_ns = 0;
        uint64_t seq = 0;
        memcpy(&time_ns, &rows[i * SCHED_ROW_BYTES], sizeof time_ns);
        memcpy(&seq, &rows[i * SCHED_ROW_BYTES + SEQ_OFFSET], sizeof seq);
        CHECK_EQUAL(time_ns, times_ns[i]);
        CHECK_EQUAL(seq, seqs[i]);
    }
}

/* In a PID namespace number 0 stands for idle CPUs and for threads outside; in a time namespace our
 * clock is another. */
static void threads_outside_have_no_number_and_times_are_ours(void)
{
    open_stream();
    stream->clock_offset_ns = 1000;
    stream->has_hidden_threads = true;
    happen(LAXITY_SCHED_KIND_OFF, 0, 7, 100);
    happen(LAXITY_SCHED_KIND_ON, 0, 0, 110);
    happen(LAXITY_SCHED_KIND_EXIT, 0, 0, 120);
    name_thread(0, 0, "outside", 130);
    name_thread(7, 7, "inside", 140);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
    const int64_t times_ns[] = {1100, 1110};
    const uint64_t seqs[] = {0, 1};
    rows_are(times_ns, seqs, 2);
    struct laxity_threads_row threads[ROWS_MAX];
    CHECK_EQUAL(read_rows("threads.npy", sizeof threads[0], threads, ROWS_MAX), 1);
    CHECK_EQUAL(threads[0].tid, 7);
    CHECK_EQUAL(threads[0].from_ns, 1140);
}

/* Back-ends start and stop one thing after the other: what comes meanwhile is no loss either. */
static void rows_from_before_and_after_the_recording_are_left_out(void)
{
    open_stream();
    stream->from_ns = 100;
    happen(LAXITY_SCHED_KIND_OFF, 0, 7, 99);
    happen(LAXITY_SCHED_KIND_ON, 0, 8, 100);
    stream->to_ns = 200;
    happen(LAXITY_SCHED_KIND_OFF, 0, 8, 199);
    happen(LAXITY_SCHED_KIND_ON, 0, 7, 200);
    CHECK_EQUAL(stream->cpus[0].rows, 2);
    CHECK_EQUAL(stream->cpus[0].lost, 0);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
    const int64_t times_ns[] = {100, 199};
    const uint64_t seqs[] = {0, 1};
    rows_are(times_ns, seqs, 2);
}

static void full_output_counts_what_it_did_not_take(void)
{
    const struct rlimit limit = {LAXITY_NPY_HEADER_BYTES + SCHED_ROW_BYTES, RLIM_INFINITY};
    open_stream();
    struct rlimit before;
    CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (int64_t i = 0; i < FULL_BUFFER + 3; i++) {
        happen(LAXITY_SCHED_KIND_ON, 0, 7, i);
    }
    CHECK_EQUAL(laxity_sched_stream_flush(stream), -EFBIG);
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_EQUAL(stream->cpus[0].rows, 0);
    CHECK_EQUAL(stream->cpus[0].lost, FULL_BUFFER + 3);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), -EFBIG);
}

/* CPU 0 has 0 1 (2 3 lost) 4 (5 lost) 6, CPU 1 has 0 1; of CPU 0 the first three rows go, and with
 * them two lost ones: 6 becomes 1, since 5, which was lost after the last row that went, may belong
 * to what is kept. */
static void what_was_dropped_is_no_loss_but_what_may_belong_to_the_rest_is(void)
{
    open_stream();
    happen(LAXITY_SCHED_KIND_OFF, 0, 7, 100);
    happen(LAXITY_SCHED_KIND_OFF, 1, 7, 150);
    happen(LAXITY_SCHED_KIND_ON, 0, 7, 199);
    sink.on_lost(sink.context, 0, 2);
    happen(LAXITY_SCHED_KIND_OFF, 0, 7, 199);
    sink.on_lost(sink.context, 0, 1);
    happen(LAXITY_SCHED_KIND_ON, 0, 7, 200);
    happen(LAXITY_SCHED_KIND_ON, 1, 7, 250);
    CHECK_EQUAL(laxity_sched_stream_drop_before(stream, dir_fd, 200), 0);
    CHECK_EQUAL(stream->dropped, 4);
    CHECK_EQUAL(stream->cpus[0].rows, 1);
    CHECK_EQUAL(stream->cpus[0].lost, 1);
    CHECK_EQUAL(stream->cpus[1].rows, 1);
    CHECK_EQUAL(stream->cpus[1].lost, 0);
    happen(LAXITY_SCHED_KIND_OFF, 0, 7, 300);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
    const int64_t times_ns[] = {200, 250, 300};
    const uint64_t seqs[] = {1, 0, 2};
    rows_are(times_ns, seqs, 3);
    CHECK(faccessat(dir_fd, "sched.npy.window", F_OK, 0) != 0);
}

static void a_long_trace_is_cut_where_it_was_asked_for(void)
{
    const int64_t n = 2 * FULL_BUFFER + 10;
    open_stream();
    for (int64_t i = 0; i < n; i++) {
        happen(LAXITY_SCHED_KIND_ON, (int32_t)(i % 2), 7, i);
    }
    CHECK_EQUAL(laxity_sched_stream_drop_before(stream, dir_fd, n - 3), 0);
    CHECK_EQUAL(stream->dropped, (uint64_t)n - 3);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
    const int64_t times_ns[] = {n - 3, n - 2, n - 1};
    const uint64_t seqs[] = {0, 0, 1};
    rows_are(times_ns, seqs, 3);
}

static void rows_that_cannot_be_copied_stay_where_they_are(void)
{
    open_stream();
    happen(LAXITY_SCHED_KIND_ON, 0, 7, 100);
    happen(LAXITY_SCHED_KIND_OFF, 0, 7, 200);
    CHECK_EQUAL(laxity_sched_stream_flush(stream), 0);
    struct rlimit before;
    CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit limit = {LAXITY_NPY_HEADER_BYTES, RLIM_INFINITY};
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK_EQUAL(laxity_sched_stream_drop_before(stream, dir_fd, 150), -EFBIG);
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_EQUAL(stream->dropped, 0);
    happen(LAXITY_SCHED_KIND_ON, 0, 7, 300);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
    const int64_t times_ns[] = {100, 200, 300};
    const uint64_t seqs[] = {0, 1, 2};
    rows_are(times_ns, seqs, 3);
    CHECK(faccessat(dir_fd, "sched.npy.window", F_OK, 0) != 0);
}

static void thread_keeps_one_row_per_name(void)
{
    open_stream();
    name_thread(10, 10, "shell", 50);
    fork_thread(20, 20, 10, 100);
    name_thread(20, 20, "tool", 130);
    happen(LAXITY_SCHED_KIND_EXIT, 0, 20, 200);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
    struct laxity_threads_row rows[ROWS_MAX];
    CHECK_EQUAL(read_rows("threads.npy", sizeof rows[0], rows, ROWS_MAX), 3);
    CHECK_TEXT(rows[1].comm, "shell"); /* inherited from its parent */
    CHECK_EQUAL(rows[1].from_ns, 100);
    CHECK_EQUAL(rows[1].to_ns, 130);
    CHECK_TEXT(rows[2].comm, "tool");
    CHECK_EQUAL(rows[2].from_ns, 130);
    CHECK_EQUAL(rows[2].to_ns, 200);
    CHECK_EQUAL(rows[2].task, UINT16_MAX);
    CHECK(rows[0].to_ns == INT64_MIN);
}

/* Rings are read one after the other: all of a short thread within one pass, its end first. */
static void thread_that_was_gone_before_it_was_told_of_has_its_name_and_its_end(void)
{
    open_stream();
    name_thread(10, 10, "shell", 50);
    CHECK_EQUAL(laxity_sched_stream_settle(stream, 90), 0);
    happen(LAXITY_SCHED_KIND_EXIT, 0, 10, 220);
    happen(LAXITY_SCHED_KIND_EXIT, 0, 20, 200);
    fork_thread(20, 20, 10, 100);
    CHECK_EQUAL(laxity_sched_stream_settle(stream, 180), 0);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
    struct laxity_threads_row rows[ROWS_MAX];
    CHECK_EQUAL(read_rows("threads.npy", sizeof rows[0], rows, ROWS_MAX), 2);
    CHECK_EQUAL(rows[0].to_ns, 220);
    CHECK_TEXT(rows[1].comm, "shell");
    CHECK_EQUAL(rows[1].from_ns, 100);
    CHECK_EQUAL(rows[1].to_ns, 200);
}

/* The fork is on another CPU than what the new thread does, whose ring may be read before. */
static void fork_that_is_told_late_makes_no_second_row(void)
{
    open_stream();
    name_thread(20, 20, "tool", 130);
    fork_thread(20, 20, 10, 100);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
    struct laxity_threads_row rows[ROWS_MAX];
    CHECK_EQUAL(read_rows("threads.npy", sizeof rows[0], rows, ROWS_MAX), 1);
    CHECK_TEXT(rows[0].comm, "tool");
    CHECK_EQUAL(rows[0].from_ns, 100);
}

static void thread_whose_process_is_not_told_has_its_makers_and_keeps_it(void)
{
    open_stream();
    name_thread(20, 20, "main", 50);
    fork_thread(LAXITY_ABSENT_TID, 21, 20, 100);
    name_thread(LAXITY_ABSENT_TID, 21, "worker", 150);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
    struct laxity_threads_row rows[ROWS_MAX];
    CHECK_EQUAL(read_rows("threads.npy", sizeof rows[0], rows, ROWS_MAX), 3);
    CHECK_EQUAL(rows[1].pid, 20);
    CHECK_TEXT(rows[1].comm, "main");
    CHECK_EQUAL(rows[2].pid, 20);
    CHECK_TEXT(rows[2].comm, "worker");
}

static void interrupt_keeps_the_name_that_it_came_in_with_first(void)
{
    open_stream();
    sink.on_vector(sink.context, 42, "disk");
    sink.on_vector(sink.context, -236, "local_timer");
    sink.on_vector(sink.context, 42, "another handler of the same line");
    CHECK_EQUAL(stream->n_vectors, 2);
    CHECK_EQUAL(stream->vectors[0].number, 42);
    CHECK_TEXT(stream->vectors[0].name, "disk");
    CHECK_TEXT(stream->vectors[1].name, "local_timer");
    for (int64_t number = 1000; number < 1000 + LAXITY_VECTORS_MAX; number++) {
        sink.on_vector(sink.context, number, "many");
    }
    CHECK_EQUAL(stream->n_vectors, LAXITY_VECTORS_MAX);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
}

static void number_beyond_the_kernels_limit_is_left_out(void)
{
    open_stream();
    name_thread(1, (1 << 22) - 1, "last", 1);
    name_thread(1, 1 << 22, "beyond", 1);
    name_thread(1, LAXITY_ABSENT_TID, "none", 1);
    CHECK_EQUAL(laxity_sched_stream_settle(stream, INT64_MAX), 0);
    CHECK_EQUAL(stream->threads.n, 1);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
}

static void tasks_come_from_the_rows_of_the_harness(void)
{
    open_stream();
    name_thread(30, 30, "control", 50);
    name_thread(30, 31, "helper", 50);
    name_thread(40, 40, "other", 50);
    struct laxity_thread_table harness;
    CHECK_EQUAL(laxity_thread_table_open(&harness), 0);
    const struct laxity_thread_event main_thread = {.pid = 30, .tid = 30, .comm = "control"};
    const struct laxity_thread_event unmet = {.pid = 35, .tid = 35, .comm = "ended"};
    CHECK_EQUAL(laxity_thread_table_take(&harness, &main_thread), 0);
    CHECK_EQUAL(laxity_thread_table_take(&harness, &unmet), 0);
    harness.rows[0].task = 1;
    harness.rows[1].task = 2;
    CHECK_EQUAL(laxity_thread_table_write(&harness, dir_fd), 0);
    laxity_thread_table_free(&harness);
    CHECK_EQUAL(laxity_sched_stream_close(stream, dir_fd), 0);
    struct laxity_threads_row rows[ROWS_MAX];
    CHECK_EQUAL(read_rows("threads.npy", sizeof rows[0], rows, ROWS_MAX), 4);
    CHECK_EQUAL(rows[0].task, 1);
    CHECK_EQUAL(rows[1].task, 1);
    CHECK_EQUAL(rows[2].task, UINT16_MAX);
    CHECK_EQUAL(rows[3].tid, 35);
    CHECK_EQUAL(rows[3].task, 2);
}

int main(void)
{
    (void)signal(SIGXFSZ, SIG_IGN);
    stream = calloc(1, sizeof *stream);
    if (!stream || !mkdtemp(directory)) {
        return 1;
    }
    dir_fd = open(directory, O_RDONLY | O_DIRECTORY);
    if (dir_fd < 0) {
        return 1;
    }
    RUN(lost_records_leave_a_gap_in_the_numbers_of_their_cpu);
    RUN(threads_outside_have_no_number_and_times_are_ours);
    RUN(rows_from_before_and_after_the_recording_are_left_out);
    RUN(full_output_counts_what_it_did_not_take);
    RUN(what_was_dropped_is_no_loss_but_what_may_belong_to_the_rest_is);
    RUN(a_long_trace_is_cut_where_it_was_asked_for);
    RUN(rows_that_cannot_be_copied_stay_where_they_are);
    RUN(thread_keeps_one_row_per_name);
    RUN(thread_that_was_gone_before_it_was_told_of_has_its_name_and_its_end);
    RUN(fork_that_is_told_late_makes_no_second_row);
    RUN(thread_whose_process_is_not_told_has_its_makers_and_keeps_it);
    RUN(interrupt_keeps_the_name_that_it_came_in_with_first);
    RUN(number_beyond_the_kernels_limit_is_left_out);
    RUN(tasks_come_from_the_rows_of_the_harness);
    (void)unlinkat(dir_fd, "sched.npy", 0);
    (void)unlinkat(dir_fd, "threads.npy", 0);
    (void)close(dir_fd);
    (void)rmdir(directory);
    free(stream);
    return test_exit_code();
}
