/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/job_stream.h"

#include "base/cpus.h"
#include "base/histogram.h"
#include "base/npy.h"
#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "harness/job_rows.h"
#include "harness/release.h"
#include "harness/segment.h"
#include "harness/stop_on.h"
#include "harness/thread_stream.h"
#include "schema/run.h"
#include "schema/streams.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int laxity_job_stream_open(
    struct laxity_segment *segment, int dir_fd, struct laxity_job_stream *out_stream
)
{
    struct laxity_job_stream *stream = out_stream;
    stream->segment = segment;
    stream->layout = laxity_job_layout_of(segment);
    if (stream->layout.row_bytes > LAXITY_JOB_ROW_BYTES_MAX) {
        return -E2BIG;
    }
    const struct laxity_field *fields = stream->layout.fields;
    const unsigned n_fields = stream->layout.n_fields;
    int rc = 0;
    if (segment->jobs_is_open) {
        const uint64_t rows = segment->rows_written;
        rc = laxity_npy_reopen(dir_fd, "jobs.npy", fields, n_fields, rows, &stream->npy);
    } else {
        rc = laxity_npy_create(dir_fd, "jobs.npy", fields, n_fields, &stream->npy);
    }
    segment->jobs_is_open = rc == 0;
    return rc;
}

/* Writes what is buffered. Under --keep tail:N the file is a ring of N rows, put into order at
 * close. */
static int flush_rows(struct laxity_job_stream *stream)
{
    struct laxity_segment *segment = stream->segment;
    const uint32_t row_bytes = stream->layout.row_bytes;
    const unsigned char *rest = segment->rows;
    while (segment->rows_buffered > 0) {
        uint64_t at = stream->npy.rows;
        uint64_t n = segment->rows_buffered;
        if (segment->keep == LAXITY_KEEP_TAIL) {
            at = segment->rows_kept_from % segment->keep_rows;
            const uint64_t until_wrap = segment->keep_rows - at;
            n = n < until_wrap ? n : until_wrap;
        }
        const int rc = laxity_npy_write(&stream->npy, at, rest, n);
        if (rc) {
            memmove(segment->rows, rest, (size_t)segment->rows_buffered * row_bytes);
            return rc;
        }
        segment->rows_written = stream->npy.rows;
        segment->rows_kept_from += n;
        segment->is_unsorted |= segment->keep == LAXITY_KEEP_TAIL;
        rest += n * row_bytes;
        segment->rows_buffered -= (uint32_t)n;
    }
    return 0;
}

/* Where a row stands: at its release, or at its start where the release is not known. */
static int64_t place_ns(int64_t release_ns, int64_t start_ns)
{
    return release_ns == LAXITY_ABSENT_NS ? start_ns : release_ns;
}

/* Rows stand in the order of their places, then of their task; else they are sorted at close. */
static void note_order(struct laxity_segment *segment, const struct laxity_job_row *row)
{
    const int64_t row_place_ns = place_ns(row->release_ns, row->start_ns);
    const bool is_before =
        row_place_ns < segment->last_release_ns ||
        (row_place_ns == segment->last_release_ns && row->task < segment->last_task);
    segment->is_unsorted |= is_before;
    segment->last_release_ns = row_place_ns;
    segment->last_task = row->task;
}

/* Buffers a row if it is to be kept; counts it in any case. Returns 0 or -errno, and then nothing
 * is counted. */
static int
put_row(struct laxity_job_stream *stream, struct laxity_task *task, struct laxity_job_row *row)
{
    struct laxity_segment *segment = stream->segment;
    row->calls = task->config.calls > 1 ? task->config.calls : 1;
    const bool is_kept = segment->keep != LAXITY_KEEP_MISSES || row->status != LAXITY_STATUS_DONE;
    if (is_kept) {
        const uint32_t row_bytes = stream->layout.row_bytes;
        if (((size_t)segment->rows_buffered + 1) * row_bytes > sizeof segment->rows) {
            const int rc = flush_rows(stream);
            if (rc) {
                return rc;
            }
        }
        unsigned char *out = segment->rows + (size_t)segment->rows_buffered * row_bytes;
        laxity_job_row_pack(&stream->layout, row, &task->state, out);
        segment->rows_buffered++;
        note_order(segment, row);
    }
    struct laxity_drain_task *drain = &task->drain;
    drain->counts[row->status]++;
    drain->released++;
    drain->next_job = row->job + 1;
    return 0;
}

static int put_absent_rows(
    struct laxity_job_stream *stream,
    uint32_t task_index,
    uint64_t until_job,
    enum laxity_status status
)
{
    struct laxity_task *task = laxity_segment_task(stream->segment, task_index);
    const struct laxity_releases releases = laxity_task_releases(stream->segment, task);
    while (task->drain.next_job < until_job) {
        struct laxity_job_row row =
            laxity_job_row_absent(&releases, (uint16_t)task_index, task->drain.next_job, status);
        const int rc = put_row(stream, task, &row);
        if (rc) {
            return rc;
        }
        task->drain.not_met += status == LAXITY_STATUS_SKIPPED;
    }
    return 0;
}

static void count_value(struct laxity_drain_task *drain, enum laxity_quantity quantity, int64_t ns)
{
    drain->histograms[quantity].counts[laxity_histogram_bucket(ns)]++;
}

static void count_finished(struct laxity_drain_task *drain, const struct laxity_job_row *row)
{
    if (row->release_ns != LAXITY_ABSENT_NS) {
        count_value(drain, LAXITY_QUANTITY_RESPONSE_TIME, row->finish_ns - row->release_ns);
        count_value(drain, LAXITY_QUANTITY_RELEASE_LATENCY, row->start_ns - row->release_ns);
    }
    count_value(drain, LAXITY_QUANTITY_START_TO_FINISH, row->finish_ns - row->start_ns);
    drain->not_met += row->status == LAXITY_STATUS_MISSED;
    if (row->job > 0 && row->minor_faults != INT32_MIN) {
        drain->faults_minor += (uint64_t)row->minor_faults;
        drain->faults_major += (uint64_t)row->major_faults;
    }
}

/* Brings next_job up to the record's job: skipped rows, or none where records were lost and nobody
 * knows. */
static int fill_gap(
    struct laxity_job_stream *stream, uint32_t task_index, const struct laxity_job_record *record
)
{
    struct laxity_task *task = laxity_segment_task(stream->segment, task_index);
    struct laxity_drain_task *drain = &task->drain;
    const bool is_own = task->config.is_own_program != 0;
    if (record->ordinal != drain->next_ordinal) {
        /* An own program counts its lost ones itself: here may be one that it never finished. */
        drain->lost_records += is_own ? 0 : record->ordinal - drain->next_ordinal;
        drain->next_job = record->job;
        return 0;
    }
    if (is_own) {
        return 0; /* which releases such a program skipped nobody knows */
    }
    return put_absent_rows(stream, task_index, record->job, LAXITY_STATUS_SKIPPED);
}

static bool is_elsewhere(const struct laxity_task *task, int32_t cpu)
{
    const struct laxity_cpus *planned = &task->config.process.cpus;
    return cpu >= 0 && !laxity_cpus_is_empty(planned) && !laxity_cpus_has(planned, (unsigned)cpu);
}

/* Where a job started and finished, against where its task was planned. */
static void judge_cpus(struct laxity_task *task, const struct laxity_job_row *row)
{
    struct laxity_elsewhere *elsewhere = &task->drain.elsewhere;
    const bool is_start = is_elsewhere(task, row->cpu_start);
    if (!is_start && !is_elsewhere(task, row->cpu_finish)) {
        return;
    }
    if (elsewhere->jobs == 0) {
        elsewhere->first_job = row->job;
        elsewhere->first_ns = is_start ? row->start_ns : row->finish_ns;
        elsewhere->first_cpu = is_start ? row->cpu_start : row->cpu_finish;
    }
    elsewhere->jobs++;
}

int laxity_job_stream_drain(struct laxity_job_stream *stream, uint32_t task_index)
{
    struct laxity_segment *segment = stream->segment;
    struct laxity_task *task = laxity_segment_task(segment, task_index);
    const struct laxity_job_record *ring = laxity_segment_ring(segment, task_index);
    const struct laxity_releases releases = laxity_task_releases(segment, task);
    const uint64_t head = laxity_atomic64_load(&task->state.head);
    uint64_t tail = laxity_atomic64_load(&task->drain.tail);
    for (; tail != head; tail++) {
        const struct laxity_job_record *record = &ring[tail & (segment->ring_slots - 1)];
        int rc = fill_gap(stream, task_index, record);
        if (rc) {
            return rc;
        }
        struct laxity_job_row row =
            laxity_job_row_of(&releases, (uint16_t)task_index, record, LAXITY_END_NONE);
        rc = put_row(stream, task, &row);
        if (rc) {
            return rc;
        }
        judge_cpus(task, &row);
        if (row.status == LAXITY_STATUS_ABORTED) {
            task->drain.not_met++;
        } else {
            count_finished(&task->drain, &row);
            laxity_stop_on_judge(segment, &row);
        }
        task->drain.next_ordinal = record->ordinal + 1;
        laxity_atomic64_store(&task->drain.tail, tail + 1);
    }
    return flush_rows(stream);
}

/* Jobs whose deadline has come although they never started: judged at the task's end. */
static uint64_t count_pending_not_met(
    const struct laxity_releases *releases, uint64_t first_job, uint64_t until_job, int64_t end_ns
)
{
    if (releases->deadline_ns == LAXITY_ABSENT_NS) {
        return 0;
    }
    uint64_t count = 0;
    for (uint64_t job = first_job; job < until_job; job++) {
        if (laxity_abs_deadline_ns(releases, job) > end_ns) {
            break;
        }
        count++;
    }
    return count;
}

/* The job that was running when the task's process died, if there was one. Its start is the proof.
 */
static int put_running_job(
    struct laxity_job_stream *stream, uint32_t task_index, int64_t end_ns, enum laxity_end end
)
{
    struct laxity_segment *segment = stream->segment;
    struct laxity_task *task = laxity_segment_task(segment, task_index);
    struct laxity_drain_task *drain = &task->drain;
    const struct laxity_job_record *record = &laxity_segment_ring(
        segment, task_index
    )[laxity_atomic64_load(&drain->tail) & (segment->ring_slots - 1)];
    const int64_t start_ns = laxity_atomic64_load_ns(&task->state.job_start_ns);
    /* Of a program nobody but its task, which is gone, knows when exactly it began. */
    const int64_t program_ns = laxity_atomic64_load_ns(&task->state.program_release_ns);
    const bool is_program = start_ns == 0 && program_ns != 0 && program_ns <= end_ns;
    if ((start_ns == 0 && !is_program) || record->ordinal < drain->next_ordinal) {
        return 0; /* the second: what stands there is from the ring's last lap */
    }
    int rc = fill_gap(stream, task_index, record);
    if (rc) {
        return rc;
    }
    const struct laxity_releases releases = laxity_task_releases(segment, task);
    struct laxity_job_row row = laxity_job_row_of(&releases, (uint16_t)task_index, record, end);
    row.start_ns = start_ns;
    if (is_program) {
        row.start_ns = LAXITY_ABSENT_NS;
        row.tid = INT32_MIN;
        row.cpu_start = INT32_MIN;
    }
    rc = put_row(stream, task, &row);
    if (rc) {
        return rc;
    }
    if (row.status == LAXITY_STATUS_ABORTED) {
        drain->not_met++;
    } else {
        count_finished(drain, &row); /* killed after its finish, before the ring said so */
    }
    drain->next_ordinal = record->ordinal + 1;
    return 0;
}

/* A run covers releases before its task's end, and before t0 + duration: an abort may come later.
 */
static int64_t covered_until_ns(const struct laxity_segment *segment, int64_t end_ns)
{
    if (segment->duration_ns == LAXITY_ABSENT_NS) {
        return end_ns;
    }
    const int64_t limit_ns = laxity_atomic64_load_ns(&segment->run.t0_ns) + segment->duration_ns;
    return end_ns < limit_ns ? end_ns : limit_ns;
}

int laxity_job_stream_end_task(
    struct laxity_job_stream *stream, uint32_t task_index, int64_t end_ns, enum laxity_end end
)
{
    struct laxity_segment *segment = stream->segment;
    struct laxity_task *task = laxity_segment_task(segment, task_index);
    struct laxity_drain_task *drain = &task->drain;
    if (drain->is_closed) {
        return 0;
    }
    int rc = laxity_job_stream_drain(stream, task_index);
    if (rc) {
        return rc;
    }
    rc = put_running_job(stream, task_index, end_ns, end);
    if (rc) {
        return rc;
    }
    const struct laxity_releases releases = laxity_task_releases(segment, task);
    drain->end_ns = end_ns;
    drain->end = end;
    if (releases.is_own) {
        drain->lost_records = laxity_atomic64_load(&task->state.lost_records);
    }
    const uint64_t released =
        releases.is_own ? drain->next_job
                        : laxity_released_before(&releases, covered_until_ns(segment, end_ns));
    const bool is_queue = releases.overrun == LAXITY_OVERRUN_QUEUE;
    const uint64_t first_pending = drain->next_job;
    rc = put_absent_rows(
        stream, task_index, released, is_queue ? LAXITY_STATUS_PENDING : LAXITY_STATUS_SKIPPED
    );
    if (rc == 0) {
        rc = flush_rows(stream);
    }
    if (rc) {
        return rc;
    }
    if (is_queue) {
        drain->not_met += count_pending_not_met(&releases, first_pending, released, end_ns);
    }
    drain->is_closed = 1;
    return 0;
}

/* Columns 1, 3 and 5 of a row: task, release and start (job_rows.c). */
static int compare_rows(const void *left, const void *right)
{
    enum {
        RELEASE_OFFSET = 10,
        START_OFFSET = 26
    };
    int64_t release_left = 0;
    int64_t release_right = 0;
    int64_t start_left = 0;
    int64_t start_right = 0;
    memcpy(&release_left, (const char *)left + RELEASE_OFFSET, sizeof release_left);
    memcpy(&release_right, (const char *)right + RELEASE_OFFSET, sizeof release_right);
    memcpy(&start_left, (const char *)left + START_OFFSET, sizeof start_left);
    memcpy(&start_right, (const char *)right + START_OFFSET, sizeof start_right);
    const int64_t place_left = place_ns(release_left, start_left);
    const int64_t place_right = place_ns(release_right, start_right);
    if (place_left != place_right) {
        return place_left < place_right ? -1 : 1;
    }
    uint16_t task_left = 0;
    uint16_t task_right = 0;
    memcpy(&task_left, left, sizeof task_left);
    memcpy(&task_right, right, sizeof task_right);
    return (task_left > task_right) - (task_left < task_right);
}

/* Into a new file that replaces the old one at once: a kill in between leaves either, never a
 * mixture. */
static int sort_rows(struct laxity_job_stream *stream, int dir_fd)
{
    const uint64_t n = stream->npy.rows;
    const uint32_t row_bytes = stream->layout.row_bytes;
    /* A file may be larger than the address space of a 32-bit board. */
    unsigned char *rows = n <= SIZE_MAX ? calloc((size_t)n, row_bytes) : NULL;
    if (!rows) {
        return -ENOMEM;
    }
    struct laxity_npy sorted;
    int rc = laxity_npy_read(&stream->npy, 0, rows, n);
    if (rc) {
        goto free_rows;
    }
    qsort(rows, (size_t)n, row_bytes, compare_rows);
    rc = laxity_npy_create(
        dir_fd, "jobs.npy.sorted", stream->layout.fields, stream->layout.n_fields, &sorted
    );
    if (rc) {
        goto free_rows;
    }
    rc = laxity_npy_write(&sorted, 0, rows, n);
    if (rc == 0 && renameat(dir_fd, "jobs.npy.sorted", dir_fd, "jobs.npy") != 0) {
        rc = -errno;
    }
    if (rc) {
        (void)laxity_npy_close(&sorted);
        (void)unlinkat(dir_fd, "jobs.npy.sorted", 0);
        goto free_rows;
    }
    (void)close(stream->npy.fd);
    stream->npy = sorted;
    stream->segment->is_unsorted = 0;
free_rows:
    free(rows);
    return rc;
}

static const struct laxity_field histogram_fields[] = {LAXITY_HISTOGRAM_FIELDS};

static int write_histogram(
    struct laxity_npy *npy,
    uint16_t task,
    uint8_t quantity,
    const struct laxity_histogram *histogram
)
{
    for (unsigned bucket = 0; bucket < LAXITY_HISTOGRAM_BUCKETS; bucket++) {
        if (histogram->counts[bucket] == 0) {
            continue;
        }
        int64_t lower_ns = 0;
        int64_t upper_ns = 0;
        laxity_histogram_edges(bucket, &lower_ns, &upper_ns);
        const struct laxity_histogram_row row = {
            task, quantity, lower_ns, upper_ns, histogram->counts[bucket]
        };
        const int rc = laxity_npy_write(npy, npy->rows, &row, 1);
        if (rc) {
            return rc;
        }
    }
    return 0;
}

static int write_histograms(struct laxity_segment *segment, int dir_fd)
{
    struct laxity_npy npy;
    const unsigned n_fields = sizeof histogram_fields / sizeof histogram_fields[0];
    int rc = laxity_npy_create(dir_fd, "histogram.npy", histogram_fields, n_fields, &npy);
    if (rc) {
        return rc;
    }
    for (uint32_t i = 0; i < segment->n_tasks && rc == 0; i++) {
        const struct laxity_drain_task *drain = &laxity_segment_task(segment, i)->drain;
        for (uint8_t quantity = 0; quantity < LAXITY_QUANTITY_COUNT && rc == 0; quantity++) {
            rc = write_histogram(&npy, (uint16_t)i, quantity, &drain->histograms[quantity]);
        }
    }
    const int close_rc = laxity_npy_close(&npy);
    return rc ? rc : close_rc;
}

int laxity_job_stream_close(struct laxity_job_stream *stream, int dir_fd)
{
    int rc = stream->segment->is_unsorted ? sort_rows(stream, dir_fd) : 0;
    const int close_rc = laxity_npy_close(&stream->npy);
    rc = rc ? rc : close_rc;
    if (rc == 0) {
        rc = write_histograms(stream->segment, dir_fd);
    }
    if (rc == 0) {
        rc = laxity_threads_write(stream->segment, dir_fd);
    }
    return rc;
}
