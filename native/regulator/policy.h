/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Decision of a regulator: may best-effort work run during a real-time job now?
 *
 * The promise: a job takes at most (1 + theta) C + k gamma of its own processor time, where k
 * counts its preemptions, whatever best-effort work does that the contention table covers. The rule
 * and its proof stand in docs/regulation.md.
 *
 * The same code decides in the simulator and on a running machine: no call of the operating system,
 * no allocation, integers only. Charges are rounded up, slack is rounded down. All instants are on
 * the same clock.
 */
#ifndef LAXITY_REGULATOR_POLICY_H
#define LAXITY_REGULATOR_POLICY_H

#include "regulator/table.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    LAXITY_REGULATION_STOPS_MAX = 64,
    LAXITY_REGULATION_READINGS_MAX = 32,
};

/* Counts as the last step of the table. */
#define LAXITY_TRAFFIC_UNKNOWN UINT64_MAX

enum laxity_regulation_policy {
    LAXITY_REGULATION_SOUND,   /* the rule of docs/regulation.md */
    LAXITY_REGULATION_SUSPEND, /* no best-effort work during a job */
    LAXITY_REGULATION_PAPER,   /* Blin et al. (baselines.h) */
    LAXITY_REGULATION_BUDGET,  /* MemGuard (baselines.h) */
};

/* Why best-effort work may not run after a reading; schema/streams.toml has the same codes. */
enum laxity_regulation_reason {
    LAXITY_REGULATION_REASON_ALLOWED, /* it may run */
    LAXITY_REGULATION_REASON_START,   /* a job that starts unseen could not bear a permission */
    LAXITY_REGULATION_REASON_OUTSIDE, /* the job is outside its profile */
    LAXITY_REGULATION_REASON_SLACK,   /* the slack does not last for a permission */
    LAXITY_REGULATION_REASON_BEYOND,  /* likewise, after more traffic than the table covers */
    LAXITY_REGULATION_REASON_RESERVE, /* the slack is kept for later phases */
    LAXITY_REGULATION_REASON_WAITS,   /* the last stop is not complete, or not yet charged */
    LAXITY_REGULATION_REASON_JOB,     /* policy "suspend": a job runs */
    LAXITY_REGULATION_REASON_BUDGET,  /* policy "budget": its traffic is used */
};

/* What is promised, and what the machine needs for a decision to take effect. */
struct laxity_regulation_terms {
    enum laxity_regulation_policy policy;
    bool has_sensor;   /* false: all traffic counts as the last step, and no slack is reserved */
    int64_t budget_ns; /* theta C, rounded down */
    int64_t reload_ns; /* K: reload after a stop, with the worst load */
    int64_t preemption_ns; /* gamma: reload after a preemption, with the worst load */
    int64_t lease_ns;      /* from the reading that gives a permission to its end */
    int64_t stop_ns;       /* L: until best-effort work stands still */
    int64_t mark_ns;       /* M: until a published mark is read */
    int64_t wrap_ns;       /* in which the counter may wrap once; INT64_MAX: never */
    /* Policy "budget": traffic that best-effort work may cause in a period. */
    uint64_t refill_bytes;
    int64_t refill_ns;
};

/* A passage of a checkpoint, published by the task. */
struct laxity_regulation_mark {
    uint64_t job;
    uint32_t checkpoint;  /* of the table */
    int64_t own_ns;       /* processor time of the job so far */
    int64_t wall_ns;      /* instant */
    uint64_t preemptions; /* of the job so far */
};

/*
 * Reading of the counter, of the marks and of the state of best-effort work. All marks that were
 * published before after_ns - mark_ns have been read with it or before it, none that was published
 * after after_ns.
 */
struct laxity_regulation_reading {
    int64_t before_ns;          /* instant before the counter was read */
    int64_t after_ns;           /* instant after it was read */
    uint64_t bytes;             /* traffic since the last reading, or LAXITY_TRAFFIC_UNKNOWN */
    uint64_t best_effort_bytes; /* of it, that of best-effort work; policy "budget" alone uses it */
    const struct laxity_regulation_mark *marks; /* new ones, oldest first */
    uint32_t n_marks;
    const int64_t *stops_ns; /* instants at which new stops were complete, ascending */
    uint32_t n_stops;
    int64_t stopped_since_ns; /* best-effort work stands still since then; INT64_MAX: it does not */
    int64_t next_start_ns;    /* the next job does not start before; INT64_MIN: not known */
};

struct laxity_regulation {
    const struct laxity_contention_table *table;
    struct laxity_regulation_terms terms;
    /* The last reading. */
    int64_t before_ns;
    int64_t after_ns;
    bool was_allowed;
    enum laxity_regulation_reason reason; /* of the decision */
    /* The job. */
    bool is_in_job;
    bool is_void; /* outside the profile: the promise does not cover this job */
    uint64_t job;
    uint32_t phase;
    int64_t passed_ns; /* instant at which the phase began */
    int64_t slack_ns;
    int64_t charged_ns; /* all that this job was charged for */
    /* Results. */
    uint64_t jobs_void;
    uint64_t readings_beyond; /* of a job, with traffic above the last step */
    /* Instants of the newest stops, a ring. */
    int64_t stops_ns[LAXITY_REGULATION_STOPS_MAX];
    uint64_t n_stops;
    /* Steps of traffic while best-effort work was allowed, a ring. */
    int64_t lengths_ns[LAXITY_REGULATION_READINGS_MAX];
    uint32_t steps[LAXITY_REGULATION_READINGS_MAX];
    uint64_t n_readings;
    /* Policy "budget": traffic of best-effort work that no refill has paid yet. */
    uint64_t used_bytes;
    int64_t refilled_ns;
};

/* laxity_regulation_begin - before the first job; `table` is prepared and outlives the policy */
void laxity_regulation_begin(
    struct laxity_regulation *policy,
    const struct laxity_contention_table *table,
    const struct laxity_regulation_terms *terms
);

/*
 * laxity_regulation_decide - take a reading into account
 *
 * Returns the instant until which best-effort work may run; INT64_MIN: it must stop now. A
 * permission after a stop is given only when that stop is complete.
 */
int64_t laxity_regulation_decide(
    struct laxity_regulation *policy, const struct laxity_regulation_reading *reading
);

#endif
