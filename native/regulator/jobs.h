/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Jobs that a regulator has seen: where the running one is, and what is said of all at the end. */
#ifndef LAXITY_REGULATOR_JOBS_H
#define LAXITY_REGULATOR_JOBS_H

#include "base/error.h"
#include "regulator/plan.h"
#include "regulator/policy.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stdint.h>

struct laxity_regulated_jobs {
    uint64_t n;                                 /* that ended */
    uint32_t n_passed[LAXITY_CHECKPOINT_MARKS]; /* of each mark in the job */
    struct laxity_checkpoint unknown;           /* the first that the plan lacks; passage 0: none */
};

/* laxity_regulated_jobs_pass - checkpoint of a mark that the job passes, its start and end included
 * (harness/mark_table.h); UINT32_MAX: the plan lacks that passage. False: no phase begins there. */
bool laxity_regulated_jobs_pass(
    struct laxity_regulated_jobs *jobs,
    const struct laxity_regulation_plan *plan,
    uint32_t mark,
    uint32_t *out_checkpoint
);

/* laxity_regulated_jobs_judge - set the error, unless there is one, if jobs were outside the
 * promise (LAXITY_EXIT_NO_VERDICT) */
void laxity_regulated_jobs_judge(
    const struct laxity_regulated_jobs *jobs,
    const struct laxity_regulation *policy,
    struct laxity_error *error
);

/* laxity_regulation_row - row of regulation.npy of a decision; bytes may be LAXITY_TRAFFIC_UNKNOWN
 */
struct laxity_regulation_reasons_row laxity_regulation_row(
    const struct laxity_regulation *policy, int64_t time_ns, uint64_t bytes, bool is_allowed
);

#endif
