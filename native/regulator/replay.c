/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "regulator/replay.h"

#include "regulator/plan.h"
#include "regulator/policy.h"
#include "regulator/table.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    MARKS_MAX = 256, /* of one reading */
};

struct replay {
    const struct laxity_regulation_plan *plan;
    const struct laxity_course *course;
    const struct laxity_replay_run *run;
    /* Place of the job: part of the way from `point` to the next one. */
    int64_t point;
    double part;
    double bytes;             /* since the last reading */
    double best_effort_bytes; /* of them */
    double now_ns;
    bool has_started;
    /* Best-effort work. */
    bool is_allowed;
    bool is_running;
    double changes_ns; /* instant at which it follows the last decision; HUGE_VAL: it has */
    int64_t stopped_ns;
    bool is_stop_new;
    /* Marks that no reading has seen. */
    struct laxity_regulation_mark marks[MARKS_MAX];
    uint32_t n_marks;
    uint32_t n_passed[LAXITY_CHECKPOINT_MARKS];
    int64_t next_mark;
    struct laxity_regulation policy;
    struct laxity_replay_result result;
};

static double begin_ns(const struct replay *replay)
{
    return (double)replay->run->start_ns;
}

/* Whether best-effort work makes traffic now. It changes that by itself at out_until_ns. */
static bool is_loaded(const struct replay *replay, double *out_until_ns)
{
    const double on_ns = (double)replay->run->on_ns;
    const double cycle_ns = on_ns + (double)replay->run->off_ns;
    *out_until_ns = HUGE_VAL;
    if (!replay->is_running) {
        return false;
    }
    if (replay->run->off_ns == 0) {
        return true;
    }
    const double cycle = floor(replay->now_ns / cycle_ns);
    const bool is_on = replay->now_ns < cycle * cycle_ns + on_ns;
    *out_until_ns = cycle * cycle_ns + (is_on ? on_ns : cycle_ns);
    return is_on;
}

static void publish(struct replay *replay, uint32_t checkpoint)
{
    const int64_t wall_ns = (int64_t)ceil(replay->now_ns);
    if (replay->n_marks == MARKS_MAX) {
        /* A job whose marks are lost is outside the promise. */
        replay->marks[MARKS_MAX - 1].checkpoint = UINT32_MAX;
        return;
    }
    replay->marks[replay->n_marks++] = (struct laxity_regulation_mark){
        .checkpoint = checkpoint,
        .own_ns = wall_ns - replay->run->start_ns,
        .wall_ns = wall_ns,
    };
}

static void pass_marks(struct replay *replay)
{
    const struct laxity_regulation_plan *plan = replay->plan;
    const struct laxity_course *course = replay->course;
    while (replay->next_mark < course->n_marks &&
           course->marks[replay->next_mark].point <= replay->point) {
        const int64_t id = course->marks[replay->next_mark++].id;
        if (id < 0 || id >= LAXITY_CHECKPOINT_MARKS) {
            continue;
        }
        const uint32_t mark = (uint32_t)id;
        const uint32_t checkpoint =
            laxity_regulation_plan_checkpoint(plan, mark, ++replay->n_passed[mark]);
        if (checkpoint != 0) {
            publish(replay, checkpoint);
        }
    }
}

/* Count traffic. Best-effort work makes what the job does not make alone. */
static void count(struct replay *replay, double alone_bytes, double loaded_bytes, bool loaded)
{
    replay->bytes += loaded ? loaded_bytes : alone_bytes;
    replay->best_effort_bytes += loaded ? fmax(loaded_bytes - alone_bytes, 0) : 0;
}

/* Let the job proceed until an instant or to its end. */
static void proceed(struct replay *replay, double until_ns, bool loaded)
{
    const struct laxity_course *course = replay->course;
    while (replay->now_ns < until_ns && replay->point + 1 < course->n_points) {
        const struct laxity_course_point *from = &course->points[replay->point];
        const struct laxity_course_point *to = from + 1;
        const double length_ns =
            (double)(loaded ? to->loaded_ns - from->loaded_ns : to->alone_ns - from->alone_ns);
        const double alone_bytes = (double)(to->alone_bytes - from->alone_bytes);
        const double loaded_bytes = (double)(to->loaded_bytes - from->loaded_bytes);
        const double rest_ns = length_ns * (1 - replay->part);
        if (replay->now_ns + rest_ns > until_ns) {
            const double part = (until_ns - replay->now_ns) / length_ns;
            replay->part += part;
            count(replay, alone_bytes * part, loaded_bytes * part, loaded);
            replay->now_ns = until_ns;
            return;
        }
        const double left = 1 - replay->part;
        count(replay, alone_bytes * left, loaded_bytes * left, loaded);
        replay->now_ns += rest_ns;
        replay->part = 0;
        replay->point++;
        pass_marks(replay);
    }
}

/* Before the job, best-effort work makes as much traffic as with the job on average. */
static void wait_for_start(struct replay *replay, double until_ns, bool loaded)
{
    const struct laxity_course_point *end = &replay->course->points[replay->course->n_points - 1];
    const double reached_ns = fmin(until_ns, begin_ns(replay));
    if (loaded) {
        const double each_ns = (double)end->loaded_bytes / fmax((double)end->loaded_ns, 1);
        count(replay, 0, (reached_ns - replay->now_ns) * each_ns, true);
    }
    replay->now_ns = reached_ns;
    replay->has_started = reached_ns >= begin_ns(replay);
    if (replay->has_started) {
        publish(replay, 0);
        pass_marks(replay);
    }
}

/* Best-effort work follows the last decision. */
static void follow(struct replay *replay)
{
    replay->is_stop_new = replay->is_running && !replay->is_allowed;
    if (replay->is_stop_new) {
        replay->stopped_ns = (int64_t)ceil(replay->changes_ns);
    } else if (replay->is_allowed) {
        replay->stopped_ns = INT64_MAX;
    }
    replay->is_running = replay->is_allowed;
    replay->changes_ns = HUGE_VAL;
}

static void run_until(struct replay *replay, double until_ns)
{
    const int64_t end = replay->course->n_points - 1;
    while (replay->now_ns < until_ns && replay->point < end) {
        double self_ns = 0;
        const bool loaded = is_loaded(replay, &self_ns);
        const double step_ns = fmin(fmin(until_ns, replay->changes_ns), self_ns);
        if (!replay->has_started) {
            wait_for_start(replay, step_ns, loaded);
        } else {
            proceed(replay, step_ns, loaded);
        }
        if (replay->now_ns >= replay->changes_ns) {
            follow(replay);
        }
    }
}

/* Marks that a reading at now_ns sees. */
static uint32_t seen_marks(const struct replay *replay, int64_t now_ns)
{
    uint32_t n = 0;
    while (n < replay->n_marks && replay->marks[n].wall_ns <= now_ns - replay->plan->mark_latency_ns
    ) {
        n++;
    }
    return n;
}

static void forget_marks(struct replay *replay, uint32_t n)
{
    for (uint32_t i = n; i < replay->n_marks; i++) {
        replay->marks[i - n] = replay->marks[i];
    }
    replay->n_marks -= n;
}

static void decide(struct replay *replay, int64_t now_ns)
{
    const struct laxity_regulation_plan *plan = replay->plan;
    const uint32_t n_marks = seen_marks(replay, now_ns);
    const struct laxity_regulation_reading reading = {
        .before_ns = now_ns,
        .after_ns = now_ns,
        .bytes = (uint64_t)llround(replay->bytes),
        .best_effort_bytes = (uint64_t)llround(replay->best_effort_bytes),
        .marks = replay->marks,
        .n_marks = n_marks,
        .stops_ns = &replay->stopped_ns,
        .n_stops = replay->is_stop_new ? 1 : 0,
        .stopped_since_ns = replay->is_running ? INT64_MAX : replay->stopped_ns,
        .next_start_ns = INT64_MIN,
    };
    const bool is_allowed = laxity_regulation_decide(&replay->policy, &reading) != INT64_MIN;
    replay->bytes = 0;
    replay->best_effort_bytes = 0;
    replay->is_stop_new = false;
    forget_marks(replay, n_marks);
    if (is_allowed != replay->is_allowed) {
        replay->result.stops += !is_allowed;
        replay->changes_ns =
            (double)(now_ns + (is_allowed ? plan->resume_latency_ns : plan->stop_latency_ns));
    }
    replay->is_allowed = is_allowed;
}

/* The job has ended; the traffic before its end was not read. */
static void read_end(struct replay *replay)
{
    publish(replay, replay->plan->table.n_phases);
    const int64_t now_ns = (int64_t)ceil(replay->now_ns);
    const struct laxity_regulation_reading reading = {
        .before_ns = now_ns,
        .after_ns = now_ns,
        .bytes = LAXITY_TRAFFIC_UNKNOWN,
        .marks = replay->marks,
        .n_marks = replay->n_marks,
        .stops_ns = &replay->stopped_ns,
        .n_stops = replay->is_stop_new ? 1 : 0,
        .stopped_since_ns = replay->is_running ? INT64_MAX : replay->stopped_ns,
        .next_start_ns = INT64_MAX,
    };
    (void)laxity_regulation_decide(&replay->policy, &reading);
}

void laxity_replay(
    const struct laxity_regulation_plan *plan,
    const struct laxity_course *course,
    const struct laxity_replay_run *run,
    struct laxity_replay_result *out_result
)
{
    struct replay replay = {
        .plan = plan,
        .course = course,
        .run = run,
        .is_allowed = true,
        .is_running = true, /* best-effort work begins before the first reading */
        .changes_ns = HUGE_VAL,
        .stopped_ns = INT64_MAX,
    };
    laxity_regulation_begin(&replay.policy, &plan->table, &plan->terms);
    for (int64_t reading_ns = 0; replay.point + 1 < course->n_points;) {
        const bool is_counted = replay.is_allowed && reading_ns > 0;
        const double from_ns = fmax(replay.now_ns, begin_ns(&replay));
        reading_ns += plan->period_ns;
        run_until(&replay, (double)reading_ns);
        if (is_counted && replay.now_ns > from_ns) {
            replay.result.allowed_ns += llround(replay.now_ns - from_ns);
        }
        if (replay.point + 1 < course->n_points) {
            decide(&replay, reading_ns);
        }
    }
    read_end(&replay);
    replay.result.own_ns = (int64_t)ceil(replay.now_ns - begin_ns(&replay));
    replay.result.is_void = replay.policy.jobs_void > 0;
    replay.result.is_beyond = replay.policy.readings_beyond > 0;
    *out_result = replay.result;
}
