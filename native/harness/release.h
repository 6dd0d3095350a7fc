/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The arithmetic of releases: which job is next, which were skipped, what a row's status is.
 *
 * Pure functions, no clock. Definitions: design section 4, "Semantics". Release of job j: r_j =
 * first + j * period.
 */
#ifndef LAXITY_HARNESS_RELEASE_H
#define LAXITY_HARNESS_RELEASE_H

#include "schema/run.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stdint.h>

struct laxity_releases {
    int64_t first_ns;    /* t0 + offset */
    int64_t period_ns;   /* > 0 */
    int64_t deadline_ns; /* relative; LAXITY_ABSENT_NS = none */
    enum laxity_overrun overrun;
    bool is_own; /* the program releases its jobs itself: nothing below but the deadline holds */
};

int64_t laxity_release_ns(const struct laxity_releases *releases, uint64_t job);

/* LAXITY_ABSENT_NS if the task has no deadline. */
int64_t laxity_abs_deadline_ns(const struct laxity_releases *releases, uint64_t job);

/* laxity_released_before - how many jobs have r_j < instant_ns */
uint64_t laxity_released_before(const struct laxity_releases *releases, int64_t instant_ns);

/* laxity_next_job - the job after `job`, which finished at finish_ns: under skip, none with r_j <
 * finish_ns */
uint64_t laxity_next_job(const struct laxity_releases *releases, uint64_t job, int64_t finish_ns);

/* laxity_own_abs_deadline_ns - of a job that the program released itself; absent with either */
int64_t laxity_own_abs_deadline_ns(const struct laxity_releases *releases, int64_t release_ns);

/* laxity_status_by_deadline - done, or missed (finish > absolute deadline, if there is one) */
enum laxity_status laxity_status_by_deadline(int64_t abs_deadline_ns, int64_t finish_ns);

/* laxity_finished_status - done, or missed (finish > absolute deadline) */
enum laxity_status
laxity_finished_status(const struct laxity_releases *releases, uint64_t job, int64_t finish_ns);

#endif
