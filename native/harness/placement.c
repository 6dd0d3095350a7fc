/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/placement.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/deadline.h"
#include "base/port/sched.h"
#include "harness/segment.h"

#include <stddef.h>
#include <sys/prctl.h>

enum {
    CPU_LIST_BYTES = 80,
};

int laxity_apply_placement(
    const struct laxity_process_config *config, struct laxity_process_state *state
)
{
    (void)prctl(PR_SET_NAME, config->name);
    /* Timers of OTHER are otherwise up to 50 us late on purpose (timer slack). Threads inherit it.
     */
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
    if (!laxity_cpus_is_empty(&config->cpus)) {
        const int rc = laxity_set_affinity(&config->cpus);
        if (rc) {
            char list[CPU_LIST_BYTES];
            char reason[LAXITY_ERROR_TEXT_BYTES];
            laxity_cpus_format(&config->cpus, list, sizeof list);
            laxity_explain_affinity_refusal(-rc, reason, sizeof reason);
            laxity_error_set(
                &state->error,
                LAXITY_EXIT_LACKING,
                "task \"%s\": cannot run on CPUs %s: %.100s",
                config->name,
                list,
                reason
            );
            return -1;
        }
    }
    return 0;
}

/* "fifo priority 50", "deadline"; `joint` stands before the priority */
static void
name_policy(const struct laxity_process_config *config, const char *joint, char *text, size_t bytes)
{
    const char *name = laxity_policy_name(config->policy);
    if (config->policy == LAXITY_POLICY_DEADLINE) {
        laxity_format(text, bytes, "%s", name);
    } else {
        laxity_format(text, bytes, "%s%spriority %d", name, joint, (int)config->priority);
    }
}

int laxity_enter_policy(const struct laxity_process_config *config, char *reason, size_t bytes)
{
    if (config->policy != LAXITY_POLICY_DEADLINE) {
        const int rc = laxity_set_policy(config->policy, config->priority);
        if (rc) {
            /* Who has said that OTHER will do need not be told. */
            const char *other_way = config->allow_unprivileged ? "" : config->advice.other_policy;
            laxity_explain_policy_refusal(-rc, other_way, reason, bytes);
        }
        return rc;
    }
    const int rc = laxity_reserve(&config->reservation);
    if (rc) {
        struct laxity_deadline_facts facts;
        laxity_read_deadline_facts(&facts);
        laxity_explain_reservation_refusal(-rc, &config->reservation, &facts, reason, bytes);
    }
    return rc;
}

int laxity_apply_policy(
    const struct laxity_process_config *config, struct laxity_process_state *state
)
{
    state->policy = config->policy;
    char reason[LAXITY_ERROR_TEXT_BYTES];
    if (laxity_enter_policy(config, reason, sizeof reason) == 0) {
        return 0;
    }
    char policy[LAXITY_NAME_BYTES];
    if (config->allow_unprivileged) {
        char what[LAXITY_NAME_BYTES];
        name_policy(config, ", ", policy, sizeof policy);
        laxity_format(what, sizeof what, "policy %.50s", policy);
        laxity_add_fallback(state, what, "other", reason);
        state->policy = LAXITY_POLICY_OTHER;
        return 0;
    }
    name_policy(config, " ", policy, sizeof policy);
    laxity_error_set(
        &state->error,
        LAXITY_EXIT_LACKING,
        "task \"%s\": cannot use %s: %s",
        config->name,
        policy,
        reason
    );
    return -1;
}
