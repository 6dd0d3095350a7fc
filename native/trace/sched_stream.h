/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The sink of every back-end: events → sched.npy, and what is missing from it, counted. */
#ifndef LAXITY_TRACE_SCHED_STREAM_H
#define LAXITY_TRACE_SCHED_STREAM_H

#include "base/cpus.h"
#include "base/npy.h"
#include "schema/streams.h"
#include "trace/thread_queue.h"
#include "trace/thread_table.h"
#include "trace/trace.h"

#include <stddef.h>
#include <stdint.h>

struct laxity_sched_row;

struct laxity_sched_cpu {
    uint64_t next_seq; /* a lost record takes a number too: the gap shows where it was */
    uint64_t rows;
    uint64_t lost;
};

enum {
    /* What one machine sees in a run; further ones have no name. */
    LAXITY_VECTORS_MAX = 256
};

struct laxity_vector {
    int64_t number;
    char name[LAXITY_VECTOR_NAME_BYTES];
};

struct laxity_sched_stream {
    struct laxity_npy npy;
    struct laxity_sched_row *buffer;
    size_t n_buffered;
    struct laxity_thread_table threads;
    struct laxity_thread_queue news; /* of threads, not in the table yet */
    /* Our clock minus the machine's, on which events come. */
    int64_t clock_offset_ns;
    bool
        has_hidden_threads; /* number 0 stands for an idle CPU and for threads that we cannot see */
    int64_t from_ns;  /* what comes before is no row: not all that is recorded is watched yet */
    int64_t to_ns;    /* nor what comes from here on */
    int error;        /* -errno of the first write that failed; what came after it is lost */
    uint64_t dropped; /* rows that were too old to be kept */
    struct laxity_sched_cpu cpus[LAXITY_CPUS_MAX];
    unsigned n_vectors;
    struct laxity_vector vectors[LAXITY_VECTORS_MAX]; /* interrupts that have come in */
};

/* laxity_sched_stream_open - start DIR/sched.npy, for rows of any time. Returns 0 or -errno. */
int laxity_sched_stream_open(int dir_fd, struct laxity_sched_stream *out_stream);

/* laxity_sched_stream_sink - where a back-end hands its findings; lives as long as the stream */
struct laxity_trace_sink laxity_sched_stream_sink(struct laxity_sched_stream *stream);

/* laxity_sched_stream_settle - all from before before_ns has come in. Returns 0 or -errno. */
int laxity_sched_stream_settle(struct laxity_sched_stream *stream, int64_t before_ns);

/* laxity_sched_stream_flush - write what is buffered, patch the header. Returns 0 or -errno. */
int laxity_sched_stream_flush(struct laxity_sched_stream *stream);

/*
 * laxity_sched_stream_drop_before - forget the rows before from_ns, as if recording had begun there
 *
 * The remaining ones go to a new file that takes the place of the old one at once, locked as that
 * was. Numbers of records and counts begin anew, so that what was dropped is no loss. Returns 0, or
 * -errno: then all is as before.
 */
int laxity_sched_stream_drop_before(
    struct laxity_sched_stream *stream, int dir_fd, int64_t from_ns
);

/* laxity_sched_stream_close - flush, threads.npy, close. Returns 0 or the first -errno. */
int laxity_sched_stream_close(struct laxity_sched_stream *stream, int dir_fd);

#endif
