/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A recording in progress, for the two files that make it: recorder.c and recorder_summary.c. */
#ifndef LAXITY_TRACE_RECORDER_STATE_H
#define LAXITY_TRACE_RECORDER_STATE_H

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/namespaces.h"
#include "trace/count_stream.h"
#include "trace/event_sampler.h"
#include "trace/recorder.h"
#include "trace/sched_stream.h"
#include "trace/steal.h"
#include "trace/switch_stream.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    N_BACKENDS = 3
};

struct recorder {
    const struct laxity_recording *recording;
    const struct laxity_trace_backend *backend;
    void *state;
    int dir_fd;
    int lock_fd;
    struct laxity_cpus cpus;
    int64_t started_ns;
    int64_t stopped_ns;
    uint64_t window_rows;                     /* that were left when rows were dropped last */
    bool has_window;                          /* started_ns is where the kept rows begin */
    const struct laxity_trace_backend *empty; /* of a histogram */
    struct laxity_sched_stream stream;        /* of a trace */
    struct laxity_switch_stream switches;     /* of a histogram */
    struct laxity_trace_sink sink;            /* the one of the two */
    struct laxity_event_sampler *sampler;     /* NULL: no event is sampled */
    struct laxity_count_stream counts;
    struct laxity_steal steal_before;
    struct laxity_steal steal_after;
    /* Why those before the one in use could not serve; empty text = tried and served, or not tried.
     */
    struct laxity_error refusals[N_BACKENDS];
    struct laxity_error empty_refusal;
    struct laxity_namespaces namespaces; /* where we are: how threads and times are numbered */
    struct laxity_error hidden_threads;  /* what the back-end cannot tell apart in ours */
};

/* laxity_write_trace_summary - DIR/trace.json. Returns 0 or -errno. */
int laxity_write_trace_summary(const struct recorder *recorder);

#endif
