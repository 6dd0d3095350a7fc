/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What is done between the jobs of a guest so that each one begins as if it were the first.
 *
 *   none     init once, then one job after the other
 *   reinit   init before each job, teardown after it
 *   restore  the writable state as it was before init, then init; what the job has left is taken
 * back fork     each job in a child of a process that has loaded the guest and run nothing of it
 *   exec     each job in a process of its own
 *
 * This is the part of one process: none, reinit and restore, and what a child of fork does
 * (reinit).
 */
#ifndef LAXITY_GUESTS_ISOLATION_H
#define LAXITY_GUESTS_ISOLATION_H

#include "base/error.h"
#include "guests/guest.h"
#include "guests/guest_call.h"
#include "guests/guest_files.h"
#include "guests/guest_regions.h"
#include "guests/guest_state.h"
#include "guests/guest_streams.h"
#include "guests/leftovers.h"

#include <stdbool.h>
#include <stdint.h>

/* Words of the command line, in the order of enum laxity_isolation. */
#define LAXITY_ISOLATIONS "none reinit restore fork"

enum laxity_isolation {
    LAXITY_ISOLATION_NONE,
    LAXITY_ISOLATION_REINIT,
    LAXITY_ISOLATION_RESTORE,
    LAXITY_ISOLATION_FORK,
    LAXITY_ISOLATION_EXEC, /* no word of laxity-vet: there it is a session of one job */
};

struct laxity_isolated {
    struct laxity_guest guest;
    enum laxity_isolation mode;
    struct laxity_guest_state state;
    struct laxity_belongings before; /* the first job, and its init */
    struct laxity_belongings ready;  /* for the first job, after its init; if is_vetting */
    struct laxity_guest_files files; /* before the first job */
    uint64_t jobs;                   /* begun */
    bool has_directory;              /* the working directory is the guest's own */
    bool is_vetting;                 /* tell what is left and hash the state, too */
    /* Nothing here takes memory or stack: no look at files, nothing is taken back, and of mode
     * restore there is one job. */
    bool is_need_measured;
};

/* What one job did and left. */
struct laxity_job_outcome {
    struct laxity_guest_end init; /* of the init before it, if there was one */
    struct laxity_guest_end end;
    struct laxity_guest_end check;
    bool has_check; /* the convention has one, or the job itself, and it came to it */
    struct laxity_guest_regions regions;
    struct laxity_guest_output output;
    struct laxity_files_look files; /* if has_directory */
    struct laxity_leftovers leftovers;
    struct laxity_state_look state;
};

/* laxity_isolated_open - after loading: keep the state, catch what ends a job. Returns 0 or -1. */
int laxity_isolated_open(struct laxity_isolated *isolated, struct laxity_error *error);

/* laxity_isolated_begin - off the measured path: make the guest ready for its next job */
void laxity_isolated_begin(struct laxity_isolated *isolated, struct laxity_job_outcome *outcome);

/* laxity_isolated_job - the measured part: from the program's entry to its end */
void laxity_isolated_job(struct laxity_isolated *isolated, struct laxity_job_outcome *outcome);

/* laxity_isolated_end - off the measured path: check, look what was left, take it back (restore) */
void laxity_isolated_end(struct laxity_isolated *isolated, struct laxity_job_outcome *outcome);

#endif
