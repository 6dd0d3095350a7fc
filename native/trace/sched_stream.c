/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/sched_stream.h"

#include "base/error.h"
#include "base/npy.h"
#include "schema/run.h"
#include "schema/streams.h"
#include "trace/thread_queue.h"
#include "trace/thread_table.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static const struct laxity_field fields[] = {LAXITY_SCHED_FIELDS};

static const char *const window_name = "sched.npy.window";

enum {
    /* 1.2 MiB: one system call per 32768 events, a tenth of a second at the highest rates. */
    BUFFER_ROWS = 32768
};

static void note_error(struct laxity_sched_stream *stream, int rc)
{
    stream->error = stream->error ? stream->error : rc;
}

static void write_buffer(struct laxity_sched_stream *stream)
{
    if (stream->n_buffered == 0) {
        return;
    }
    const int rc =
        laxity_npy_write(&stream->npy, stream->npy.rows, stream->buffer, stream->n_buffered);
    if (rc) {
        note_error(stream, rc);
        for (size_t i = 0; i < stream->n_buffered; i++) {
            struct laxity_sched_cpu *cpu = &stream->cpus[stream->buffer[i].cpu];
            cpu->rows--;
            cpu->lost++;
        }
    }
    stream->n_buffered = 0;
}

static int32_t visible_tid(const struct laxity_sched_stream *stream, int32_t tid)
{
    return stream->has_hidden_threads && tid == 0 ? LAXITY_ABSENT_TID : tid;
}

static void take_event(void *context, const struct laxity_sched_event *told)
{
    struct laxity_sched_stream *stream = context;
    struct laxity_sched_cpu *cpu = &stream->cpus[told->cpu];
    struct laxity_sched_event here = *told;
    const struct laxity_sched_event *event = &here;
    here.time_ns += stream->clock_offset_ns;
    here.tid = visible_tid(stream, told->tid);
    here.other_tid = visible_tid(stream, told->other_tid);
    const bool is_of_life =
        event->kind == LAXITY_SCHED_KIND_FORK || event->kind == LAXITY_SCHED_KIND_EXIT;
    if (is_of_life && event->tid == LAXITY_ABSENT_TID) {
        return; /* of a thread that we cannot see */
    }
    if (event->kind == LAXITY_SCHED_KIND_EXIT) {
        note_error(stream, laxity_thread_queue_exit(&stream->news, event->tid, event->time_ns));
    }
    if (event->time_ns < stream->from_ns || event->time_ns >= stream->to_ns) {
        return;
    }
    cpu->next_seq++;
    if (stream->error) {
        cpu->lost++;
        return;
    }
    stream->buffer[stream->n_buffered++] = (struct laxity_sched_row){
        .time_ns = event->time_ns,
        .seq = cpu->next_seq - 1,
        .cpu = event->cpu,
        .kind = (uint8_t)event->kind,
        .tid = event->tid,
        .other_tid = event->other_tid,
        .prev_state_or_vector = event->prev_state_or_vector,
        .preempted = event->preempted,
    };
    cpu->rows++;
    if (stream->n_buffered == BUFFER_ROWS) {
        write_buffer(stream);
    }
}

static void take_thread(void *context, const struct laxity_thread_event *event)
{
    struct laxity_sched_stream *stream = context;
    struct laxity_thread_event here = *event;
    here.time_ns += stream->clock_offset_ns;
    if (visible_tid(stream, event->tid) != LAXITY_ABSENT_TID) {
        note_error(stream, laxity_thread_queue_put(&stream->news, &here));
    }
}

static void take_lost(void *context, int32_t cpu, uint64_t n)
{
    struct laxity_sched_stream *stream = context;
    stream->cpus[cpu].next_seq += n;
    stream->cpus[cpu].lost += n;
}

static void take_vector(void *context, int64_t number, const char *name)
{
    struct laxity_sched_stream *stream = context;
    for (unsigned i = 0; i < stream->n_vectors; i++) {
        if (stream->vectors[i].number == number) {
            return;
        }
    }
    if (stream->n_vectors < LAXITY_VECTORS_MAX) {
        struct laxity_vector *vector = &stream->vectors[stream->n_vectors++];
        vector->number = number;
        laxity_format(vector->name, sizeof vector->name, "%s", name);
    }
}

int laxity_sched_stream_open(int dir_fd, struct laxity_sched_stream *out_stream)
{
    struct laxity_sched_stream *stream = out_stream;
    *stream = (struct laxity_sched_stream){.npy.fd = -1, .from_ns = INT64_MIN, .to_ns = INT64_MAX};
    int rc = laxity_thread_table_open(&stream->threads);
    if (rc) {
        return rc;
    }
    rc = -ENOMEM;
    stream->buffer = calloc(BUFFER_ROWS, sizeof *stream->buffer);
    if (stream->buffer) {
        rc = laxity_npy_create(
            dir_fd, "sched.npy", fields, sizeof fields / sizeof fields[0], &stream->npy
        );
    }
    if (rc) {
        free(stream->buffer);
        laxity_thread_table_free(&stream->threads);
    }
    return rc;
}

struct laxity_trace_sink laxity_sched_stream_sink(struct laxity_sched_stream *stream)
{
    return (struct laxity_trace_sink){
        .context = stream,
        .on_event = take_event,
        .on_thread = take_thread,
        .on_lost = take_lost,
        .on_vector = take_vector,
    };
}

int laxity_sched_stream_settle(struct laxity_sched_stream *stream, int64_t before_ns)
{
    note_error(stream, laxity_thread_queue_settle(&stream->news, &stream->threads, before_ns));
    return stream->error;
}

int laxity_sched_stream_flush(struct laxity_sched_stream *stream)
{
    write_buffer(stream);
    if (!stream->error) {
        note_error(stream, laxity_npy_patch(&stream->npy));
    }
    return stream->error;
}

/* Of one CPU, while its rows are looked through. */
struct window {
    bool has_begun;
    uint64_t dropped;
    uint64_t base; /* numbers before it are taken by what was dropped, or lost among that */
};

/* Moves the rows to be kept to the front of the buffer; each CPU's are in order of time. */
static size_t
keep_rows(struct laxity_sched_row *rows, size_t n, int64_t from_ns, struct window *windows)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct window *window = &windows[rows[i].cpu];
        window->has_begun |= rows[i].time_ns >= from_ns;
        if (window->has_begun) {
            rows[i].seq -= window->base;
            rows[kept++] = rows[i];
        } else {
            window->dropped++;
            window->base = rows[i].seq + 1;
        }
    }
    return kept;
}

static int copy_window(
    struct laxity_sched_stream *stream,
    struct laxity_npy *out_npy,
    int64_t from_ns,
    struct window *windows
)
{
    for (uint64_t at = 0; at < stream->npy.rows;) {
        const uint64_t rest = stream->npy.rows - at;
        const uint64_t n = rest < BUFFER_ROWS ? rest : BUFFER_ROWS;
        int rc = laxity_npy_read(&stream->npy, at, stream->buffer, n);
        if (rc) {
            return rc;
        }
        const size_t kept = keep_rows(stream->buffer, (size_t)n, from_ns, windows);
        rc = laxity_npy_write(out_npy, out_npy->rows, stream->buffer, kept);
        if (rc) {
            return rc;
        }
        at += n;
    }
    return laxity_npy_patch(out_npy);
}

static void count_dropped(struct laxity_sched_stream *stream, const struct window *windows)
{
    for (unsigned i = 0; i < LAXITY_CPUS_MAX; i++) {
        struct laxity_sched_cpu *cpu = &stream->cpus[i];
        stream->dropped += windows[i].dropped;
        cpu->rows -= windows[i].dropped;
        cpu->lost -= windows[i].base - windows[i].dropped;
        cpu->next_seq -= windows[i].base;
    }
}

int laxity_sched_stream_drop_before(struct laxity_sched_stream *stream, int dir_fd, int64_t from_ns)
{
    write_buffer(stream); /* and the buffer is free */
    if (stream->error) {
        return stream->error;
    }
    struct window *windows = calloc(LAXITY_CPUS_MAX, sizeof *windows);
    if (!windows) {
        return -ENOMEM;
    }
    struct laxity_npy npy;
    int rc = laxity_npy_create(dir_fd, window_name, fields, sizeof fields / sizeof fields[0], &npy);
    if (rc) {
        goto free_windows;
    }
    (void)flock(npy.fd, LOCK_EX | LOCK_NB); /* before anybody can open it by its name */
    rc = copy_window(stream, &npy, from_ns, windows);
    if (rc == 0 && renameat(dir_fd, window_name, dir_fd, "sched.npy") != 0) {
        rc = -errno;
    }
    if (rc) {
        (void)close(npy.fd);
        (void)unlinkat(dir_fd, window_name, 0);
        goto free_windows;
    }
    (void)close(stream->npy.fd);
    stream->npy = npy;
    count_dropped(stream, windows);
free_windows:
    free(windows);
    return rc;
}

int laxity_sched_stream_close(struct laxity_sched_stream *stream, int dir_fd)
{
    write_buffer(stream);
    (void)laxity_sched_stream_settle(stream, INT64_MAX);
    note_error(stream, laxity_thread_table_write(&stream->threads, dir_fd));
    note_error(stream, laxity_npy_close(&stream->npy));
    free(stream->buffer);
    laxity_thread_queue_free(&stream->news);
    laxity_thread_table_free(&stream->threads);
    return stream->error;
}
