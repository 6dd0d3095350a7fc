/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The periodic loop of one task. */
#ifndef LAXITY_HARNESS_ENGINE_H
#define LAXITY_HARNESS_ENGINE_H

#include "harness/job.h"

/*
 * laxity_engine_run - release jobs until the task's end, which is stored in its state (end, end_ns)
 *
 * t0 must be published. The ring and the engine must be locked in memory.
 */
void laxity_engine_run(const struct laxity_engine *engine);

#endif
