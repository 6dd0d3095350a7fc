/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The course of a recording: choose a back-end, record until told to stop, say what was recorded.
 */
#ifndef LAXITY_TRACE_RECORDER_H
#define LAXITY_TRACE_RECORDER_H

#include "base/cpus.h"
#include "base/error.h"
#include "trace/event_sampler.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct laxity_recording {
    const char *run_dir;
    int64_t duration_ns;        /* LAXITY_ABSENT_NS = until told to stop */
    bool is_histogram;          /* how long switches take, instead of what happens */
    int backend;                /* 0 = the first that serves here, else 1 + its index */
    uint64_t ring_bytes;        /* per CPU; 0 = chosen by the number of CPUs */
    uint32_t kinds;             /* what to record, if the back-end can: LAXITY_SUPPLIES(kind) */
    struct laxity_cpus avoided; /* where the recorder does not run, if there are others */
    int64_t keep_last_ns;       /* rows older than that may be dropped; LAXITY_ABSENT_NS = none */
    int ready_fd;               /* "ready\n" is written to it once recording runs; -1 = none */
    /* Ends when the other end of this pipe is closed; -1 = none. What was written to it before,
     * "from NS\n", says from when on rows are to be kept at the end (keep_last_ns if nothing). */
    int parent_fd;
    const volatile sig_atomic_t *is_stopped;
    struct laxity_sampling sampling; /* of every CPU, beside the trace */
};

/* The choices of `backend`, blank-separated, in the order in which they are tried. The histogram
 * has those that stamp both ends of a switch. */
#define LAXITY_TRACE_BACKENDS "auto bpf perf tracefs"

/*
 * laxity_record_trace - write DIR/sched.npy, DIR/threads.npy and DIR/trace.json
 *
 * Of a histogram DIR/switches.npy instead of the first two; DIR/counters.npy if events are sampled.
 * trace.json comes last and says that the others are whole; until then, a lock is held on the
 * stream. `on_note` is told of each back-end that could not serve. Returns 0, or -1 with error set:
 * LAXITY_EXIT_LACKING if no back-end serves or the output is full, LAXITY_EXIT_USAGE for a
 * directory that cannot be written or holds a trace.
 */
int laxity_record_trace(
    const struct laxity_recording *recording,
    void (*on_note)(const char *text),
    struct laxity_error *error
);

#endif
