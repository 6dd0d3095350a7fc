/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The drain process: takes job records out of the rings and writes the streams.
 *
 * It runs at low priority in its own session, so that whoever kills the run does not kill it, and
 * keeps all its state in the segment, so that a second one can go on where a first one died.
 */
#ifndef LAXITY_HARNESS_DRAIN_H
#define LAXITY_HARNESS_DRAIN_H

#include "harness/segment.h"

struct laxity_drain_config {
    struct laxity_segment *segment;
    int dir_fd;      /* the run's directory */
    int lifeline_fd; /* hangs up when the supervisor is gone; -1 = it is gone already (recovery) */
    int parent_fd;   /* hangs up when the caller is gone; -1 = there is none */
    int stop_fd;     /* eventfd: the run is to stop at a job that was seen; -1 = nobody listens */
    const int *output_fds;   /* one pipe per task, then per co-runner; NULL = none */
    const char *run_dir;     /* for the finisher */
    const char *shared_path; /* of the segment's file; removed at the end */
};

/*
 * laxity_drain_run - write until the supervisor is done or gone, then complete the run
 *
 * Completing means: rows for every release, sorted; native.json; the segment's file removed. Then,
 * if the caller is gone, the finisher is executed in place of this process. Returns an exit code:
 * 0, or 3 when the output is full (the segment stays, recovery can go on from it).
 */
int laxity_drain_run(const struct laxity_drain_config *config);

/* laxity_finish_orphan - once the caller has died nobody else completes the run: becomes its
 * finisher, if it has one. Returns if the caller lives. */
void laxity_finish_orphan(const struct laxity_segment *segment, int parent_fd, const char *run_dir);

#endif
