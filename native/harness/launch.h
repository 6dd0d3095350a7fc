/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Making the segment and the processes of a run. */
#ifndef LAXITY_HARNESS_LAUNCH_H
#define LAXITY_HARNESS_LAUNCH_H

#include "harness/plan.h"
#include "harness/segment.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* What the supervisor holds of a run. Descriptors are -1 and pids 0 until they exist. */
struct laxity_launch {
    const struct laxity_run_plan *plan;
    struct laxity_segment *segment;
    size_t segment_bytes;
    int segment_fd;
    int dir_fd;
    char shared_path[PATH_MAX];
    int lifeline_read_fd;
    int lifeline_write_fd;
    int output_read_fds[LAXITY_PROCESSES_MAX];
    int output_write_fds[LAXITY_PROCESSES_MAX];
    int go_read_fds[LAXITY_PROCESSES_MAX];
    int go_write_fds[LAXITY_PROCESSES_MAX];
    int stop_fd; /* eventfd: the drain process wakes the supervisor */
    pid_t drain_pid;
    struct rlimit files; /* as it was: workloads get it back */
};

/* laxity_launch_open - directory, segment, pipes. Returns 0, or -1 with error set; undone by
 * laxity_launch_close. */
int laxity_launch_open(
    struct laxity_launch *launch, const struct laxity_run_plan *plan, struct laxity_error *error
);

/* laxity_launch_discard - remove the segment's file: nobody will recover a run that did not start.
 */
void laxity_launch_discard(struct laxity_launch *launch);

/* laxity_launch_drain - start the drain process; it sets itself apart. Returns 0 or -errno. */
int laxity_launch_drain(struct laxity_launch *launch);

/* laxity_launch_task, laxity_launch_corunner - start one; its pid is in its verdict. Returns 0 or
 * -errno. */
int laxity_launch_task(struct laxity_launch *launch, uint32_t index);
int laxity_launch_corunner(struct laxity_launch *launch, uint32_t index);

/* laxity_launch_close - give back descriptors and the mapping; files belong to the drain process.
 */
void laxity_launch_close(struct laxity_launch *launch);

#endif
