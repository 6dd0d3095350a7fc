/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The processes of a run while they live: stopping, killing, and noting how they ended. */
#ifndef LAXITY_HARNESS_CREW_H
#define LAXITY_HARNESS_CREW_H

#include "base/error.h"
#include "harness/launch.h"
#include "harness/regulate.h"

#include <stdbool.h>

struct laxity_crew {
    struct laxity_launch launch;
    struct laxity_regulate regulate;
    struct laxity_error *error; /* the first cause in time */
    bool must_stop;             /* what happened ends the whole run */
    bool is_published;          /* t0 is: what ends now ends a run, not a set-up */
    bool is_drain_alive;
    bool has_restarted_drain;
    int drain_exit;
    bool is_task_alive[LAXITY_PROCESSES_MAX];
    bool is_corunner_alive[LAXITY_PROCESSES_MAX];
};

/* laxity_crew_stop_tasks - end all tasks now: a running job is aborted, a task between jobs tears
 * down */
void laxity_crew_stop_tasks(struct laxity_crew *crew);

/*
 * laxity_crew_end_after_jobs - no task starts another job; a running one may finish
 *
 * A program with its own main is ended at once. To be called again until no task is alive, with the
 * same end_ns, the end of the tasks.
 */
void laxity_crew_end_after_jobs(struct laxity_crew *crew, int64_t end_ns);

/* laxity_crew_stop_corunners - note their progress and ask them to end */
void laxity_crew_stop_corunners(struct laxity_crew *crew);

/* laxity_crew_kill - SIGKILL for every task and co-runner that is left */
void laxity_crew_kill(struct laxity_crew *crew);

/* laxity_crew_kill_hung - SIGKILL for tasks whose job exceeds its timeout */
void laxity_crew_kill_hung(struct laxity_crew *crew);

/* laxity_crew_find_displaced - note tasks, their threads and co-runners that are not scheduled as
 * planned. A task looks after each of its jobs; what lasts shorter, or longer, is found here. */
void laxity_crew_find_displaced(struct laxity_crew *crew);

/* laxity_crew_reap - note the end of every child that has ended; a dead drain process is replaced
 * once */
void laxity_crew_reap(struct laxity_crew *crew);

bool laxity_crew_has_tasks(const struct laxity_crew *crew);
bool laxity_crew_has_workloads(const struct laxity_crew *crew); /* tasks or co-runners */

#endif
