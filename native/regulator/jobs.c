/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "regulator/jobs.h"

#include "base/error.h"
#include "harness/mark_table.h"
#include "regulator/plan.h"
#include "regulator/policy.h"
#include "schema/streams.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

_Static_assert(
    (int)LAXITY_STOP_REASON_RESERVE == LAXITY_REGULATION_REASON_RESERVE &&
        (int)LAXITY_STOP_REASON_COUNT == LAXITY_REGULATION_REASON_BUDGET + 1,
    "the policy and the schema have the same reasons"
);

bool laxity_regulated_jobs_pass(
    struct laxity_regulated_jobs *jobs,
    const struct laxity_regulation_plan *plan,
    uint32_t mark,
    uint32_t *out_checkpoint
)
{
    if (mark == LAXITY_MARK_JOB_START || mark == LAXITY_MARK_JOB_FINISH) {
        const bool is_end = mark == LAXITY_MARK_JOB_FINISH;
        memset(jobs->n_passed, 0, sizeof jobs->n_passed);
        jobs->n += is_end;
        *out_checkpoint = is_end ? plan->table.n_phases : 0;
        return true;
    }
    if (mark >= LAXITY_CHECKPOINT_MARKS) {
        return false;
    }
    const uint32_t passage = ++jobs->n_passed[mark];
    *out_checkpoint = laxity_regulation_plan_checkpoint(plan, mark, passage);
    if (*out_checkpoint == UINT32_MAX && jobs->unknown.passage == 0) {
        jobs->unknown = (struct laxity_checkpoint){mark, passage};
    }
    return *out_checkpoint != 0;
}

void laxity_regulated_jobs_judge(
    const struct laxity_regulated_jobs *jobs,
    const struct laxity_regulation *policy,
    struct laxity_error *error
)
{
    const bool is_promised = policy->terms.policy == LAXITY_REGULATION_SOUND;
    if (error->exit_code == 0 && is_promised && jobs->unknown.passage > 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_NO_VERDICT,
            "a job passed mark %" PRIu32 " for the %" PRIu32
            ". time, which the table does not have; profile again, the job that passes most marks "
            "first",
            jobs->unknown.mark,
            jobs->unknown.passage
        );
    } else if (error->exit_code == 0 && policy->jobs_void + policy->readings_beyond > 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_NO_VERDICT,
            "%" PRIu64 " of %" PRIu64 " jobs ran longer than profiled, %" PRIu64
            " readings had more traffic than the table; profile again, the longest job first, and "
            "with loads as heavy",
            policy->jobs_void,
            jobs->n,
            policy->readings_beyond
        );
    }
}

struct laxity_regulation_reasons_row laxity_regulation_row(
    const struct laxity_regulation *policy, int64_t time_ns, uint64_t bytes, bool is_allowed
)
{
    return (struct laxity_regulation_reasons_row){
        .time_ns = time_ns,
        .traffic_bytes = bytes == LAXITY_TRAFFIC_UNKNOWN ? INT64_MIN : (int64_t)bytes,
        .slack_ns = policy->is_in_job ? policy->slack_ns : INT64_MIN,
        .phase = policy->is_in_job ? (uint16_t)policy->phase : UINT16_MAX,
        .allowed = is_allowed,
        .reason = (uint8_t)policy->reason,
    };
}
