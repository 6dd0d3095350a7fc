/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What a process of a run is told by its hidden first argument, and says of itself.
 *
 * That is how laxity-run starts a workload executable: one argument of ours, then the workload's
 * own words.
 */
#ifndef LAXITY_HARNESS_ROLE_H
#define LAXITY_HARNESS_ROLE_H

#include "harness/segment.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* "--harness=task,INDEX,SEGMENT_FD,GO_FD": everything else stands in the segment. */
#define LAXITY_HARNESS_OPTION "--harness="

enum {
    LAXITY_HARNESS_OPTION_BYTES = 64
};

enum laxity_role_kind {
    LAXITY_ROLE_TASK,
    LAXITY_ROLE_CORUNNER,
    LAXITY_ROLE_OWN_PROGRAM,
    LAXITY_ROLE_JOB /* one job of a task, in a process begun for it (job_process.h) */
};

struct laxity_role {
    enum laxity_role_kind kind;
    uint32_t index;
    int segment_fd;
    int go_fd; /* one byte when t0 is published; end of file = the supervisor gave up. Of one job:
                  1 = its record is lost */
};

/* laxity_has_role - whether these words are those of a process of a run */
bool laxity_has_role(int argc, char *const *argv);

/* laxity_parse_role - "--harness=task,0,4,7": index, segment descriptor, go descriptor (-1 = none).
 * Written by our own supervisor. Returns 0 or -EINVAL. */
int laxity_parse_role(const char *word, struct laxity_role *out_role);

/* laxity_wait_for_go - until t0 is published; false if it never will be, or `stop` was set */
bool laxity_wait_for_go(int go_fd, const volatile sig_atomic_t *stop);

void laxity_set_phase(struct laxity_process_state *state, enum laxity_phase phase);

#endif
