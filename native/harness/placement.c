/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/placement.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/deadline.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "harness/segment.h"
#include "schema/run.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
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
            return laxity_refuse(
                &state->error,
                LAXITY_EXIT_LACKING,
                "task \"%s\": cannot run on CPUs %s: %.100s",
                config->name,
                list,
                reason
            );
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
    return laxity_refuse(
        &state->error,
        LAXITY_EXIT_LACKING,
        "task \"%s\": cannot use %s: %s",
        config->name,
        policy,
        reason
    );
}

void laxity_note_placement(
    const struct laxity_process_config *config, struct laxity_process_state *state
)
{
    const int rc = laxity_read_scheduling(0, &state->placed);
    state->is_placed = rc == 0;
    if (rc) {
        laxity_add_fallback(
            state, "watch over the policy", "none", "the kernel does not tell it (sched_getattr)"
        );
    }
    laxity_find_displaced(config, state, 0, 0, state->displaced);
}

static void note_displaced(
    struct laxity_displaced *displaced, const char *planned, const char *found, uint64_t jobs
)
{
    laxity_atomic64_store(&displaced->jobs, laxity_atomic64_load(&displaced->jobs) + jobs);
    if (atomic_load_explicit(&displaced->is_seen, memory_order_relaxed) != 0) {
        return;
    }
    displaced->seen_ns = laxity_now_ns();
    laxity_format(displaced->planned, sizeof displaced->planned, "%s", planned);
    laxity_format(displaced->found, sizeof displaced->found, "%s", found);
    atomic_store_explicit(&displaced->is_seen, 1, memory_order_release);
}

void laxity_find_displaced(
    const struct laxity_process_config *config,
    const struct laxity_process_state *state,
    int32_t tid,
    uint64_t jobs,
    struct laxity_displaced *displaced
)
{
    struct laxity_scheduling now;
    if (state->is_placed && laxity_read_scheduling(tid, &now) == 0 &&
        !laxity_is_same_scheduling(&now, &state->placed)) {
        char planned[LAXITY_SCHEDULING_TEXT_BYTES];
        char found[LAXITY_SCHEDULING_TEXT_BYTES];
        note_displaced(
            &displaced[LAXITY_DISPLACED_POLICY],
            laxity_describe_scheduling(&state->placed, planned),
            laxity_describe_scheduling(&now, found),
            jobs
        );
    }
    struct laxity_cpus cpus;
    if (laxity_cpus_is_empty(&config->cpus) || laxity_get_thread_affinity(tid, &cpus)) {
        return; /* none are planned, or it is gone */
    }
    const struct laxity_cpus others = laxity_cpus_without(&cpus, &config->cpus);
    if (!laxity_cpus_is_empty(&others)) {
        char planned[LAXITY_NAME_BYTES];
        char found[LAXITY_NAME_BYTES];
        laxity_cpus_format(&config->cpus, planned, sizeof planned);
        laxity_cpus_format(&cpus, found, sizeof found);
        note_displaced(&displaced[LAXITY_DISPLACED_CPUS], planned, found, jobs);
    }
}
