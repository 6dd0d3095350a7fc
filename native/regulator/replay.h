/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Replay of a regulated job from two recorded runs of it: alone, and with best-effort work that is
 * never stopped. While best-effort work runs, the job proceeds as in the second run, otherwise as
 * in the first. The policy is the same code that regulates.
 *
 * A replay takes milliseconds where a simulation takes seconds. It leaves out what a change of
 * state costs: queues of the memory that drain after a stop, and caches.
 */
#ifndef LAXITY_REGULATOR_REPLAY_H
#define LAXITY_REGULATOR_REPLAY_H

#include "regulator/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* Both runs at the same point of the job's instructions. No value falls from point to point. */
struct laxity_course_point {
    int64_t alone_ns; /* since the start of the job */
    int64_t loaded_ns;
    int64_t alone_bytes; /* traffic of the platform since the start of the job */
    int64_t loaded_bytes;
};

/* A passage of a mark. */
struct laxity_course_mark {
    int64_t point; /* of the course */
    int64_t id;
};

struct laxity_course {
    const struct laxity_course_point *points;
    int64_t n_points; /* at least 2; the first is the start of the job, the last its end */
    const struct laxity_course_mark *marks; /* in the order of the job */
    int64_t n_marks;
};

/* When the job starts, and how best-effort work pauses by itself. */
struct laxity_replay_run {
    int64_t start_ns; /* of the job; readings come at multiples of the plan's period */
    int64_t on_ns;    /* of best-effort work between two pauses */
    int64_t off_ns;   /* of a pause; 0: it never pauses */
};

struct laxity_replay_result {
    int64_t own_ns;     /* execution time of the job */
    int64_t allowed_ns; /* of it with permission for best-effort work */
    uint64_t stops;
    bool is_void;   /* the job ran longer than profiled */
    bool is_beyond; /* more traffic than the table has */
};

/* laxity_replay - play one job */
void laxity_replay(
    const struct laxity_regulation_plan *plan,
    const struct laxity_course *course,
    const struct laxity_replay_run *run,
    struct laxity_replay_result *out_result
);

#endif
