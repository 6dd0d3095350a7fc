/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Regulation of a run: the supervisor's side. It starts the regulator and a guard for each CPU of
 * co-runners, stores what they tell, and ends the run if one of them ends or stands still.
 */
#ifndef LAXITY_HARNESS_REGULATE_H
#define LAXITY_HARNESS_REGULATE_H

#include "base/cpus.h"
#include "base/error.h"
#include "base/npy.h"
#include "harness/regulator_loop.h"
#include "harness/segment.h"
#include "regulator/plan.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct laxity_regulate {
    const struct laxity_regulation_plan *plan;
    struct laxity_segment *segment;
    struct laxity_regulator_board *board; /* NULL: nothing is regulated */
    unsigned n_guards;
    int timer_fds[LAXITY_GUARDS_MAX];
    pid_t pids[LAXITY_GUARDS_MAX + 1]; /* guards, then the regulator; 0 = it has ended */
    bool is_ending;
    struct laxity_npy stream; /* regulation.npy */
    int write_rc;             /* 0 or -errno of the stream */
};

/*
 * laxity_regulate_begin - start regulator and guards, before any co-runner exists
 *
 * Tasks are ready. `close_fd` is closed in the children. Returns 0, or -1 with error set: a task or
 * a CPU cannot be regulated, or SCHED_FIFO is refused.
 */
int laxity_regulate_begin(
    struct laxity_regulate *regulate,
    const struct laxity_regulation_plan *plan,
    struct laxity_segment *segment,
    int dir_fd,
    int close_fd,
    struct laxity_error *error
);

/* laxity_regulate_store - rows so far into the stream */
void laxity_regulate_store(struct laxity_regulate *regulate);

/* laxity_regulate_lose - a child has ended, or stands still and has not. True if it was one of
 * these and had to go on; then the error is set, and co-runners have to end at once. */
bool laxity_regulate_lose(
    struct laxity_regulate *regulate, pid_t pid, bool is_stopped, struct laxity_error *error
);

/* laxity_regulate_end - let co-runners go, end regulator and guards, and judge the run */
void laxity_regulate_end(struct laxity_regulate *regulate, struct laxity_error *error);

#endif
