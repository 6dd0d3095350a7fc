/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/regulator_loop.h"

#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "guard/lease.h"
#include "harness/passage_ring.h"
#include "harness/release.h"
#include "harness/segment.h"
#include "regulator/jobs.h"
#include "regulator/plan.h"
#include "regulator/policy.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
    MARKS_MAX = 256, /* checkpoints of one reading */
};

struct loop {
    const struct laxity_regulator_config *config;
    struct laxity_segment *segment;
    struct laxity_regulator_board *board;
    uint64_t position;  /* of the next passage */
    uint64_t next_job;  /* the first that was not seen to start */
    int64_t last_ns;    /* of the last reading */
    int64_t granted_ns; /* end of the last permission */
    int64_t given_ns;   /* when it was given */
    int64_t worked_ns;  /* processor time of co-runners then; INT64_MAX = not known */
    uint32_t holds[LAXITY_GUARDS_MAX];
};

/* What the guards say at a reading. */
struct guards_seen {
    bool is_held[LAXITY_GUARDS_MAX];
    int64_t stopped_since_ns; /* all of them hold; INT64_MAX: one does not */
    uint32_t n_stops;
    int64_t stops_ns[LAXITY_REGULATION_STOPS_MAX];
};

/* The job of a lost passage is outside the promise, until the next job starts. */
static uint32_t lose_passages(
    struct loop *loop, uint64_t head, uint32_t n_before, struct laxity_regulation_mark *out_marks
)
{
    loop->position = head;
    loop->board->lost++;
    const uint64_t job = n_before > 0 ? out_marks[n_before - 1].job : loop->board->policy.job;
    out_marks[0] = (struct laxity_regulation_mark){.job = job, .checkpoint = UINT32_MAX};
    return 1;
}

/* Passages up to now_ns; later ones are of the next reading. */
static uint32_t
take_passages(struct loop *loop, int64_t now_ns, struct laxity_regulation_mark *out_marks)
{
    const struct laxity_passage_ring *ring = &loop->segment->passages;
    const uint64_t head = laxity_atomic64_load(&ring->head);
    uint32_t n = 0;
    for (; loop->position < head; loop->position++) {
        struct laxity_passage passage;
        uint32_t checkpoint = 0;
        if (!laxity_passage_at(ring, loop->position, &passage) || n == MARKS_MAX) {
            return lose_passages(loop, head, n, out_marks);
        }
        if (passage.wall_ns > now_ns) {
            break;
        }
        loop->next_job = passage.job + 1;
        loop->board->late_marks +=
            passage.wall_ns < loop->last_ns - loop->config->plan->terms.mark_ns;
        if (laxity_regulated_jobs_pass(
                &loop->board->jobs, loop->config->plan, passage.mark, &checkpoint
            )) {
            out_marks[n++] = (struct laxity_regulation_mark){
                .job = passage.job,
                .checkpoint = checkpoint,
                .own_ns = passage.own_ns,
                .wall_ns = passage.wall_ns,
                .preemptions = passage.preemptions,
            };
        }
    }
    return n;
}

/* Processor time of all co-runners so far. That of what a program starts is not known. */
static int64_t worked_ns(const struct loop *loop)
{
    struct laxity_segment *segment = loop->segment;
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < segment->n_corunners; i++) {
        const struct laxity_corunner *corunner = laxity_segment_corunner(segment, i);
        const int32_t pid = corunner->verdict.pid;
        struct timespec time = {.tv_sec = 0};
        clockid_t clock = 0;
        if (atomic_load(&corunner->program_pid) != 0) {
            return INT64_MAX;
        }
        /* It has not been started, or has ended. */
        if (pid > 0 && clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &time) == 0) {
            sum_ns += (int64_t)time.tv_sec * LAXITY_NS_PER_S + time.tv_nsec;
        }
    }
    return sum_ns;
}

/* Whether co-runners worked for longer than L after their permission had ended. A guard may be late
 * and they stand still all the same: while the kernel gives the CPU to ordinary tasks that waited
 * for a second (fair server, real-time throttling), or a host takes it away. */
static bool is_late(const struct loop *loop, int64_t held_ns)
{
    const int64_t permitted_ns = loop->granted_ns + loop->config->plan->terms.stop_ns;
    if (held_ns <= permitted_ns) {
        return false;
    }
    const int64_t now_worked_ns = worked_ns(loop);
    const bool is_known = now_worked_ns != INT64_MAX && loop->worked_ns != INT64_MAX;
    return !is_known || now_worked_ns - loop->worked_ns > permitted_ns - loop->given_ns;
}

/* Holds of a guard that are new. */
static void take_holds(
    struct loop *loop,
    unsigned index,
    const struct laxity_hold *hold,
    struct guards_seen *seen,
    int64_t *newest_ns
)
{
    struct laxity_regulator_board *board = loop->board;
    const uint32_t n_new = hold->holds - loop->holds[index];
    loop->holds[index] = hold->holds;
    if (n_new == 0) {
        return;
    }
    *newest_ns = hold->since_ns > *newest_ns ? hold->since_ns : *newest_ns;
    seen->n_stops = n_new > seen->n_stops ? n_new : seen->n_stops;
    if (is_late(loop, hold->since_ns)) {
        const int64_t after_ns = hold->since_ns - loop->granted_ns;
        board->late_stops++;
        board->latest_ns = after_ns > board->latest_ns ? after_ns : board->latest_ns;
    }
}

/* A stop ends one permission, on all CPUs: those of several guards are one. Of each it is known how
 * many there were, and when the newest was complete. */
static struct guards_seen look_at_guards(struct loop *loop, int64_t now_ns)
{
    struct guards_seen seen = {.stopped_since_ns = INT64_MIN};
    int64_t newest_ns = INT64_MIN;
    for (unsigned i = 0; i < loop->config->n_guards; i++) {
        const struct laxity_hold hold = laxity_lease_look(&loop->board->leases[i]);
        const bool is_after = hold.since_ns > now_ns; /* of the next reading */
        seen.is_held[i] = hold.is_held && !is_after;
        if (!seen.is_held[i]) {
            seen.stopped_since_ns = INT64_MAX;
        } else if (hold.since_ns > seen.stopped_since_ns) {
            seen.stopped_since_ns = hold.since_ns;
        }
        if (!is_after) {
            take_holds(loop, i, &hold, &seen, &newest_ns);
        }
    }
    seen.n_stops =
        seen.n_stops < LAXITY_REGULATION_STOPS_MAX ? seen.n_stops : LAXITY_REGULATION_STOPS_MAX;
    for (uint32_t i = 0; i < seen.n_stops; i++) {
        seen.stops_ns[i] = newest_ns;
    }
    return seen;
}

/* No job starts before its release. The next job is known once the last has started. */
static int64_t next_start_ns(const struct loop *loop)
{
    struct laxity_segment *segment = loop->segment;
    if (laxity_atomic64_load(&segment->run.t0_ns) == 0) {
        return INT64_MAX;
    }
    const struct laxity_task *task = laxity_segment_task(segment, loop->config->plan->task);
    const struct laxity_releases releases = laxity_task_releases(segment, task);
    return laxity_release_ns(&releases, loop->next_job);
}

static void
follow(struct loop *loop, const struct guards_seen *seen, int64_t now_ns, int64_t until_ns)
{
    const bool is_allowed = until_ns != INT64_MIN;
    if (is_allowed) {
        loop->granted_ns = until_ns;
        loop->given_ns = now_ns;
        loop->worked_ns = worked_ns(loop);
    }
    for (unsigned i = 0; i < loop->config->n_guards; i++) {
        struct laxity_lease *lease = &loop->board->leases[i];
        const int timer_fd = loop->config->timer_fds[i];
        if (is_allowed && seen->is_held[i]) {
            laxity_lease_resume(lease, timer_fd, until_ns);
        } else if (is_allowed) {
            laxity_lease_renew(lease, timer_fd, until_ns);
        } else if (!seen->is_held[i]) {
            laxity_lease_stop(lease, timer_fd);
        }
    }
}

static void store(struct laxity_regulator_board *board, int64_t now_ns, bool is_allowed)
{
    const uint64_t made = laxity_atomic64_load(&board->rows_made);
    if (made - laxity_atomic64_load(&board->rows_taken) >= LAXITY_REGULATOR_ROWS) {
        board->rows_lost++;
        return;
    }
    board->rows[made & (LAXITY_REGULATOR_ROWS - 1)] =
        laxity_regulation_row(&board->policy, now_ns, LAXITY_TRAFFIC_UNKNOWN, is_allowed);
    laxity_atomic64_store(&board->rows_made, made + 1);
}

/* One reading of the clock, before all others: a passage or a hold after it is of the next reading,
 * and a permission counts from it. */
static void tick(struct loop *loop)
{
    struct laxity_regulation_mark marks[MARKS_MAX];
    const int64_t now_ns = laxity_now_ns();
    const uint32_t n_marks = take_passages(loop, now_ns, marks);
    const struct guards_seen seen = look_at_guards(loop, now_ns);
    const struct laxity_regulation_reading reading = {
        .before_ns = now_ns,
        .after_ns = now_ns,
        .bytes = LAXITY_TRAFFIC_UNKNOWN,
        .marks = marks,
        .n_marks = n_marks,
        .stops_ns = seen.stops_ns,
        .n_stops = seen.n_stops,
        .stopped_since_ns = seen.stopped_since_ns,
        .next_start_ns = next_start_ns(loop),
    };
    const int64_t until_ns = laxity_regulation_decide(&loop->board->policy, &reading);
    follow(loop, &seen, now_ns, until_ns);
    store(loop->board, now_ns, until_ns != INT64_MIN);
    loop->last_ns = now_ns;
}

void laxity_regulator_loop(const struct laxity_regulator_config *config)
{
    const struct laxity_regulation_plan *plan = config->plan;
    struct laxity_regulator_board *board = config->board;
    struct loop loop = {
        .config = config,
        .segment = config->segment,
        .board = board,
        .granted_ns = laxity_now_ns(), /* before the first co-runner exists */
    };
    laxity_regulation_begin(&board->policy, &plan->table, &plan->terms);
    int64_t next_ns = laxity_now_ns();
    /* The last reading sees the end of the last job. */
    for (bool is_over = false; !is_over;) {
        is_over = atomic_load_explicit(&board->is_over, memory_order_acquire) != 0;
        tick(&loop);
        const int64_t now_ns = laxity_now_ns();
        next_ns += plan->period_ns;
        /* Ticks that are past are left out; the CPU is not only the regulator's. */
        next_ns = next_ns < now_ns ? now_ns + plan->period_ns : next_ns;
        if (!is_over) {
            (void)laxity_sleep_until(next_ns);
        }
    }
    for (unsigned i = 0; i < config->n_guards; i++) {
        laxity_lease_end(&board->leases[i], config->timer_fds[i]);
    }
}
