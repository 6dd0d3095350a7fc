/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Policies of others, to compare with. None of them keeps the promise of policy.h. */
#ifndef LAXITY_REGULATOR_BASELINES_H
#define LAXITY_REGULATOR_BASELINES_H

#include "regulator/policy.h"

/*
 * laxity_regulation_baseline - why best-effort work may not run after a reading, or that it may
 *
 * Policy "suspend": only between jobs.
 *
 * Policy "paper" (Blin et al., "Maximizing Parallelism without Exploding Deadlines in a Mixed
 * Criticality Embedded System", 3.3): table->loss holds overheads, in LAXITY_RATE_ONE of a solo
 * time, that may exceed 1 and may fall. Each sample of lease_ns, however long it was, adds lease_ns
 * times the overhead at its traffic rounded down. Best-effort work stops until the end of the job
 * when that sum exceeds budget_ns less a sample. The last step stands for all traffic above. A
 * sample counts for the phase that it ends in.
 *
 * Policy "budget" (Yun et al., "MemGuard", RTAS 2013): the traffic of best-effort work is limited
 * in each period, between jobs as well. A budget of all cores lets a core use what another core
 * leaves. More than the budget is used until a reading finds that: the next budget pays for it. A
 * period that no reading has fallen into refills nothing.
 */
enum laxity_regulation_reason laxity_regulation_baseline(
    struct laxity_regulation *policy, const struct laxity_regulation_reading *reading
);

#endif
