/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The supervisor: starts the processes of a run, gives the start signal, kills what hangs, and ends
 * them all. */
#ifndef LAXITY_HARNESS_SUPERVISOR_H
#define LAXITY_HARNESS_SUPERVISOR_H

#include "base/error.h"
#include "harness/plan.h"

/*
 * laxity_supervise - do a whole run
 *
 * Blocks until every process of the run is gone and its streams are written. Returns the exit code;
 * `out_error` holds the first cause in time if it is not 0. Fallbacks are reported through
 * `on_note` (may be NULL) as they are found.
 */
int laxity_supervise(
    const struct laxity_run_plan *plan,
    void (*on_note)(const char *text),
    struct laxity_error *out_error
);

#endif
