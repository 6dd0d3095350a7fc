/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* From exec to the first release: everything that a process of a run sets up before figures count.
 */
#ifndef LAXITY_HARNESS_PREPARE_H
#define LAXITY_HARNESS_PREPARE_H

#include "harness/job.h"

/*
 * laxity_prepare_task - prefault, call benchmark_init, take the policy, calibrate
 *
 * Returns 0 when the task is ready for its first release, or -1 with state->error set.
 */
int laxity_prepare_task(struct laxity_engine *engine);

#endif
