/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/sched_stream.h"

#include "base/npy.h"
#include "trace/thread_table.h"
#include "trace/trace.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct __attribute__((packed)) laxity_sched_row {
    int64_t time_ns;
    uint64_t seq;
    int32_t cpu;
    uint8_t kind;
    int32_t tid;
    int32_t other_tid;
    int64_t prev_state_or_vector;
    uint8_t preempted;
};

static const struct laxity_field fields[] = {
    {"time_ns", 'i', 8},
    {"seq", 'u', 8},
    {"cpu", 'i', 4},
    {"kind", 'u', 1},
    {"tid", 'i', 4},
    {"other_tid", 'i', 4},
    {"prev_state_or_vector", 'i', 8},
    {"preempted", 'u', 1},
};

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

static void take_event(void *context, const struct laxity_sched_event *event)
{
    struct laxity_sched_stream *stream = context;
    struct laxity_sched_cpu *cpu = &stream->cpus[event->cpu];
    if (event->kind == LAXITY_SCHED_EXIT) {
        laxity_thread_table_exit(&stream->threads, event->tid, event->time_ns);
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
    note_error(stream, laxity_thread_table_take(&stream->threads, event));
}

static void take_lost(void *context, int32_t cpu, uint64_t n)
{
    struct laxity_sched_stream *stream = context;
    stream->cpus[cpu].next_seq += n;
    stream->cpus[cpu].lost += n;
}

int laxity_sched_stream_open(int dir_fd, struct laxity_sched_stream *out_stream)
{
    struct laxity_sched_stream *stream = out_stream;
    *stream = (struct laxity_sched_stream){.npy.fd = -1};
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
    };
}

int laxity_sched_stream_flush(struct laxity_sched_stream *stream)
{
    write_buffer(stream);
    if (!stream->error) {
        note_error(stream, laxity_npy_patch(&stream->npy));
    }
    return stream->error;
}

int laxity_sched_stream_close(struct laxity_sched_stream *stream, int dir_fd)
{
    write_buffer(stream);
    note_error(stream, laxity_thread_table_write(&stream->threads, dir_fd));
    note_error(stream, laxity_npy_close(&stream->npy));
    free(stream->buffer);
    laxity_thread_table_free(&stream->threads);
    return stream->error;
}
