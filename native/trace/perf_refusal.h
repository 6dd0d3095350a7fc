/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Why perf_event_open refuses to watch a CPU, and what to do about it. */
#ifndef LAXITY_TRACE_PERF_REFUSAL_H
#define LAXITY_TRACE_PERF_REFUSAL_H

#include "base/error.h"

/* laxity_explain_perf_refusal - `rc` is its -errno; sets error (exit 3) */
void laxity_explain_perf_refusal(int rc, int cpu, struct laxity_error *error);

#endif
