/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* From exec to the first release: everything that a process of a run sets up before figures count.
 */
#ifndef LAXITY_HARNESS_PREPARE_H
#define LAXITY_HARNESS_PREPARE_H

#include "harness/engine.h"
#include "harness/segment.h"

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

/*
 * laxity_prepare_task - prefault, call benchmark_init, take the policy, calibrate
 *
 * Returns 0 when the task is ready for its first release, or -1 with state->error set.
 */
int laxity_prepare_task(struct laxity_engine *engine);

#endif
