/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Where a process of a run runs, and under which policy. */
#ifndef LAXITY_HARNESS_PLACEMENT_H
#define LAXITY_HARNESS_PLACEMENT_H

#include "harness/segment.h"

#include <stddef.h>

/* laxity_apply_placement - name and CPUs of a task or co-runner. Returns 0, or -1 with state->error
 * set. */
int laxity_apply_placement(
    const struct laxity_process_config *config, struct laxity_process_state *state
);

/*
 * laxity_apply_policy - put the calling thread under its policy
 *
 * With allow_unprivileged a refused FIFO or RR becomes OTHER and a fallback is noted. Returns 0, or
 * -1 with error set.
 */
int laxity_apply_policy(
    const struct laxity_process_config *config, struct laxity_process_state *state
);

/* laxity_enter_policy - the same, told nobody. Returns 0 or -errno, then with the reason. */
int laxity_enter_policy(const struct laxity_process_config *config, char *reason, size_t bytes);

#endif
