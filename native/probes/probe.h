/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What a probe is: it measures one cost of the platform, observation by observation.
 *
 * The session (session.h) forks one measuring process, which calls setup, measure and teardown, in
 * this order; teardown also after a setup that failed. The probe appends rows to shared memory; the
 * session writes them to the stream from another CPU, and kills the measuring process and all that
 * it has forked when it takes too long.
 */
#ifndef LAXITY_PROBES_PROBE_H
#define LAXITY_PROBES_PROBE_H

#include "base/cpus.h"
#include "base/error.h"
#include "base/npy.h"
#include "base/port/sched.h"
#include "schema/probes.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    LAXITY_PROBE_FALLBACKS_MAX = 4,
    LAXITY_PROBE_WORD_BYTES = 64,
    LAXITY_PROBE_RING_ROWS = 16384, /* some MiB, locked; a power of two, so that counts may wrap */
};

/* What every probe is told: the options of all, as schema/probes.toml declares them. */
struct laxity_probe_plan {
    LAXITY_PROBE_OPTION_MEMBERS
    const void *settings; /* struct laxity_NAME_settings */
};

/* What was asked for and replaced by something less. */
struct laxity_probe_fallback {
    char what[LAXITY_PROBE_WORD_BYTES];
    char used[LAXITY_PROBE_WORD_BYTES];
    char reason[LAXITY_ERROR_TEXT_BYTES];
};

/* Shared by the session and the measuring process. */
struct laxity_probe_shared {
    atomic_uint rows;    /* whole ones; their ring is the probe's to fill */
    atomic_uint written; /* by the session, which alone writes this and is_stopped */
    atomic_uint is_stopped;
    atomic_uint n_fallbacks;
    uint32_t policy;    /* enum laxity_policy in effect */
    int64_t reached_ns; /* by the machine's clock, when the measuring process ended; 0: not yet */
    struct laxity_probe_fallback fallbacks[LAXITY_PROBE_FALLBACKS_MAX];
    struct laxity_error error;
};

struct laxity_probe;

/* One measurement as the measuring process sees it. */
struct laxity_probe_run {
    const struct laxity_probe *probe;
    const struct laxity_probe_plan *plan;
    struct laxity_probe_shared *shared;
    unsigned char *rows;     /* LAXITY_PROBE_RING_ROWS of them */
    uint32_t rows_max;       /* all that are measured */
    int64_t worked_since_ns; /* without a pause */
    /* Where this process was told to be: each of a measurement's has a copy of its own. */
    struct laxity_cpus place; /* empty: nowhere in particular */
    struct laxity_scheduling placed;
    bool is_placed;
    void *state; /* the probe's own */
};

struct laxity_probe {
    const char *name;   /* also of its stream: NAME.npy */
    const char *stream; /* with the suffix */
    const struct laxity_field *fields;
    unsigned n_fields;
    uint32_t row_bytes;
    /* All of these return 0 or -1 with shared->error set. */
    int (*setup)(struct laxity_probe_run *run);
    int (*measure)(struct laxity_probe_run *run);
    void (*teardown)(struct laxity_probe_run *run);
    uint64_t (*count_rows)(const struct laxity_probe_plan *plan);
    /* Completes settings and refuses those that do not go together, before anything is started.
     * Returns 0, or -1 with error set; NULL: all do. */
    int (*check)(void *settings, struct laxity_error *error);
};

/* laxity_probe_NAME of each probe, in native/probes */
#define LAXITY_DECLARE_PROBE(name, NAME) extern const struct laxity_probe laxity_probe_##name;
LAXITY_PROBES(LAXITY_DECLARE_PROBE)

/*
 * laxity_probe_add_row - append one row; none is ever lost: it sleeps while the ring is full
 *
 * Returns false if the user wants an end, if there are as many rows as count_rows() said, or if the
 * caller was not in its place.
 */
bool laxity_probe_add_row(struct laxity_probe_run *run, const void *row);

bool laxity_probe_is_stopped(const struct laxity_probe_run *run);

/* laxity_probe_add_fallback - told and stored; the same one only once */
void laxity_probe_add_fallback(
    struct laxity_probe_run *run, const char *what, const char *used, const char *reason
);

/*
 * laxity_probe_enter_policy - put the caller under FIFO, or OTHER where the user allows that
 *
 * Also limits what it may run without blocking (RLIMIT_RTTIME), behind the session's killer.
 * Returns 0, or -1 with shared->error set.
 */
int laxity_probe_enter_policy(struct laxity_probe_run *run, int priority);

/* laxity_probe_go_to - run on this CPU only. Returns 0, or -1 with shared->error set. */
int laxity_probe_go_to(struct laxity_probe_run *run, unsigned cpu);

/*
 * laxity_probe_is_in_place - is the caller still under the policy that it entered, on the CPU that
 * it went to? Else shared->error is set: nothing can be said of what it measured.
 */
bool laxity_probe_is_in_place(const struct laxity_probe_run *run);

/*
 * laxity_probe_measure_cpus - what most probes' measure is: FIFO, and one CPU of the plan after
 * the other
 *
 * `measure_cpu` is called on that CPU; it returns 0, 1 if the user wants an end, or -1 with
 * shared->error set. Returns 0 or -1.
 */
int laxity_probe_measure_cpus(
    struct laxity_probe_run *run, int (*measure_cpu)(struct laxity_probe_run *run, unsigned cpu)
);

/* laxity_probe_pause - sleep if the caller has worked for long: its load stays at 80 % of a CPU */
void laxity_probe_pause(struct laxity_probe_run *run);

#endif
