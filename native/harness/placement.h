/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Where a process of a run runs, and under which policy. */
#ifndef LAXITY_HARNESS_PLACEMENT_H
#define LAXITY_HARNESS_PLACEMENT_H

#include "harness/segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * laxity_note_placement - how the calling thread is scheduled now that its policy is in force
 *
 * What laxity_find_displaced compares with. Where the kernel does not tell, a fallback is noted.
 */
void laxity_note_placement(
    const struct laxity_process_config *config, struct laxity_process_state *state
);

/*
 * laxity_find_displaced - is a thread of a process (0 = the caller) still scheduled as planned?
 *
 * It may narrow its CPUs, and must stay on those that are planned. What differs is noted in
 * `displaced`, LAXITY_DISPLACED_KINDS of them, of which the caller is the only writer; the first
 * time counts. Each look adds `jobs` to what it finds. No memory is allocated.
 */
void laxity_find_displaced(
    const struct laxity_process_config *config,
    const struct laxity_process_state *state,
    int32_t tid,
    uint64_t jobs,
    struct laxity_displaced *displaced
);

#endif
