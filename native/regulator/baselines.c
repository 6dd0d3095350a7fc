/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "regulator/baselines.h"

#include "base/port/time.h"
#include "regulator/policy.h"
#include "regulator/table.h"

#include <stdbool.h>
#include <stdint.h>

/* Which job runs now, and which phase of it; a job that is new has lost nothing. */
static void
follow(struct laxity_regulation *policy, const struct laxity_regulation_reading *reading)
{
    const bool has_slack = policy->terms.policy == LAXITY_REGULATION_PAPER;
    for (uint32_t i = 0; i < reading->n_marks; i++) {
        const struct laxity_regulation_mark *mark = &reading->marks[i];
        if (!policy->is_in_job || mark->job != policy->job) {
            policy->job = mark->job;
            policy->slack_ns = has_slack ? policy->terms.budget_ns : INT64_MIN;
        }
        policy->is_in_job = mark->checkpoint != policy->table->n_phases;
        policy->phase =
            mark->checkpoint < policy->table->n_phases ? mark->checkpoint : policy->phase;
    }
}

/* Overhead of a sample in time; a longer product would not fit. */
static int64_t overhead_ns(int64_t sample_ns, uint32_t rate)
{
    const int64_t whole = sample_ns / LAXITY_RATE_ONE * rate;
    const int64_t rest = sample_ns % LAXITY_RATE_ONE * rate;
    return whole + ((rest + LAXITY_RATE_ONE - 1) / LAXITY_RATE_ONE);
}

/* Blin et al., 3.3: a right shift by 10 where a step is 1024 bytes in a sample. */
static uint32_t index_below(const struct laxity_regulation *policy, uint64_t bytes)
{
    const struct laxity_contention_table *table = policy->table;
    if (bytes > LAXITY_TRAFFIC_MAX) {
        return table->n_steps - 1;
    }
    const uint64_t step = table->step_bytes_per_s * (uint64_t)policy->terms.lease_ns;
    const uint64_t index = bytes * LAXITY_NS_PER_S / step;
    return index < table->n_steps ? (uint32_t)index : table->n_steps - 1;
}

/* The sum never falls, so that nothing resumes within a job. Footnote 4 of 3.3: less one sample. */
static bool stays_below_threshold(struct laxity_regulation *policy, uint64_t bytes)
{
    const int64_t sample_ns = policy->terms.lease_ns;
    if (policy->slack_ns >= sample_ns) {
        const uint32_t rate = policy->table->loss[policy->phase][index_below(policy, bytes)];
        policy->slack_ns -= overhead_ns(sample_ns, rate);
    }
    return policy->slack_ns >= sample_ns;
}

static bool
has_budget(struct laxity_regulation *policy, const struct laxity_regulation_reading *reading)
{
    const struct laxity_regulation_terms *terms = &policy->terms;
    const int64_t since_ns = reading->after_ns - policy->refilled_ns;
    policy->used_bytes += reading->best_effort_bytes;
    if (since_ns >= terms->refill_ns) {
        policy->used_bytes -=
            policy->used_bytes < terms->refill_bytes ? policy->used_bytes : terms->refill_bytes;
        policy->refilled_ns = reading->after_ns - (since_ns % terms->refill_ns);
    }
    return policy->used_bytes < terms->refill_bytes;
}

enum laxity_regulation_reason laxity_regulation_baseline(
    struct laxity_regulation *policy, const struct laxity_regulation_reading *reading
)
{
    follow(policy, reading);
    const bool is_in_job = policy->is_in_job;
    switch (policy->terms.policy) {
    case LAXITY_REGULATION_PAPER:
        return is_in_job && !stays_below_threshold(policy, reading->bytes)
                   ? LAXITY_REGULATION_REASON_SLACK
                   : LAXITY_REGULATION_REASON_ALLOWED;
    case LAXITY_REGULATION_BUDGET:
        return has_budget(policy, reading) ? LAXITY_REGULATION_REASON_ALLOWED
                                           : LAXITY_REGULATION_REASON_BUDGET;
    default:
        return is_in_job ? LAXITY_REGULATION_REASON_JOB : LAXITY_REGULATION_REASON_ALLOWED;
    }
}
