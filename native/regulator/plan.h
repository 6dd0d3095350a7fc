/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Plan of a regulation: which task, by which table and terms. A text file that the Python side
 * writes; each line is a key and its numbers, separated by single blanks. Every key stands once,
 * those of phases once for each phase.
 *
 *   task N, core N                    index of the regulated task; core of the regulator
 *   period_ns N                       between two readings
 *   stop_latency_ns N, resume_latency_ns N, mark_latency_ns N      of a simulated platform
 *   policy N, has_sensor N            enum laxity_regulation_policy; 0 or 1
 *   budget_ns N, reload_ns N, preemption_ns N, lease_ns N, stop_ns N, mark_ns N
 *   refill_bytes N, refill_ns N       of policy "budget"
 *   phases N, steps N, step_bytes_per_s N                          before what follows
 *   mark PHASE ID PASSAGE             mark and passage that begin a phase from 1 on
 *   passages ID N                     optional: how often a job passes a mark; 0 without a line
 *   loss PHASE N..., reserve PHASE N...                            of each step; policy "paper":
 *                                     its overheads in place of losses (baselines.h)
 *   solo_from_ns N..., solo_until_ns N...                          of each checkpoint
 *   soonest_ns N...                   optional: of each checkpoint; 0 without a line
 */
#ifndef LAXITY_REGULATOR_PLAN_H
#define LAXITY_REGULATOR_PLAN_H

#include "base/error.h"
#include "regulator/policy.h"
#include "regulator/table.h"

#include <stdint.h>

enum {
    LAXITY_CHECKPOINT_MARKS = 256, /* marks that may be checkpoints have numbers below */
};

/* A mark, and how often the job has passed it by then: from 1. */
struct laxity_checkpoint {
    uint32_t mark;
    uint32_t passage;
};

struct laxity_regulation_plan {
    uint32_t task;
    uint32_t core;
    int64_t period_ns; /* at least 1 */
    int64_t stop_latency_ns, resume_latency_ns, mark_latency_ns;
    struct laxity_regulation_terms terms; /* wrap_ns: never */
    struct laxity_contention_table table;
    struct laxity_checkpoint checkpoints[LAXITY_PHASES_MAX]; /* each begins a phase; [0]: unused */
    /* Of each mark in a job, those that begin no phase included. */
    uint32_t passages[LAXITY_CHECKPOINT_MARKS];
};

/*
 * laxity_regulation_plan_parse - read a plan from text, which is changed
 *
 * Returns 0, or -1 with error set (LAXITY_EXIT_USAGE): the line that cannot be, or the key that
 * lacks.
 */
int laxity_regulation_plan_parse(
    char *text, struct laxity_regulation_plan *out_plan, struct laxity_error *error
);

/* laxity_regulation_plan_checkpoint - checkpoint of a mark's passage; 0: no phase begins there;
 * UINT32_MAX: the plan lacks that passage. A mark of a number that no checkpoint can have: 0 */
uint32_t laxity_regulation_plan_checkpoint(
    const struct laxity_regulation_plan *plan, uint32_t mark, uint32_t passage
);

#endif
