/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What measuring a switch takes itself: the same measurement with no switch within, on every CPU.
 */
#ifndef LAXITY_TRACE_EMPTY_SWITCHES_H
#define LAXITY_TRACE_EMPTY_SWITCHES_H

#include "base/error.h"
#include "trace/switch_stream.h"
#include "trace/trace.h"

/*
 * laxity_measure_empty_switches - count LAXITY_SWITCHES_QUANTITY_EMPTY of every CPU into a stream
 *
 * Two processes hand a byte to and fro on each CPU, so that the caches are as warm as they are
 * where switches are frequent; at most a fifth of a second per CPU. The caller's own CPUs are
 * restored. Returns 0, or -1 with error: the stream then has no such rows.
 */
int laxity_measure_empty_switches(
    const struct laxity_trace_backend *backend,
    const struct laxity_trace_setup *setup,
    struct laxity_switch_stream *stream,
    struct laxity_error *error
);

#endif
