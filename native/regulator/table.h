/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Contention table of a task: how much processor time it loses by memory traffic.
 *
 * A job is cut into phases by checkpoints. Checkpoint p begins phase p; checkpoint 0 is the start
 * of the job, checkpoint n_phases its end. Traffic is that of the whole platform, the task's own
 * included, in steps: step i stands for traffic above (i - 1) and up to i times step_bytes_per_s.
 * The last step stands for all traffic above, too.
 */
#ifndef LAXITY_REGULATOR_TABLE_H
#define LAXITY_REGULATOR_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LAXITY_PHASES_MAX = 64,
    LAXITY_TRAFFIC_STEPS_MAX = 256,
    LAXITY_RATE_ONE = 1 << 20, /* of a rate: all of the time */
};

/* Largest traffic, in bytes per second, and largest number of bytes between two readings. */
#define LAXITY_TRAFFIC_MAX (UINT64_C(1) << 34)

struct laxity_contention_table {
    uint32_t n_phases; /* at least 1 */
    uint32_t n_steps;  /* at least 2 */
    uint64_t step_bytes_per_s;
    /* Loss per wall time, at most LAXITY_RATE_ONE: o / (1 + o) for an overhead o. Rises with the
     * traffic and is concave, so that it covers traffic that changes within an interval. */
    uint32_t loss[LAXITY_PHASES_MAX][LAXITY_TRAFFIC_STEPS_MAX];
    /* Largest solo times over all inputs, with all caches cold at the checkpoint. */
    int64_t solo_from_ns[LAXITY_PHASES_MAX + 1];  /* from a checkpoint to the end */
    int64_t solo_until_ns[LAXITY_PHASES_MAX + 1]; /* from the start to a checkpoint */
    /* Slack to keep in a phase for later phases that lose less; 0: none. */
    int64_t reserve_ns[LAXITY_PHASES_MAX][LAXITY_TRAFFIC_STEPS_MAX];
    /* Least solo time from the start to a checkpoint, any caches warm, such that no job gets from
     * one checkpoint to a later one in less than their difference; all 0: not known. */
    int64_t soonest_ns[LAXITY_PHASES_MAX + 1];
};

/*
 * laxity_contention_check - check a table
 *
 * Returns 0, or -EINVAL: sizes out of range, a loss that falls with the traffic, exceeds
 * LAXITY_RATE_ONE or is not concave, a negative time, soonest_ns that falls.
 */
int laxity_contention_check(const struct laxity_contention_table *table);

/* laxity_contention_worst_within - largest loss of a phase, and of all phases that a job can reach
 * within wall_ns after it began that phase */
uint32_t laxity_contention_worst_within(
    const struct laxity_contention_table *table, uint32_t phase, int64_t wall_ns
);

/*
 * laxity_contention_pack - raise a curve to its upper concave hull, rounded up
 *
 * A mean traffic over an interval can be any mixture of smaller and larger ones. The hull is the
 * largest loss of all mixtures with that mean (docs/regulation.md, "Packing").
 */
void laxity_contention_pack(uint32_t *curve, uint32_t n_steps);

/* laxity_contention_step - step of a traffic of `bytes` in dt_ns > 0, rounded up; the last step for
 * all above, and where dt_ns is more than a second */
uint32_t
laxity_contention_step(const struct laxity_contention_table *table, uint64_t bytes, int64_t dt_ns);

/* laxity_contention_is_beyond - whether that traffic exceeds the last step */
bool laxity_contention_is_beyond(
    const struct laxity_contention_table *table, uint64_t bytes, int64_t dt_ns
);

/*
 * laxity_contention_join - packed pointwise maximum of the curves of phases `from` to `to`
 *
 * The maximum of two packed curves is not packed: an interval that touches both phases may lose
 * more than either says.
 */
void laxity_contention_join(
    const struct laxity_contention_table *table, uint32_t from, uint32_t to, uint32_t *out_curve
);

#endif
